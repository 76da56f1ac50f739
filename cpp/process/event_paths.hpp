// The restaurants of several events, looked up in parallel.
//
// A context is looked up element by element, and each look-up waits for memory. Different events do not wait for each
// other: all events take one step, and then all take the next step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hpyp/franchise.hpp"
#include "platform.hpp"
#include "process/sequences.hpp"

namespace bistro {

struct EventPath {
    Before before;
    int length;  // length of the context; after `find`, of its longest prefix that has a restaurant
    std::int32_t dish;
    std::uint32_t* nodes;  // length + 1 restaurants, from the empty context on
    std::uint32_t entry;
};

class EventPaths {
public:
    explicit EventPaths(int levels) : levels_(static_cast<std::size_t>(levels)), nodes_(kGroup * levels_) {}

    void push(Before before, int length, std::int32_t dish) {
        std::uint32_t* nodes = nodes_.data() + events_.size() * levels_;
        nodes[0] = 0;
        events_.push_back({before, length, dish, nodes, kNone});
    }
    bool full() const { return events_.size() == kGroup; }
    bool empty() const { return events_.empty(); }
    void clear() { events_.clear(); }
    auto begin() const { return events_.begin(); }
    auto end() const { return events_.end(); }

    // Finds the restaurants and entries of all events, and creates those that do not exist.
    void make(Franchise& franchise) {
        descend(franchise, [&](std::uint32_t parent, std::int32_t element) { return franchise.make_child(parent, element); });
        fetch_entries(franchise);
        for (EventPath& event : events_) event.entry = franchise.make_entry(event.nodes, event.length, event.dish);
        // Seating climbs from an entry to its parents.
        for (const EventPath& event : events_)
            for (std::uint32_t at = event.entry; at != kNone; at = franchise.entries()[at].parent)
                bistro::prefetch(&franchise.restaurants()[franchise.entries()[at].restaurant]);
    }

    // Finds the existing restaurants of all events.
    void find(const Franchise& franchise) {
        descend(franchise, [&](std::uint32_t parent, std::int32_t element) { return franchise.find_child(parent, element); });
        fetch_entries(franchise);
    }

private:
    static constexpr std::size_t kGroup = 32;

    template <class Step>
    void descend(const Franchise& franchise, const Step& step) {
        int longest = 0;
        for (const EventPath& event : events_) longest = std::max(longest, event.length);
        for (int k = 0; k < longest; ++k) {
            each_key(k, [&](std::uint64_t key) { franchise.children().prefetch(key); });
            each_key(k, [&](std::uint64_t key) { franchise.children().prefetch_record(key, franchise.restaurants()); });
            for (EventPath& event : events_) {
                if (k >= event.length) continue;
                event.nodes[k + 1] = step(event.nodes[k], event.before(k));
                if (event.nodes[k + 1] == kNone) event.length = k;
            }
        }
    }

    template <class Visit>
    void each_key(int k, const Visit& visit) const {
        for (const EventPath& event : events_)
            if (k < event.length) visit(Franchise::child_key(event.nodes[k], event.before(k)));
    }

    // The outcome may be found in any restaurant of the path.
    void fetch_entries(const Franchise& franchise) const {
        const auto each = [&](const auto& visit) {
            for (const EventPath& event : events_)
                for (int k = event.length; k >= 0; --k) visit(Franchise::child_key(event.nodes[k], event.dish));
        };
        each([&](std::uint64_t key) { franchise.dishes().prefetch(key); });
        each([&](std::uint64_t key) { franchise.dishes().prefetch_record(key, franchise.entries()); });
    }

    std::size_t levels_;
    std::vector<std::uint32_t> nodes_;
    std::vector<EventPath> events_;
};

}  // namespace bistro
