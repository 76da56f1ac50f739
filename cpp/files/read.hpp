// Reading a whole file into private memory while its checksum is computed.
//
// If another program overwrites or truncates a mapped file, its content changes or the process crashes. Private memory
// avoids this.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <vector>

#include "files/checksum.hpp"
#include "files/helpers.hpp"
#include "files/large_memory.hpp"
#include "files/read_at.hpp"

namespace bistro {

struct ReadFile {
    Memory memory;
    std::uint64_t checksum = 0;  // does not include the skipped bytes
    int error = 0;               // as in errno; -1 if the file ended early
};

inline int read_block(int descriptor, unsigned char* to, std::size_t size, std::size_t at) {
    while (size > 0) {
        const std::ptrdiff_t n = read_at(descriptor, to, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return -1;
        to += n, at += static_cast<std::size_t>(n), size -= static_cast<std::size_t>(n);
    }
    return 0;
}

inline ReadFile read_file(int descriptor, std::size_t size, std::size_t skipped, int threads) {
    ReadFile file{large_memory(size)};
    if (skipped > size) skipped = size;
    file.error = read_block(descriptor, file.memory.get(), skipped, 0);
    const std::size_t blocks = (size - skipped + kChecksumBlock - 1) / kChecksumBlock;
    std::vector<std::uint64_t> digests(blocks);
    std::atomic<std::size_t> next = 0;
    std::atomic<int> error = file.error;
    auto work = [&] {
        for (std::size_t b; error == 0 && (b = next++) < blocks;) {
            const std::size_t at = skipped + b * kChecksumBlock, n = std::min(kChecksumBlock, size - at);
            if (const int failed = read_block(descriptor, file.memory.get() + at, n, at)) error = failed;
            digests[b] = xxh64({file.memory.get() + at, n});
        }
    };
    {
        const auto others = helpers(static_cast<int>(std::min<std::size_t>(threads, blocks)) - 1, work);
        work();
    }
    file.error = error;
    file.checksum = of_digests(digests);
    return file;
}

}  // namespace bistro
