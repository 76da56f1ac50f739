"""Kernels without vectors of the compiler, as for MSVC, give the same bits as those with them."""

from __future__ import annotations

import shutil
import subprocess
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


OPTIONS = ["-std=c++20", "-O1", "-ffp-contract=off", "-w", f"-I{CPP}"]
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the kernels, once with vectors of the compiler and once without."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "harness.cpp").write_text(HARNESS)
    kernels = str(CPP / "isbn" / "kernels.cpp")
    for name, more in (("own", []), ("plain", ["-DBISTRO_PLAIN_LANES", "-Dbistro=plain"])):
        made = [str(COMPILER), *OPTIONS, *more, "-c", kernels, "-o", str(folder / f"{name}.o")]
        subprocess.run(made, check=True)
    return folder


@pytest.mark.parametrize("real", ["float", "double"])
def test_plain_lanes_give_the_same_bits(real: str, built: Path) -> None:
    program = str(built / real)
    objects = [str(built / name) for name in ("harness.cpp", "own.o", "plain.o")]
    command = [str(COMPILER), *OPTIONS, f"-DREAL={real}", *objects, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
