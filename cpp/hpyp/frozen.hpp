// A franchise that no longer learns: flat, read-only arrays, queried without locks from any thread.
//
// Every entry keeps its whole interpolated probability and every restaurant its back-off weight, so
//
//     p(x | u) = p[deepest entry of x along u]  times the weights of the restaurants passed on the way there.
//
// The keys of one parent are adjacent: up to kLinear keys as a plain list, more keys as a small hash region with gaps
// (kNone). The children of a restaurant (context elements) and its entries (dishes) have the same layout. A child's number
// is its slot, so only the two arrays of offsets are needed as pointers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "hpyp/flat_map.hpp"
#include "hpyp/rng.hpp"

namespace bistro {

inline constexpr std::uint32_t kLinear = 8;

inline std::uint32_t region_size(std::size_t keys) {
    // Half empty, so that probes are short (a fuller region is smaller but 10 % slower) and every failed search meets a
    // gap.
    return static_cast<std::uint32_t>(keys <= kLinear ? keys : 2 * keys);
}

inline std::uint32_t region_start(std::uint32_t key, std::uint32_t size) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(key * 0x9E3779B1u) * size) >> 32);
}

inline std::uint32_t find_in_region(const std::uint32_t* keys, std::uint32_t begin, std::uint32_t end, std::uint32_t key) {
    const std::uint32_t size = end - begin;
    if (size <= kLinear) {
        for (std::uint32_t at = begin; at < end; ++at)
            if (keys[at] == key) return at;
        return kNone;
    }
    for (std::uint32_t at = begin + region_start(key, size);;) {
        if (keys[at] == key) return at;
        if (keys[at] == kNone) return kNone;
        if (++at == end) at = begin;
    }
}

struct Frozen {
    static constexpr bool single_precision = true;  // distributions sum to 1 up to about 1e-7

    std::span<const std::uint32_t> child_begin;  // offsets: one per restaurant that may have children, and the end
    std::span<const std::uint32_t> element;      // per restaurant: the context element that leads to it
    std::span<const std::uint32_t> entry_begin;  // offsets: one per restaurant, and the end
    std::span<const float> backoff;              // one per restaurant
    std::span<const std::uint32_t> dish;         // one per entry
    std::span<const float> probability;          // one per entry
    std::span<const double> base;                // one per dish; a single value for a uniform base
    std::int32_t dishes = 0;

    std::uint32_t child(std::uint32_t restaurant, std::uint32_t key) const {
        if (restaurant + 1 >= child_begin.size()) return kNone;
        return find_in_region(element.data(), child_begin[restaurant], child_begin[restaurant + 1], key);
    }

    double base_probability(std::uint32_t x) const {
        if (x >= static_cast<std::uint32_t>(dishes)) return 0.0;
        return base.size() == 1 ? base[0] : base[x];
    }

    // p(x) given the restaurants of its context, from depth 0 to the deepest that exists.
    double probability_on_path(const std::uint32_t* path, int depth, std::uint32_t x) const {
        double weight = 1.0;
        for (int k = depth; k >= 0; --k) {
            const std::uint32_t at = path[k];
            const std::uint32_t entry = find_in_region(dish.data(), entry_begin[at], entry_begin[at + 1], x);
            if (entry != kNone) return weight * probability[entry];
            weight *= backoff[at];
        }
        return weight * base_probability(x);
    }

    // Fills `path` with the restaurants of a context; returns the depth reached.
    template <class Context>
    int descend(const Context& context, int length, std::uint32_t* path) const {
        path[0] = 0;
        int depth = 0;
        while (depth < length) {
            const std::uint32_t next = child(path[depth], static_cast<std::uint32_t>(context(depth)));
            if (next == kNone) break;
            path[++depth] = next;
        }
        return depth;
    }

    // The whole distribution. Each value equals that of `probability_on_path`: it comes from the deepest restaurant that has
    // the dish. The dish `unasked` gets 0. Once all other dishes are found, the restaurants above are not visited.
    void distribution(const std::uint32_t* path, int depth, double* out, std::uint32_t unasked = kNone) const {
        constexpr double open = -1.0;
        std::fill_n(out, dishes, open);
        double weight = 1.0;
        std::int32_t left = dishes;
        if (unasked < static_cast<std::uint32_t>(dishes)) out[unasked] = 0, --left;
        for (int k = depth; k >= 0 && left > 0; --k) {
            const std::uint32_t at = path[k];
            for (std::uint32_t e = entry_begin[at]; e < entry_begin[at + 1]; ++e) {
                if (dish[e] == kNone || out[dish[e]] != open) continue;
                out[dish[e]] = weight * probability[e];
                --left;
            }
            weight *= backoff[at];
        }
        for (std::int32_t x = 0; x < dishes && left > 0; ++x)
            if (out[x] == open) out[x] = weight * base_probability(static_cast<std::uint32_t>(x));
    }

    // The distribution of a restaurant, given the distribution of its parent.
    void distribution_over(std::uint32_t restaurant, const double* above, std::span<double> out,
                           std::uint32_t unasked = kNone) const {
        for (std::size_t x = 0; x < out.size(); ++x) out[x] = backoff[restaurant] * above[x];
        for (std::uint32_t e = entry_begin[restaurant]; e < entry_begin[restaurant + 1]; ++e)
            if (dish[e] != kNone && dish[e] != unasked) out[dish[e]] = probability[e];
    }

    // Prefetch the memory of a restaurant's entries, in two steps, since the second step reads the offsets that the first step
    // prefetches.
    void prefetch_offsets(std::uint32_t restaurant) const { prefetch(&entry_begin[restaurant]), prefetch(&backoff[restaurant]); }
    void prefetch_entries(std::uint32_t restaurant) const {
        const std::uint32_t begin = entry_begin[restaurant];
        if (begin < entry_begin[restaurant + 1]) prefetch(dish.data() + begin), prefetch(probability.data() + begin);
    }

    void prefetch_entry(std::uint32_t restaurant, std::uint32_t x) const {
        const std::uint32_t begin = entry_begin[restaurant], size = entry_begin[restaurant + 1] - begin;
        if (size > 0) prefetch(dish.data() + begin + (size > kLinear ? region_start(x, size) : 0));
    }

    // The k most probable dishes among the dishes of the restaurants on the path, best first. Once there are k dishes, the
    // search stops at a level if the mass that remains for it is below `least`, or not above the probability of the k-th
    // dish. `seen` has one mark per dish; all marks must be 0 before, and are 0 afterwards.
    struct Ranked {
        double probability;
        std::uint32_t dish;
    };
    void most_probable(const std::uint32_t* path, int depth, std::size_t k, std::vector<std::uint8_t>& seen,
                       std::vector<Ranked>& out, double least = 0.0) const {
        const auto better = [](const Ranked& a, const Ranked& b) {
            return a.probability != b.probability ? a.probability > b.probability : a.dish < b.dish;
        };
        out.clear();
        double weight = 1.0;
        for (int level = depth; level >= 0; --level) {
            if (out.size() >= k) {
                if (weight < least) break;
                std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(k) - 1, out.end(), better);
                if (out[k - 1].probability >= weight) break;
            }
            const std::uint32_t at = path[level];
            for (std::uint32_t e = entry_begin[at]; e < entry_begin[at + 1]; ++e) {
                if (dish[e] == kNone || seen[dish[e]]) continue;
                seen[dish[e]] = 1;
                out.push_back({weight * probability[e], dish[e]});
            }
            weight *= backoff[at];
        }
        for (const Ranked& ranked : out) seen[ranked.dish] = 0;
        std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(k, out.size())), out.end(), better);
        if (out.size() > k) out.resize(k);
    }

    // Draws a dish: each level either yields one of its own dishes, by the mass above its parent's share, or defers to the
    // next level.
    std::uint32_t sample(const std::uint32_t* path, int depth, Stream& rng) const {
        for (int k = depth; k >= 0; --k) {
            const std::uint32_t at = path[k];
            double x = rng.uniform();
            for (std::uint32_t e = entry_begin[at]; e < entry_begin[at + 1]; ++e) {
                if (dish[e] == kNone) continue;
                const double below = k > 0 ? probability_on_path(path, k - 1, dish[e]) : base_probability(dish[e]);
                x -= std::max(0.0, static_cast<double>(probability[e]) - backoff[at] * below);
                if (x < 0) return dish[e];
            }
        }
        return sample_base(rng);
    }

    // Arrays may come from a file, so everything that queries rely on is checked once, in one pass.
    void validate() const {
        const std::size_t restaurants = element.size();
        const bool shapes = restaurants >= 1 && child_begin.size() >= 1 && child_begin.size() <= restaurants + 1 &&
                            entry_begin.size() == restaurants + 1 && backoff.size() == restaurants &&
                            probability.size() == dish.size() && dishes >= 1 &&
                            (base.size() == 1 || base.size() == static_cast<std::size_t>(dishes));
        if (!shapes) throw std::invalid_argument("the arrays of a frozen franchise do not match");
        validate_regions(child_begin, element, 1, kNone);
        validate_regions(entry_begin, dish, 0, static_cast<std::uint32_t>(dishes));
        if (!are_weights(backoff) || !are_weights(probability) || !are_weights(base))
            throw std::invalid_argument("the arrays of a frozen franchise are damaged");
    }

private:
    std::uint32_t sample_base(Stream& rng) const {
        if (base.size() == 1) return static_cast<std::uint32_t>(rng.below(dishes));
        double x = rng.uniform();
        for (std::int32_t d = 0; d < dishes; ++d)
            if ((x -= base[d]) < 0) return static_cast<std::uint32_t>(d);
        return static_cast<std::uint32_t>(dishes - 1);
    }

    // The loops below continue after a bad value. Without a branch they are vectorised, and they take most of the time of
    // loading a model.
    template <class Real>
    static bool are_weights(std::span<const Real> values) {
        unsigned bad = 0;
        for (const Real p : values) bad |= !(p >= 0) | !(p < std::numeric_limits<Real>::infinity());
        return bad == 0;
    }

    static void validate_regions(std::span<const std::uint32_t> begin, std::span<const std::uint32_t> keys, std::uint32_t first,
                                 std::uint32_t key_limit) {
        unsigned bad = begin.front() < first || begin.back() > keys.size();
        for (std::size_t i = 1; i < begin.size(); ++i) bad |= begin[i - 1] > begin[i];
        // From here on, all offsets are known to lie within the keys.
        if (bad == 0) {
            for (const std::uint32_t key : keys.subspan(begin.front(), begin.back() - begin.front()))
                bad |= (key >= key_limit) & (key != kNone);
            for (std::size_t i = 1; i < begin.size(); ++i)
                if (begin[i] - begin[i - 1] > kLinear)
                    bad |= std::find(keys.begin() + begin[i - 1], keys.begin() + begin[i], kNone) == keys.begin() + begin[i];
        }
        if (bad != 0) throw std::invalid_argument("the arrays of a frozen franchise are damaged");
    }
};

}  // namespace bistro
