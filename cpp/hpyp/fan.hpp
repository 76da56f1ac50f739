// One dish in many contexts that differ only in their first element, such as one word with every tag.
//
// The contexts share all other elements, so their restaurants are found together and cached by these elements. The cache is
// a tree whose nodes have, for every first element, the deepest restaurant and the back-off weights on the way up from it.
// If the first restaurant of a context has never served the dish, then no restaurant below it has, and only the weight is
// needed. First elements may belong to groups, such as tags to kinds of tags; a context then begins with the group of its
// first element. The results are bitwise equal to those of `Frozen::probability_on_path`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "hpyp/frozen.hpp"

namespace bistro {

class Fan {
public:
    // First elements are 0 to `width` - 1. `groups` has the group of each, or is empty. The cache is cleared once it has
    // exceeded `most_bytes`.
    Fan(const Frozen& frozen, std::int32_t width, std::vector<std::int32_t> groups = {},
        std::size_t most_bytes = std::size_t{1} << 24)
        : frozen_(frozen), width_(static_cast<std::size_t>(width)), groups_(std::move(groups)), most_bytes_(most_bytes) {}

    // Writes p(dish | v, the rest of the context) for every v to `out`. `context(k)` is called for k from 1 (with groups,
    // from 2) to `length` - 1.
    template <class Context>
    void probabilities(std::uint32_t dish, const Context& context, int length, double* out) {
        if (nodes_.empty() || bytes() > most_bytes_) forget();
        if (dish != dish_) take(dish);
        const std::size_t row = nodes_[descend(context, length)].row * width_;
        for (std::size_t v = 0; v < width_; ++v) out[v] = weights_[row + v] * root_weight_ * by_all_;
        for (const std::uint32_t v : served_by_) out[v] = serve(deepest_[row + v]);
    }

private:
    // A restaurant whose context begins with `first`. `above` is the place of the restaurant above it, or kNone.
    struct Place {
        std::uint32_t first, restaurant, above;
    };
    // The places for one rest of a context (the elements after the first), without the places of shorter rests. A node
    // without places has no row.
    struct Node {
        std::uint32_t parent, element, begin, end, row;
        std::uint64_t key() const { return pair_key(parent, element); }
        bool is_empty() const { return begin == end; }
    };

    void forget() {
        nodes_.clear(), places_.clear(), weights_.clear(), deepest_.clear();
        index_ = PairIndex();
        weights_.assign(width_, 1.0);
        deepest_.assign(width_, kNone);
        nodes_.push_back({kNone, kNone, 0, 0, 0});
        std::vector<std::uint32_t> above(width_, 0), group(width_, kNone);  // restaurants and places of the groups
        for (std::uint32_t v = 0; v < groups_.size(); ++v) {
            above[v] = frozen_.child(0, static_cast<std::uint32_t>(groups_[v]));
            if (above[v] == kNone) continue;
            group[v] = static_cast<std::uint32_t>(places_.size());
            add({v, above[v], kNone}, 0);
        }
        nodes_[0].begin = static_cast<std::uint32_t>(places_.size());
        for (std::uint32_t v = 0; v < width_; ++v)
            if (const std::uint32_t restaurant = above[v] == kNone ? kNone : frozen_.child(above[v], v); restaurant != kNone)
                add({v, restaurant, group[v]}, 0);
        nodes_[0].end = static_cast<std::uint32_t>(places_.size());
        index_.insert_last(nodes_);
        dish_ = kNone;
    }

    std::size_t bytes() const {
        return weights_.size() * (sizeof(double) + sizeof(std::uint32_t)) + places_.size() * sizeof(Place) +
               nodes_.size() * sizeof(Node);
    }

    // Stores the place in a row. Weights are multiplied from the deepest restaurant up, as in a query.
    void add(const Place& place, std::size_t row) {
        double weight = frozen_.backoff[place.restaurant];
        for (std::uint32_t at = place.above; at != kNone; at = places_[at].above) weight *= frozen_.backoff[places_[at].restaurant];
        weights_[row + place.first] = weight;
        deepest_[row + place.first] = static_cast<std::uint32_t>(places_.size());
        places_.push_back(place);
    }

    template <class Context>
    std::uint32_t descend(const Context& context, int length) {
        std::uint32_t node = 0;
        for (int k = groups_.empty() ? 1 : 2; k < length; ++k) {
            const auto element = static_cast<std::uint32_t>(context(k));
            std::uint32_t next = index_.find(pair_key(node, element), nodes_);
            if (next == kNone) next = grow(node, element);
            if (nodes_[next].is_empty()) break;
            node = next;
        }
        return node;
    }

    std::uint32_t grow(std::uint32_t parent, std::uint32_t element) {
        const Node above = nodes_[parent];
        Node node{parent, element, static_cast<std::uint32_t>(places_.size()), 0,
                  static_cast<std::uint32_t>(weights_.size() / width_)};
        for (std::uint32_t at = above.begin; at < above.end; ++at) {
            const std::uint32_t next = frozen_.child(places_[at].restaurant, element);
            if (next == kNone) continue;
            if (places_.size() == node.begin) copy_row(above.row * width_);
            add({places_[at].first, next, at}, node.row * width_);
        }
        node.end = static_cast<std::uint32_t>(places_.size());
        nodes_.push_back(node);
        index_.insert_last(nodes_);
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }

    void copy_row(std::size_t row) {
        for (std::size_t v = 0; v < width_; ++v) {
            weights_.push_back(weights_[row + v]);
            deepest_.push_back(deepest_[row + v]);
        }
    }

    void take(std::uint32_t dish) {
        dish_ = dish;
        const std::uint32_t entry = find(0);
        root_weight_ = entry != kNone ? 1.0 : frozen_.backoff[0];
        by_all_ = entry != kNone ? frozen_.probability[entry] : frozen_.base_probability(dish);
        served_by_.clear();
        const std::uint32_t begin = 0, end = groups_.empty() ? nodes_[0].end : nodes_[0].begin;  // range of the first restaurants
        for (std::uint32_t at = begin; at < end; ++at)
            if (find(places_[at].restaurant) != kNone) served_by_.push_back(places_[at].first);
    }

    std::uint32_t find(std::uint32_t restaurant) const {
        return find_in_region(frozen_.dish.data(), frozen_.entry_begin[restaurant], frozen_.entry_begin[restaurant + 1], dish_);
    }

    // The dish's probability in the deepest restaurant that has served it, times the weights of the restaurants below.
    double serve(std::uint32_t place) const {
        double weight = 1.0;
        for (;; place = places_[place].above) {
            const std::uint32_t entry = find(places_[place].restaurant);
            if (entry != kNone) return weight * frozen_.probability[entry];
            weight *= frozen_.backoff[places_[place].restaurant];
        }
    }

    const Frozen& frozen_;
    std::size_t width_;
    std::vector<std::int32_t> groups_;  // group of each first element, or empty
    std::size_t most_bytes_;
    std::vector<Node> nodes_;
    std::vector<Place> places_;
    PairIndex index_;
    std::vector<double> weights_;         // indexed by row and first element
    std::vector<std::uint32_t> deepest_;  // places, indexed by row and first element
    std::uint32_t dish_ = kNone;
    double root_weight_ = 1, by_all_ = 0;   // their product is the dish's probability in the empty context
    std::vector<std::uint32_t> served_by_;  // first elements whose restaurants have served the dish
};

}  // namespace bistro
