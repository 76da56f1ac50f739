"""The queue of the latent-variable parser and its choice of outcomes, against plain sorting."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[2] / "cpp"
COMPILER = shutil.which("g++") or shutil.which("clang++")
START = r"""
#include <cmath>
#include <cstdio>
#include <queue>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/ranking.hpp"
#include "isbn/waiting.hpp"

using namespace bistro::isbn;
"""
QUEUE = r"""
// Values repeat, so that the order of coming matters, and some lie far below or above the rest.
double drawn(bistro::Stream& stream) {
    const double u = stream.uniform();
    if (u < 0.02) return -200 * stream.uniform();
    return u < 0.04 ? 1.0 : std::floor(-80 * stream.uniform()) / 7;
}

struct Later {
    bool operator()(const Waiting::Entry& a, const Waiting::Entry& b) const {
        return a.log_prob < b.log_prob || (a.log_prob == b.log_prob && a.item > b.item);
    }
};

int main() {
    Waiting queue;
    for (std::uint64_t run = 0; run < 300; ++run) {
        bistro::Stream stream(1, 2, run);
        std::priority_queue<Waiting::Entry, std::vector<Waiting::Entry>, Later> heap;
        queue.clear(run % 3 ? 0.0 : -5.0);
        std::size_t items = 0;
        for (int step = 0; step < 400; ++step) {
            for (int pushes = 3 * stream.uniform(); pushes > 0; --pushes) {
                const Waiting::Entry entry{drawn(stream), items++};
                queue.push(entry), heap.push(entry);
            }
            for (int pops = 3 * stream.uniform(); pops > 0 && !heap.empty(); --pops) {
                if (queue.empty()) return std::puts("the queue is empty too early"), 1;
                if (queue.front().item != heap.top().item) return std::puts("another order"), 1;
                queue.pop(), heap.pop();
            }
            if (queue.empty() != heap.empty()) return std::puts("one of them is empty"), 1;
        }
    }
    return 0;
}
"""
LIKELIEST = r"""
int main() {
    Likeliest<float> likeliest;
    for (std::uint64_t run = 0; run < 3000; ++run) {
        bistro::Stream stream(3, 4, run);
        const std::size_t n = 1 + 140 * stream.uniform(), most = 1 + 8 * stream.uniform();
        std::vector<float> p((n + 7) / 8 * 8, 0.0f);
        for (std::size_t i = 0; i < n; ++i) p[i] = std::floor(60 * stream.uniform()) / 60;
        const float least = run % 2 ? 0.0f : static_cast<float>(stream.uniform());
        std::vector<std::int32_t> sorted;
        for (std::size_t i = 0; i < n; ++i)
            if (p[i] > least) sorted.push_back(static_cast<std::int32_t>(i));
        std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return p[a] > p[b]; });
        if (sorted.size() > most) sorted.resize(most);
        if (likeliest.of(p.data(), n, most, least) != sorted) return std::puts("others"), 1;
    }
    return 0;
}
"""
# The same test finds a queue that takes equals in another order, and one that does not sort.
WRONG = {"item > b.item": "item < b.item", "is_sorted_ = false": "is_sorted_ = true"}


def run(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile and run a program with the headers in a folder, or otherwise those of the project."""
    (folder / "test.cpp").write_text(START + source, encoding="utf-8")
    include = ["-I", str(folder), "-I", str(CPP)]
    command = [str(COMPILER), "-std=c++20", "-O1", *include, "test.cpp", "-o", "test"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run([folder / "test"], capture_output=True, text=True, check=False)


@pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++")
@pytest.mark.parametrize("source", [QUEUE, LIKELIEST], ids=["queue", "likeliest"])
def test_the_order_is_that_of_a_heap_and_of_a_sorted_list(tmp_path: Path, source: str) -> None:
    result = run(source, tmp_path)
    assert result.returncode == 0, result.stdout


@pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++")
@pytest.mark.parametrize("right", WRONG)
def test_a_wrong_queue_is_found(tmp_path: Path, right: str) -> None:
    header = (CPP / "isbn" / "waiting.hpp").read_text(encoding="utf-8")
    assert right in header
    (tmp_path / "isbn").mkdir()
    (tmp_path / "isbn" / "waiting.hpp").write_text(
        header.replace(right, WRONG[right]), encoding="utf-8"
    )
    assert run(QUEUE, tmp_path).returncode != 0
