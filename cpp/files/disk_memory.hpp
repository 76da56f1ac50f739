// Arrays that may be stored on disk, for the counts of a text that is too long for the main memory.
//
// While a folder is chosen, every array of counts of at least 16 MB is an unnamed file in that folder, mapped into memory.
// The system keeps as much of it in memory as fits and writes the rest to the file. The file disappears with the array, or
// with the process, however it ends. Results do not depend on where the bytes are stored.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform.hpp"

namespace bistro {

// The chosen folder cannot store another file, or is full.
struct FolderError : std::runtime_error {
    explicit FolderError(int code) : std::runtime_error("an array cannot be kept in the folder"), code(code) {}
    int code;  // as in errno
};

// The folder for large arrays, and the arrays in it. There is one per process, since arrays outlive the choice of a folder.
class DiskMemory {
public:
    static constexpr std::size_t kLeast = std::size_t{16} << 20;

    static DiskMemory& instance() {
        static DiskMemory only;
        return only;
    }

    // An empty name stands for main memory, the default.
    void choose(std::string folder) {
        const std::lock_guard lock(mutex_);
        folder_ = std::move(folder);
    }

    void* allocate(std::size_t size) {
        const std::lock_guard lock(mutex_);
        if (folder_.empty()) return nullptr;
        int error = 0;
        void* const memory = map_new_file(folder_, size, error);
        if (!memory) throw FolderError(error);
        try {
            mapped_.insert(memory);
        } catch (...) {
            unmap(memory, size);
            throw;
        }
        bytes_ += size;
        return memory;
    }

    // Returns false if the array is not on disk.
    bool deallocate(void* memory, std::size_t size) {
        const std::lock_guard lock(mutex_);
        if (mapped_.erase(memory) == 0) return false;
        unmap(memory, size);
        bytes_ -= size;
        return true;
    }

    std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

private:
    mutable std::mutex mutex_;
    std::string folder_;
    std::set<void*> mapped_;
    std::size_t bytes_ = 0;
};

template <class T>
struct MaybeOnDisk {
    using value_type = T;
    MaybeOnDisk() = default;
    template <class Other>
    MaybeOnDisk(const MaybeOnDisk<Other>&) {}

    T* allocate(std::size_t n) {
        if (n * sizeof(T) >= DiskMemory::kLeast)
            if (void* const memory = DiskMemory::instance().allocate(n * sizeof(T))) return static_cast<T*>(memory);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* memory, std::size_t n) {
        if (n * sizeof(T) >= DiskMemory::kLeast && DiskMemory::instance().deallocate(memory, n * sizeof(T))) return;
        std::allocator<T>().deallocate(memory, n);
    }
    friend bool operator==(const MaybeOnDisk&, const MaybeOnDisk&) { return true; }
};

// An array with one element per token of the text, or per distinct context.
template <class T>
using LongArray = std::vector<T, MaybeOnDisk<T>>;

}  // namespace bistro
