"""The queue of the latent-variable parser and its choice of outcomes, against plain sorting."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[2] / "cpp"
COMPILER = shutil.which("g++") or shutil.which("clang++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++ or clang++")
START = r"""
#include <cmath>
#include <cstdio>
#include <queue>
#include <vector>

#include "hpyp/rng.hpp"
#include "isbn/ranking.hpp"

std::size_t comparisons = 0;

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
# Many entries in one bucket, with pushes between pops, take few comparisons each.
COUNTED = {"return log_prob !=": "++comparisons; return log_prob !="}
COUNT = r"""
int main() {
    Waiting queue;
    queue.clear(0.0);
    bistro::Stream stream(5, 6, 7);
    const std::size_t entries = 3000;
    std::size_t items = 0;
    auto push = [&] { queue.push({-100 - stream.uniform(), items++}); };
    while (items < entries) push();
    comparisons = 0;
    for (std::size_t step = 0; step < entries; ++step) queue.front(), queue.pop(), push();
    std::printf("%g comparisons a step\n", static_cast<double>(comparisons) / entries);
    return comparisons > 100 * entries;
}
"""
# Found by the first test: a queue that takes equals in another order, and one whose heap decays.
WRONG = {
    "item > b.item": "item < b.item",
    "std::pop_heap(bucket.begin(), bucket.end());": "",
}
# Found by the second test: a queue that makes its heap anew for every entry.
SLOW = {"is_heap_[first_] = true": "is_heap_[first_] = false"}


def run(source: str, folder: Path, changes: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Compile and run a program with the project's headers, and with a queue that is changed."""
    header = (CPP / "isbn" / "waiting.hpp").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in header
        header = header.replace(old, new)
    (folder / "isbn").mkdir()
    (folder / "isbn" / "waiting.hpp").write_text(header, encoding="utf-8")
    (folder / "test.cpp").write_text(START + source, encoding="utf-8")
    include = ["-I", str(folder), "-I", str(CPP)]
    command = [str(COMPILER), "-std=c++20", "-O1", *include, "test.cpp", "-o", "test"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run([folder / "test"], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("source", [QUEUE, LIKELIEST], ids=["queue", "likeliest"])
def test_the_order_is_that_of_a_heap_and_of_a_sorted_list(tmp_path: Path, source: str) -> None:
    result = run(source, tmp_path, {})
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("right", WRONG)
def test_a_wrong_queue_is_found(tmp_path: Path, right: str) -> None:
    assert run(QUEUE, tmp_path, {right: WRONG[right]}).returncode != 0


@pytest.mark.parametrize(("changes", "is_fast"), [({}, True), (SLOW, False)], ids=["right", "slow"])
def test_many_entries_in_one_bucket(tmp_path: Path, changes: dict[str, str], is_fast: bool) -> None:
    result = run(COUNT, tmp_path, COUNTED | changes)
    assert (result.returncode == 0) is is_fast, result.stdout
