// Many small tables in one pool: the children and the dishes of every node of a tree.
//
// A block of up to eight slots is searched linearly. A larger block is an open-addressing table. The capacity of a block
// follows from its size, so a block is stored as two numbers. Freed memory is reused.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "platform.hpp"

namespace bistro {

struct Block {
    std::uint32_t at = 0;
    std::uint32_t size = 0;
};

// A slot has a `key`, never kNone, and is made by Slot{key}. Slots are never removed.
template <class Slot>
class BlockPool {
public:
    // The number of the slot of a key, or kNone if there is none.
    std::uint32_t find(Block block, std::uint32_t key) const {
        if (block.size <= kLinear) {
            for (std::uint32_t i = block.at; i < block.at + block.size; ++i)
                if (slots_[i].key == key) return i;
            return kNone;
        }
        const std::uint32_t mask = room(block.size) - 1;
        for (auto i = static_cast<std::uint32_t>(mix(key)) & mask;; i = (i + 1) & mask) {
            const std::uint32_t found = slots_[block.at + i].key;
            if (found == key) return block.at + i;
            if (found == kNone) return kNone;
        }
    }

    // Prefetches the slots that `find` will read.
    void prefetch(Block block, std::uint32_t key) const {
        if (block.size == 0) return;
        const std::uint32_t at = block.size <= kLinear ? 0 : static_cast<std::uint32_t>(mix(key)) & (room(block.size) - 1);
        bistro::prefetch(&slots_[block.at + at]);
        if (block.size <= kLinear && block.size * sizeof(Slot) > 64) bistro::prefetch(&slots_[block.at + block.size - 1]);
    }

    // Adds a key that the block does not have. The numbers of the block's slots change.
    std::uint32_t insert(Block& block, const Slot& slot) {
        const std::uint32_t before = room(block.size), after = room(block.size + 1);
        if (before != after) move(block, before, after);
        ++block.size;
        return place(block, slot);
    }

    Slot& operator[](std::uint32_t slot) { return slots_[slot]; }
    const Slot& operator[](std::uint32_t slot) const { return slots_[slot]; }

    // The numbers of all slots of a block, by key.
    void sorted(Block block, std::vector<std::uint32_t>& out) const {
        out.clear();
        const std::uint32_t end = block.at + (block.size <= kLinear ? block.size : room(block.size));
        for (std::uint32_t i = block.at; i < end; ++i)
            if (slots_[i].key != kNone) out.push_back(i);
        std::sort(out.begin(), out.end(), [this](std::uint32_t a, std::uint32_t b) { return slots_[a].key < slots_[b].key; });
    }

    std::size_t bytes() const {
        std::size_t total = slots_.capacity() * sizeof(Slot);
        for (const auto& list : free_) total += list.capacity() * sizeof(std::uint32_t);
        return total;
    }

private:
    static constexpr std::uint32_t kLinear = 8;

    static std::uint32_t room(std::uint32_t size) {
        return size == 0 ? 0 : std::bit_ceil(size <= kLinear ? size : size + size / 2 + 1);
    }

    std::uint32_t place(Block block, const Slot& slot) {
        std::uint32_t i = block.at + block.size - 1;
        if (block.size > kLinear) {
            const std::uint32_t mask = room(block.size) - 1;
            i = static_cast<std::uint32_t>(mix(slot.key)) & mask;
            while (slots_[block.at + i].key != kNone) i = (i + 1) & mask;
            i += block.at;
        }
        slots_[i] = slot;
        return i;
    }

    void move(Block& block, std::uint32_t before, std::uint32_t after) {
        const std::uint32_t to = take(after);
        for (std::uint32_t i = to; i < to + after; ++i) slots_[i] = Slot{kNone};
        Block moved{to, 0};
        const std::uint32_t size = block.size + 1;  // its future size, which determines the positions of keys
        for (std::uint32_t i = block.at; i < block.at + before; ++i) {
            const Slot slot = slots_[i];
            if (slot.key == kNone) continue;
            ++moved.size;
            place(Block{to, size > kLinear ? size : moved.size}, slot);
        }
        if (before > 0) free_[std::countr_zero(before)].push_back(block.at);
        block.at = to;
    }

    std::uint32_t take(std::uint32_t room) {
        auto& list = free_[std::countr_zero(room)];
        if (!list.empty()) {
            const std::uint32_t at = list.back();
            list.pop_back();
            return at;
        }
        const std::size_t at = slots_.size();
        if (at + room >= kNone) throw std::length_error("more than four billion contexts or outcomes");
        // Grows by half, since doubling would leave half of the memory of a long text unused.
        if (at + room > slots_.capacity()) slots_.reserve(std::max(at + room, slots_.capacity() + slots_.capacity() / 2));
        slots_.resize(at + room, Slot{kNone});
        return static_cast<std::uint32_t>(at);
    }

    std::vector<Slot> slots_;
    std::array<std::vector<std::uint32_t>, 33> free_;
};

}  // namespace bistro
