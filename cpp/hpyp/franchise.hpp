// A hierarchical Pitman-Yor process that learns: the Chinese restaurant franchise.
//
// The restaurant of depth k is the process of one context u[0..k); its base distribution is the restaurant
// of depth k-1, and depth 0 backs off to a Base. The predictive probability of dish x is
//
//     p_k(x) = (c_x - d_k t_x)/(c + theta_k) + (theta_k + d_k t)/(c + theta_k) p_{k-1}(x)
//
// `resolve` turns events (context, dish) into entry numbers once; after that, adding, removing and sweeping follow parent
// links only. restaurants.hpp has the restaurants and entries; this file has their customers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/base.hpp"
#include "hpyp/restaurants.hpp"
#include "hpyp/rng.hpp"
#include "hpyp/seating.hpp"

namespace bistro {

class Franchise : public RestaurantTree {
public:
    static constexpr bool single_precision = false;

    Franchise(std::shared_ptr<Base> base, int levels, Seating seating)
        : RestaurantTree(levels), base_(std::move(base)), seating_(seating), discount_(levels, 0.5), strength_(levels, 1.0) {
        if (!base_) throw std::invalid_argument("a franchise needs a base distribution");
    }

    // --- queries in common with the frozen form ---------------------------------------------------

    // For a dish that was served, shorter contexts are found by following parent links, without hashing.
    double probability_on_path(const std::uint32_t* path, int depth, std::uint32_t x) const {
        const auto dish = static_cast<std::int32_t>(x);
        int k = depth;
        std::uint32_t id = kNone;
        while (k >= 0 && (id = find_entry(path[k], dish)) == kNone) --k;
        double p = id == kNone ? base_->probability(dish) : entry_probability(id);
        for (++k; k <= depth; ++k) p *= backoff(restaurants_[path[k]]);
        return p;
    }

    void distribution(const std::uint32_t* path, int depth, double* out) const {
        for (std::int32_t x = 0; x < base_->dishes(); ++x) out[x] = probability(path[depth], x);
    }

    // --- customers -------------------------------------------------------------------------------

    void add(std::uint32_t id, Stream& rng) {
        const std::int32_t dish = entries_.at(id).dish;
        const int length = climb(id);
        if (seating_ == Seating::gibbs) {
            double p = base_->probability(dish);
            for (int k = length - 1; k >= 0; --k) {
                parent_probability_[k] = p;
                p = predictive(entries_[chain_[k]], p);
            }
        }
        for (int k = 0; k < length; ++k)
            if (!seat(chain_[k], parent_probability_[k], rng)) return;
        base_->add(dish, rng);
    }

    void remove(std::uint32_t id, Stream& rng) {
        const std::int32_t dish = entries_.at(id).dish;
        std::uint32_t at = id;
        for (; at != kNone; at = entries_[at].parent) {
            // The parent's customer for this table may have been removed by mistake.
            if (entries_[at].customers == 0) throw std::invalid_argument("there is no such customer to remove");
            if (!unseat(at, rng)) return;
        }
        base_->remove(dish, rng);
    }

    // Records every change of a table from now on; nullptr ends the recording.
    void write_down(std::vector<TableMove>* moves) { moves_ = moves; }

    // Undoes changes, the last one first. The draws of a base that learns are not recorded: its customers are seated again
    // at random.
    void take_back(std::span<const TableMove> moves, Stream& rng) {
        for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
            Entry& entry = entries_.at(move->entry);
            Restaurant& r = restaurants_[entry.restaurant];
            const std::int32_t customers = move->from - move->to, tables = (move->from > 0) - (move->to > 0);
            if (entry.sizes != kNone) grow_table(sizes_[entry.sizes], move->to, customers);
            entry.customers += customers, r.customers += customers;
            entry.tables += tables, r.tables += tables;
            if (entry.parent != kNone || tables == 0) continue;
            if (tables > 0)
                base_->add(entry.dish, rng);
            else
                base_->remove(entry.dish, rng);
        }
    }

    // One Gibbs sweep: every event is removed and added again.
    void sweep(std::span<const std::uint32_t> events, Stream& rng) {
        for (const std::uint32_t id : events) {
            remove(id, rng);
            add(id, rng);
        }
    }

    // --- prediction ------------------------------------------------------------------------------

    // p(dish) in a restaurant, whether or not the dish was ever served there.
    double probability(std::uint32_t restaurant, std::int32_t dish) const {
        const Restaurant& here = restaurants_[restaurant];
        const double p = here.parent == kNone ? base_->probability(dish) : probability(here.parent, dish);
        const std::uint32_t id = find_entry(restaurant, dish);
        return id != kNone ? predictive(entries_[id], p) : backoff(here) * p;
    }

    // The formula above, for one entry given its parent's probability.
    double predictive(const Entry& entry, double parent) const {
        const Restaurant& r = restaurants_[entry.restaurant];
        if (r.customers == 0) return parent;
        const double d = discount(r), theta = strength(r);
        return (entry.customers - d * entry.tables + (theta + d * r.tables) * parent) / (r.customers + theta);
    }

    // The probability of one entry.
    double entry_probability(std::uint32_t id) const {
        const Entry& entry = entries_[id];
        return predictive(entry, entry.parent == kNone ? base_->probability(entry.dish) : entry_probability(entry.parent));
    }

    // The probability of every entry. An entry's parent always has a lower number.
    LongArray<double> entry_probabilities() const {
        LongArray<double> now(entries_.size());
        for (std::size_t i = 0; i < now.size(); ++i) {
            const Entry& entry = entries_[i];
            now[i] = predictive(entry, entry.parent == kNone ? base_->probability(entry.dish) : now[entry.parent]);
        }
        return now;
    }

    // The weight of the parent's distribution in a restaurant; 1 in an empty restaurant.
    double backoff(const Restaurant& r) const {
        if (r.customers == 0) return 1.0;
        return (strength(r) + discount(r) * r.tables) / (r.customers + strength(r));
    }

    // --- parameters and access -------------------------------------------------------------------

    Seating seating() const { return seating_; }
    const Base& base() const { return *base_; }
    double discount_at(int level) const { return discount_.at(level); }
    double strength_at(int level) const { return strength_.at(level); }
    void set_parameters(int level, double discount, double strength) {
        if (!(discount >= 0 && discount < 1)) throw std::invalid_argument("a discount must lie in [0, 1)");
        if (!(strength > -discount && std::isfinite(strength)))
            throw std::invalid_argument("a strength must be finite and greater than -discount");
        discount_.at(level) = discount;
        strength_.at(level) = strength;
    }

    const LongArray<TableSizes>& table_sizes() const { return sizes_; }

    std::size_t bytes() const {
        std::size_t total = restaurants_.capacity() * sizeof(Restaurant) + entries_.capacity() * sizeof(Entry) +
                            by_element_.bytes() + by_dish_.bytes() + sizes_.capacity() * sizeof(TableSizes);
        // 16 bytes for the allocator's own bookkeeping of each list.
        for (const TableSizes& list : sizes_) total += list.capacity() * sizeof(SizeCount) + 16;
        return total;
    }

    // See RestaurantTree: rebuilds all restaurants and entries of a saved franchise.
    void rebuild(std::span<const std::uint32_t> restaurants, std::span<const std::uint32_t> entries) {
        RestaurantTree::rebuild(restaurants, entries, base_->dishes());
    }

    // Restores the customers, tables and table sizes of every entry: `sizes` lists (entry, size, tables) for the entries
    // that have a list. See saved_state.hpp for the required conditions.
    void restore(std::span<const std::int32_t> customers, std::span<const std::int32_t> tables,
                 std::span<const std::int32_t> sizes) {
        sizes_.clear();
        for (Restaurant& r : restaurants_) r.customers = r.tables = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            Entry& entry = entries_[i];
            entry.customers = customers[i];
            entry.tables = tables[i];
            entry.sizes = kNone;
            restaurants_[entry.restaurant].customers += customers[i];
            restaurants_[entry.restaurant].tables += tables[i];
        }
        for (std::size_t i = 0; i < sizes.size(); i += 3) {
            Entry& entry = entries_.at(sizes[i]);
            if (entry.sizes == kNone) {
                entry.sizes = static_cast<std::uint32_t>(sizes_.size());
                sizes_.emplace_back();
            }
            sizes_[entry.sizes].push_back(SizeCount{sizes[i + 1], sizes[i + 2]});
        }
    }

    double discount(const Restaurant& r) const { return discount_[r.depth]; }
    double strength(const Restaurant& r) const { return strength_[r.depth]; }

private:
    friend class SortedResolver;
    friend class EmptyDropper;
    // Lists the entry and its ancestors in chain_, and makes room for a probability beside each.
    int climb(std::uint32_t id) {
        chain_.clear();
        for (; id != kNone; id = entries_[id].parent) chain_.push_back(id);
        parent_probability_.resize(std::max(parent_probability_.size(), chain_.size()));
        return static_cast<int>(chain_.size());
    }

    // Seats one customer; true if a table was opened, so that the parent gets a customer too.
    bool seat(std::uint32_t id, double parent, Stream& rng) {
        Entry& entry = entries_[id];
        Restaurant& r = restaurants_[entry.restaurant];
        std::int32_t size = entry.customers;  // size of the table if there is only one
        if (size > 0 && seating_ != Seating::minimal) size = seating_ == Seating::maximal ? 0 : join_table(entry, r, parent, rng);
        if (moves_) moves_->push_back({id, size, size + 1});
        ++entry.customers;
        ++r.customers;
        if (size > 0) return false;
        if (seating_ == Seating::gibbs) open_table(entry);
        ++entry.tables;
        ++r.tables;
        return true;
    }

    // Draws one of the tables of this dish or a new table. An existing table grows by one customer. Returns its previous
    // size, or 0 for a new table.
    std::int32_t join_table(Entry& entry, const Restaurant& r, double parent, Stream& rng) {
        const double d = discount(r);
        const double old_tables = entry.customers - d * entry.tables;
        const double new_table = (strength(r) + d * r.tables) * parent;
        const double x = rng.uniform() * (old_tables + new_table) - new_table;
        if (x < 0) return 0;
        if (entry.sizes == kNone) return entry.customers;
        TableSizes& list = sizes_[entry.sizes];
        const std::int32_t size = table_at_weight(list, d, x);
        grow_table(list, size, +1);
        return size;
    }

    // Adds a new table of size 1 to the list of sizes. A list is needed from the second table on.
    void open_table(Entry& entry) {
        if (entry.sizes == kNone) {
            if (entry.tables == 0) return;
            entry.sizes = static_cast<std::uint32_t>(sizes_.size());
            sizes_.push_back(TableSizes{SizeCount{entry.customers - 1, 1}});
        }
        grow_table(sizes_[entry.sizes], 0, +1);
    }

    // Removes one customer; true if a table was closed, so that the parent loses a customer too.
    bool unseat(std::uint32_t id, Stream& rng) {
        Entry& entry = entries_[id];
        Restaurant& r = restaurants_[entry.restaurant];
        std::int32_t size = entry.customers;  // size of the table if there is only one
        if (entry.tables > 1)
            size = seating_ == Seating::maximal ? 1 : table_of_customer(sizes_[entry.sizes], rng.below(entry.customers));
        if (entry.sizes != kNone) grow_table(sizes_[entry.sizes], size, -1);
        if (moves_) moves_->push_back({id, size, size - 1});
        --entry.customers;
        --r.customers;
        if (size > 1) return false;
        --entry.tables;
        --r.tables;
        return true;
    }

    std::shared_ptr<Base> base_;
    Seating seating_;
    std::vector<double> discount_, strength_;
    LongArray<TableSizes> sizes_;
    std::vector<std::uint32_t> chain_;
    std::vector<double> parent_probability_;
    std::vector<TableMove>* moves_ = nullptr;
};

}  // namespace bistro
