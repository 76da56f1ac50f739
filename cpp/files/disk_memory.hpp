// Arrays that may lie on disk: counts of a text that is too long for the memory of the machine.
//
// While a folder is chosen, every array of counts from 16 MB on is a file without a name in that folder, mapped into memory.
// The system keeps in memory what it has room for and writes the rest to the file; the file is gone with the array, or with the
// process, however it ends. Only where bytes lie changes: results are the same.
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

// The chosen folder does not take another file, or is full.
struct FolderError : std::runtime_error {
    explicit FolderError(int code) : std::runtime_error("an array cannot be kept in the folder"), code(code) {}
    int code;  // as in errno
};

// The folder for large arrays, and which arrays are there. One for the process: arrays outlive the choice of a folder.
class DiskMemory {
public:
    static constexpr std::size_t kLeast = std::size_t{16} << 20;

    static DiskMemory& instance() {
        static DiskMemory only;
        return only;
    }

    // An empty name: memory, as ever.
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

    // False: the array is not on disk.
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

// An array as long as the text, or as its different contexts.
template <class T>
using LongArray = std::vector<T, MaybeOnDisk<T>>;

}  // namespace bistro
