"""Kernels without vectors of the compiler, as for MSVC, give the same bits as those with them.

Products of several vectors with a matrix in panels also equal those of single vectors, and are the
same for all kinds of processors.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[2] / "cpp"
COMPILER = shutil.which("g++") or shutil.which("clang++")
HARNESS = r"""
#include <cstdio>
#include <cstring>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/kernels.hpp"

namespace plain::isbn {
void add_transposed(REAL* y, const REAL* x, const REAL* w, std::size_t rows, std::size_t columns);
void add_outers(REAL* g, const REAL* const* xs, const REAL* const* ys, std::size_t n,
                std::size_t rows, std::size_t columns);
}

std::vector<REAL> drawn(std::size_t n, std::uint64_t index) {
    bistro::Stream stream(1, 2, index);
    std::vector<REAL> values(n);
    for (REAL& value : values) value = static_cast<REAL>(stream.uniform() - 0.5);
    return values;
}

bool same(const std::vector<REAL>& a, const std::vector<REAL>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(REAL)) == 0;
}

int main() {
    for (std::size_t rows : {1, 3, 4, 9, 80})
        for (std::size_t columns : {1, 15, 16, 33, 80, 100}) {
            const auto x = drawn(columns, 1), w = drawn(rows * columns, 2);
            auto one = drawn(rows, 3), two = one;
            bistro::isbn::add_transposed(one.data(), x.data(), w.data(), rows, columns);
            plain::isbn::add_transposed(two.data(), x.data(), w.data(), rows, columns);
            if (!same(one, two)) return std::puts("add_transposed differs"), 1;
            const auto left = drawn(rows, 4), right = drawn(columns, 5);
            const REAL* xs[] = {left.data(), left.data(), left.data()};
            const REAL* ys[] = {right.data(), x.data(), right.data()};
            one = two = drawn(rows * columns, 6);
            bistro::isbn::add_outers(one.data(), xs, ys, 3, rows, columns);
            plain::isbn::add_outers(two.data(), xs, ys, 3, rows, columns);
            if (!same(one, two)) return std::puts("add_outers differs"), 1;
        }
    return 0;
}
"""

PANELS = r"""
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/panels.hpp"
#include "isbn/products.hpp"
#include "platform.hpp"

namespace plain::isbn {
void pack_panels(float* panels, const float* matrix, std::size_t rows, std::size_t columns);
void panel_products(float* const* ys, const float* const* xs, std::size_t n, const float* panels,
                    const float* start, std::size_t rows, std::size_t columns);
void sum_rows(float* y, const float* const* rows, std::size_t n, std::size_t width);
void normalise_panels(float* x, std::size_t columns);
float exponentials_in_panels(float* x, std::size_t columns);
void panel_means(float* y, const float* p, const float* panels, std::size_t rows,
                 std::size_t columns);
float dot_product(const float* x, const float* y, std::size_t n);
}

using Floats = std::vector<float>;

Floats drawn(std::size_t n, std::uint64_t index) {
    bistro::Stream stream(1, 2, index);
    Floats values(n);
    for (float& value : values) value = static_cast<float>(stream.uniform() - 0.5);
    return values;
}

bool same(const Floats& a, const Floats& b, std::size_t n) {
    return std::memcmp(a.data(), b.data(), n * sizeof(float)) == 0;
}

std::vector<Floats> products(auto pack, auto multiply, const Floats& w, const Floats& start,
                             const std::vector<Floats>& xs, std::size_t columns) {
    const std::size_t rows = xs[0].size(), width = bistro::isbn::whole_panels(columns);
    Floats panels(rows * width);
    pack(panels.data(), w.data(), rows, columns);
    std::vector<Floats> ys(xs.size(), Floats(width));
    std::vector<float*> to;
    std::vector<const float*> from;
    for (auto& y : ys) to.push_back(y.data());
    for (auto& x : xs) from.push_back(x.data());
    const float* const first = start.empty() ? nullptr : start.data();
    multiply(to.data(), from.data(), xs.size(), panels.data(), first, rows, width);
    return ys;
}

bool exponentials_agree(const Floats& potentials, const Floats& normalised) {
    Floats one = potentials, two = potentials;
    const float factor = bistro::isbn::exponentials_in_panels(one.data(), one.size());
    if (factor != plain::isbn::exponentials_in_panels(two.data(), two.size())) return false;
    for (float& x : one) x *= factor;
    for (float& x : two) x *= factor;
    return same(one, normalised, one.size()) && same(two, normalised, two.size());
}

// All implementations of products that were compiled and that this processor can run.
std::vector<bistro::isbn::Products*> implementations() {
    std::vector<bistro::isbn::Products*> all{bistro::isbn::products_anywhere()};
    if (bistro::has_avx2() && WITH_TARGETS) all.push_back(bistro::isbn::products_avx2());
    if (bistro::has_avx512() && WITH_TARGETS) all.push_back(bistro::isbn::products_avx512());
    return all;
}

// Products by all implementations and without a start, against single fused multiplications.
bool products_agree(std::size_t rows, std::size_t columns, std::size_t n) {
    std::vector<Floats> xs;
    for (std::size_t s = 0; s < n; ++s) xs.push_back(drawn(rows, 10 + s));
    const Floats w = drawn(rows * columns, 1);
    const Floats start = drawn(bistro::isbn::whole_panels(columns), 2);
    for (const Floats& from : {start, Floats()})
        for (bistro::isbn::Products* multiply : implementations()) {
            if (!multiply) return false;
            const auto ys = products(bistro::isbn::pack_panels, multiply, w, from, xs, columns);
            for (std::size_t s = 0; s < n; ++s) {
                Floats single = from.empty() ? Floats(columns) : from;
                for (std::size_t i = 0; i < rows; ++i)
                    for (std::size_t j = 0; j < columns; ++j)
                        single[j] = std::fma(xs[s][i], w[i * columns + j], single[j]);
                if (!same(ys[s], single, columns)) return false;
            }
        }
    return true;
}

// Sums of rows weighted by p: the same bits by both sets of kernels, near to sums one by one.
bool means_agree(const Floats& w, const Floats& p, std::size_t rows, std::size_t columns) {
    Floats panels(rows * p.size()), one(rows), two(rows);
    bistro::isbn::pack_panels(panels.data(), w.data(), rows, columns);
    bistro::isbn::panel_means(one.data(), p.data(), panels.data(), rows, p.size());
    plain::isbn::panel_means(two.data(), p.data(), panels.data(), rows, p.size());
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = 0;
        const auto [first, stride] = bistro::isbn::panel_column(rows, p.size(), 0);
        if (panels[first + i * stride] != w[i * columns]) return false;
        for (std::size_t j = 0; j < columns; ++j) sum += double(p[j]) * w[i * columns + j];
        if (std::abs(sum - one[i]) > 1e-5) return false;
    }
    const float x = bistro::isbn::dot_product(w.data(), w.data(), w.size());
    const float y = plain::isbn::dot_product(w.data(), w.data(), w.size());
    double sum = 0;
    for (float value : w) sum += double(value) * value;
    return same(one, two, rows) && x == y && std::abs(sum - x) < 1e-5 * sum + 1e-6;
}

int main() {
    namespace own = bistro::isbn;
    namespace plain = ::plain::isbn;
    // Several blocks of columns, and half a panel.
    if (!products_agree(80, 1704, 1) || !products_agree(80, 1704, 13))
        return std::puts("blocks differ"), 1;
    for (std::size_t rows : {1, 7, 80})
        for (std::size_t columns : {1, 8, 9, 16, 20, 33, 100, 160})
            for (std::size_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 31}) {
                std::vector<Floats> xs;
                for (std::size_t s = 0; s < n; ++s) xs.push_back(drawn(rows, 10 + s));
                const Floats w = drawn(rows * columns, 1);
                const Floats start = drawn(own::whole_panels(columns), 2);
                const auto one =
                    products(own::pack_panels, own::panel_products, w, start, xs, columns);
                const auto two =
                    products(plain::pack_panels, plain::panel_products, w, start, xs, columns);
                if (!products_agree(rows, columns, n))
                    return std::puts("implementations differ"), 1;
                for (std::size_t s = 0; s < n; ++s) {
                    Floats single = start;
                    for (std::size_t i = 0; i < rows; ++i)
                        for (std::size_t j = 0; j < columns; ++j)
                            single[j] = std::fma(xs[s][i], w[i * columns + j], single[j]);
                    if (!same(one[s], single, columns)) return std::puts("several differ"), 1;
                    if (!same(one[s], two[s], columns)) return std::puts("plain differs"), 1;
                    Floats a = one[s], b = two[s];
                    own::normalise_panels(a.data(), a.size());
                    plain::normalise_panels(b.data(), b.size());
                    if (!same(a, b, a.size())) return std::puts("normalise_panels differs"), 1;
                    if (!exponentials_agree(one[s], a)) return std::puts("factor differs"), 1;
                    if (!means_agree(w, a, rows, columns)) return std::puts("means differ"), 1;
                }
                std::vector<const float*> added;
                for (auto& x : xs) added.push_back(x.data());
                Floats a(rows), b(rows), c(rows);
                own::sum_rows(a.data(), added.data(), n, rows);
                plain::sum_rows(b.data(), added.data(), n, rows);
                for (auto& x : xs)
                    for (std::size_t j = 0; j < rows; ++j) c[j] += x[j];
                if (!same(a, b, rows) || !same(a, c, rows)) return std::puts("sum_rows differs"), 1;
            }
    return 0;
}
"""

FUSED = r"""
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/fused.hpp"
#include "isbn/products.hpp"

bool same(float x, float y, float z) {
    const float expected = std::fma(x, y, z);
    float w[8], start[8], sums[8];
    for (int k = 0; k < 8; ++k) w[k] = k == 3 ? y : 1, start[k] = k == 3 ? z : 1;
    float* const to = sums;
    const float* const from = &x;
    bistro::isbn::products_anywhere()(&to, &from, 1, w, start, 1, 8);
    for (const float sum : {bistro::isbn::fused_by_doubles(x, y, z), sums[3]}) {
        if (std::isnan(sum) && std::isnan(expected)) continue;
        if (std::memcmp(&sum, &expected, sizeof sum) == 0) continue;
        return std::printf("%a * %a + %a = %a, not %a\n", x, y, z, expected, sum), false;
    }
    return true;
}

// Two roundings: what a sum in double precision would give without care.
bool is_hard(float x, float y, float z) {
    return static_cast<float>(double(x) * y + z) != std::fma(x, y, z);
}

int main() {
    bistro::Stream stream(1, 2, 3);
    auto drawn = [&] { return static_cast<float>(stream.uniform() - 0.5); };
    auto whole = [&](int below) {
        return std::floor(static_cast<float>(stream.uniform()) * static_cast<float>(below));
    };
    auto scaled = [&](int range) {
        const int exponent = static_cast<int>(stream.uniform() * range) - range / 2;
        return std::ldexp(drawn(), exponent);
    };
    for (int i = 0; i < 1000000; ++i) {
        if (!same(drawn(), drawn(), drawn())) return 1;
        if (!same(scaled(60), scaled(60), scaled(60))) return 1;
        // Also below the normal numbers.
        if (!same(scaled(150), scaled(150), scaled(290))) return 1;
    }
    // The product lies half-way between two floats near z, or nearly so.
    int hard = 0;
    for (int i = 0; i < 1000000; ++i) {
        const float z = 1 + whole(1 << 23) * 0x1p-23f;
        const float x = (1 + (whole(64) - 32) * 0x1p-23f) * 0x1p-24f;
        const float y = (i & 1 ? 1 : -1) * (1 + (whole(64) - 32) * 0x1p-23f);
        if (!same(x, y, z) || !same(x, y, -z)) return 1;
        const float small = std::ldexp(whole(1 << 23), -149);
        if (!same(x * 0x1p-51f, y * 0x1p-75f, small)) return 1;
        hard += is_hard(x, y, z);
    }
    if (hard < 1000) return std::printf("only %d hard cases\n", hard), 1;
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> special{0.0f, 1.0f, infinity, std::nanf(""), 3e38f, 1e-45f};
    for (int i = 0; i < 6; ++i) special.push_back(-special[i]);
    for (float x : special)
        for (float y : special)
            for (float z : special)
                if (!same(x, y, z)) return 1;
    return 0;
}
"""

# Files that are compiled for certain processors, as in CMakeLists.txt. On Windows, GCC does not
# align wide registers on the stack.
WITH_TARGETS = platform.machine() in ("x86_64", "amd64") and sys.platform != "win32"
TARGETS = {"products_avx2": ["-mavx2", "-mfma"], "products_avx512": ["-mavx512f", "-mfma"]}
PANEL_PARTS = ("panels", "products_anywhere", *TARGETS)

OPTIONS = ["-std=c++20", "-O1", "-ffp-contract=off", "-w", f"-I{CPP}"]
OPTIONS += [f"-DWITH_TARGETS={int(WITH_TARGETS)}"]
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the kernels, once with vectors of the compiler and once without."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "harness.cpp").write_text(HARNESS)
    (folder / "panels.cpp").write_text(PANELS)
    for name, more in (("own", []), ("plain", ["-DBISTRO_PLAIN_LANES", "-Dbistro=plain"])):
        for part in ("kernels", *PANEL_PARTS):
            # The plain kernels are those of the oldest processor.
            target = TARGETS.get(part, []) if name == "own" and WITH_TARGETS else []
            source, made = str(CPP / "isbn" / f"{part}.cpp"), str(folder / f"{name}-{part}.o")
            options = [*OPTIONS, *more, *target]
            subprocess.run([str(COMPILER), *options, "-c", source, "-o", made], check=True)
    return folder


def run(folder: Path, part: str, name: str, *options: str) -> None:
    """Compile a program with both sets of kernels, and run it."""
    program = str(folder / name)
    source = "panels.cpp" if part == "panels" else "harness.cpp"
    parts = PANEL_PARTS if part == "panels" else (part,)
    kernels = [f"{kind}-{p}.o" for kind in ("own", "plain") for p in parts]
    objects = [str(folder / f) for f in (source, *kernels)]
    command = [str(COMPILER), *OPTIONS, *options, *objects, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("real", ["float", "double"])
def test_plain_lanes_give_the_same_bits(real: str, built: Path) -> None:
    run(built, "kernels", real, f"-DREAL={real}")


def test_panels_give_the_same_bits_as_single_products(built: Path) -> None:
    run(built, "panels", "several")


def test_sums_without_fused_instructions_are_rounded_once(tmp_path: Path) -> None:
    (tmp_path / "fused.cpp").write_text(FUSED)
    program = str(tmp_path / "fused")
    sources = [str(tmp_path / "fused.cpp"), str(CPP / "isbn" / "products_anywhere.cpp")]
    command = [str(COMPILER), *OPTIONS, *sources, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
