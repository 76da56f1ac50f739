// A franchise in which events are observed and forgotten one by one, in any order, with sweeps at any time.
//
// The franchise itself does not know which of its customers are events and which represent tables of longer contexts. Here,
// the number of events of each entry is stored as well. A sweep needs nothing else, so no list of events is kept, and a
// customer that was never observed cannot be removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "hpyp/franchise.hpp"
#include "process/event_paths.hpp"
#include "process/sequences.hpp"
#include "stop/pause.hpp"

namespace bistro {

class OnlineFranchise {
public:
    explicit OnlineFranchise(std::shared_ptr<Franchise> franchise) : franchise_(std::move(franchise)) {
        if (!franchise_) throw std::invalid_argument("a franchise is missing");
    }

    // Observes all events. Returns the probability of each event just before it was observed.
    std::vector<double> observe(const Sequences& events, Stream& rng) {
        events.check(franchise_->base().dishes());
        std::vector<double> out;
        EventPaths paths(franchise_->levels());
        in_groups(events, paths, [&] {
            paths.make(*franchise_);
            if (observed_.size() < franchise_->entries().size()) observed_.resize(franchise_->entries().size(), 0);
            for (const EventPath& event : paths) {
                out.push_back(franchise_->entry_probability(event.entry));
                franchise_->add(event.entry, rng);
                ++observed_[event.entry];
            }
        });
        return out;
    }

    // Removes events: all of them, or none if one of them was not observed.
    void forget(const Sequences& events, Stream& rng) {
        events.check(franchise_->base().dishes());
        std::vector<std::uint32_t> entries;
        bool all_found = true;
        events.for_each([&](std::int64_t begin, std::int64_t at) {
            if (!all_found) return;
            const std::uint32_t entry = find(events.before(at), depth(at - begin), events.elements[at]);
            all_found = entry != kNone && entry < observed_.size() && observed_[entry] > 0;
            if (!all_found) return;
            --observed_[entry];
            entries.push_back(entry);
        });
        if (!all_found) {
            for (const std::uint32_t entry : entries) ++observed_[entry];
            throw std::invalid_argument("there is no such customer to remove");
        }
        for (const std::uint32_t entry : entries) franchise_->remove(entry, rng);
    }

    std::vector<double> probabilities(const Sequences& events) const {
        std::vector<double> out;
        EventPaths paths(franchise_->levels());
        in_groups(events, paths, [&] {
            paths.find(*franchise_);
            for (const EventPath& event : paths)
                out.push_back(franchise_->probability_on_path(event.nodes, event.length, static_cast<std::uint32_t>(event.dish)));
        });
        return out;
    }

    // The distribution over all outcomes in the context `elements`.
    std::vector<double> distribution(std::span<const std::int32_t> elements) const {
        std::vector<std::uint32_t> path(franchise_->levels());
        std::vector<double> out(static_cast<std::size_t>(franchise_->base().dishes()));
        const Before before{elements.data() + elements.size()};
        franchise_->distribution(path.data(), franchise_->descend(before, depth(elements.size()), path.data()), out.data());
        return out;
    }

    // The share of the base in the predictive distribution of a context.
    double base_weight(std::span<const std::int32_t> elements) const {
        const Before before{elements.data() + elements.size()};
        std::vector<std::uint32_t> path(franchise_->levels());
        double weight = 1;
        for (int k = franchise_->descend(before, depth(elements.size()), path.data()); k >= 0; --k)
            weight *= franchise_->backoff(franchise_->restaurants()[path[k]]);
        return weight;
    }

    // One Gibbs sweep over all observed events.
    void sweep(Stream& rng) {
        for (std::uint32_t entry = 0; entry < observed_.size(); ++entry)
            for (std::int32_t i = 0; i < observed_[entry]; ++i) {
                pause();
                franchise_->remove(entry, rng);
                franchise_->add(entry, rng);
            }
    }

    // Removes all events. A base that learns loses the customers that represent their tables.
    void empty(Stream& rng) {
        for (std::uint32_t entry = 0; entry < observed_.size(); ++entry)
            for (; observed_[entry] > 0; --observed_[entry]) franchise_->remove(entry, rng);
    }

    // (dish, size, tables) of all tables in the restaurant of exactly this context; empty if there is none.
    std::vector<std::int32_t> tables(std::span<const std::int32_t> elements) const {
        const Before before{elements.data() + elements.size()};
        std::vector<std::uint32_t> path(franchise_->levels());
        std::vector<std::int32_t> out;
        const int length = depth(elements.size());
        if (franchise_->descend(before, length, path.data()) < length) return out;
        for (const Entry& entry : franchise_->entries())
            if (entry.restaurant == path[length])
                for_each_table_size(entry, franchise_->table_sizes(), [&](std::int32_t size, std::int32_t tables) {
                    out.insert(out.end(), {entry.dish, size, tables});
                });
        return out;
    }

    std::vector<std::int32_t> observed() const {
        std::vector<std::int32_t> all = observed_;
        all.resize(franchise_->entries().size(), 0);
        return all;
    }
    void restore_observed(std::span<const std::int32_t> observed) {
        const auto& entries = franchise_->entries();
        bool fits = observed.size() == entries.size();
        // A customer of an entry is an event, or represents a table of a longer context.
        std::vector<std::int64_t> customers(observed.begin(), observed.end());
        for (std::size_t i = 0; fits && i < entries.size(); ++i) {
            fits = observed[i] >= 0;
            if (entries[i].parent != kNone) customers[entries[i].parent] += entries[i].tables;
        }
        for (std::size_t i = 0; fits && i < entries.size(); ++i) fits = customers[i] <= entries[i].customers;
        if (!fits) throw std::invalid_argument("the saved events do not match the franchise");
        observed_.assign(observed.begin(), observed.end());
    }

    const std::shared_ptr<Franchise>& franchise() const { return franchise_; }

private:
    // Calls work() whenever `paths` is full, and for the last events.
    template <class Work>
    void in_groups(const Sequences& events, EventPaths& paths, const Work& work) const {
        events.for_each([&](std::int64_t begin, std::int64_t at) {
            paths.push(events.before(at), depth(at - begin), events.elements[at]);
            if (!paths.full()) return;
            pause();  // between two events, the state is consistent
            work();
            paths.clear();
        });
        if (!paths.empty()) work();
    }

    int depth(std::size_t length) const {
        return static_cast<int>(std::min<std::size_t>(length, static_cast<std::size_t>(franchise_->levels()) - 1));
    }

    template <class Context>
    std::uint32_t find(const Context& context, int length, std::int32_t dish) const {
        std::vector<std::uint32_t> path(franchise_->levels());
        if (franchise_->descend(context, length, path.data()) < length) return kNone;
        return franchise_->entry_of(path[length], dish);
    }

    std::shared_ptr<Franchise> franchise_;
    std::vector<std::int32_t> observed_;  // number of events of each entry; 0 for entries beyond the end
};

}  // namespace bistro
