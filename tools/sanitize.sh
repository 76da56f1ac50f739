#!/bin/sh
# Builds the core with sanitizers and runs its tests.
#
#   tools/sanitize.sh [PYTHON] [address|thread]     PYTHON must have nanobind, numpy, scipy, pytest and hypothesis
#
# address: the address and undefined-behaviour sanitizers, with the exact tests and the fuzzed files; thread: the thread
# sanitizer, with training, parsing and scoring on two threads. Default: one after the other.
# The first report ends the run, with an exit status other than 0.
set -eu

python=${1:-python3}
which=${2:-both}
if [ "$which" = both ]; then
    sh "$0" "$python" address
    exec sh "$0" "$python" thread
fi
project=$(cd "$(dirname "$0")/.." && pwd)
build=$project/build/sanitize-$which
case $which in
    address) flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined"; runtime=libasan.so ;;
    thread) flags="-fsanitize=thread"; runtime=libtsan.so ;;
    *) echo "$which: expected address or thread" >&2; exit 2 ;;
esac
cxx=${CXX:-g++}

nanobind=$("$python" -c 'import nanobind; print(nanobind.include_dir())')
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')

# A package of its own, so that the ordinary build is neither used nor touched.
rm -rf "$build"
mkdir -p "$build"
cp -r "$project/src/bistro" "$build/bistro"
rm -f "$build"/bistro/_core*

# nanobind's own code is trusted; only ours is instrumented.
"$cxx" -std=c++20 -O1 -fPIC -fvisibility=hidden -fno-strict-aliasing -w -c \
    -I"$nanobind" -I"$nanobind/../ext/robin_map/include" -I"$headers" \
    "$nanobind/../src/nb_combined.cpp" -o "$build/nanobind.o"
for source in "$project"/cpp/*/*.cpp; do
    # Two options for each file; -g is there anyway.
    case $(uname -m)/$(basename "$source") in
        x86_64/products_avx2.cpp) options="-mavx2 -mfma" ;;
        x86_64/products_avx512.cpp) options="-mavx512f -mfma" ;;
        *) options="-g -g" ;;
    esac
    printf '%s\0' $options -o "$build/$(basename "$source").o" "$source"
done | xargs -0 -n 5 -P "$(nproc)" "$cxx" -std=c++20 -O1 -g -fno-omit-frame-pointer -fPIC -fvisibility=hidden \
    -fno-strict-aliasing -ffp-contract=off -Wall -Wextra $flags -D_GLIBCXX_ASSERTIONS \
    -I"$project/cpp" -I"$nanobind" -I"$headers" -c
"$cxx" $flags -shared "$build"/*.o -o "$build/bistro/_core$suffix"

# Python itself is not instrumented: the runtime must be loaded before it, with the C++ library whose
# exceptions it intercepts, and Python's own leaks are not ours.
LD_PRELOAD="$("$cxx" -print-file-name=$runtime) $("$cxx" -print-file-name=libstdc++.so)"
ASAN_OPTIONS=detect_leaks=0
TSAN_OPTIONS="halt_on_error=1 exitcode=66"
# Threads of NumPy's library are not instrumented, and would look like races.
OPENBLAS_NUM_THREADS=1
PYTHONPATH=$build
export LD_PRELOAD ASAN_OPTIONS TSAN_OPTIONS OPENBLAS_NUM_THREADS PYTHONPATH

"$python" -c 'import sys; from bistro import _core; sys.exit(not _core.__file__.startswith(sys.argv[1]))' "$build" ||
    { echo "another build of the core was imported" >&2; exit 1; }
cd "$project"
[ "$which" = address ] || exec "$python" tools/threads_check.py
# Nothing is captured: a report that ends the process would be lost.
exec "$python" -m pytest -q -s -p no:cacheprovider \
    tests/exact/test_stack.py tests/fuzz tests/conformance/test_stored_models.py tests/exact/test_isbn*.py \
    tests/exact/test_graph_sums.py tests/exact/test_next_words.py tests/exact/test_segment_exact.py \
    tests/exact/test_franchise*.py tests/exact/test_frozen*.py tests/exact/test_hyper.py tests/unit/test_rng.py \
    tests/exact/test_transition_elements.py tests/exact/test_transition_evidence.py \
    tests/exact/test_transition_search.py tests/exact/test_language_model.py tests/unit/test_checksum.py \
    tests/unit/test_event_runs.py tests/unit/test_counts_on_disk.py tests/unit/test_long_runs.py \
    tests/statistical/test_particle_gibbs.py tests/exact/test_tokens_exact.py \
    tests/exact/test_grammar_core.py tests/exact/test_grammar_chart.py \
    tests/exact/test_memoizer_twins.py tests/exact/test_pitman_yor_laws.py
