// The features of a candidate in a stacked decision, hashed into one table of weights.
//
// A feature is a name with the values of its parts. The features of a vote have a value, the vote's log-probability, so
// that their weights determine the influence of a voter, in general and for each tag, label or distance.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/view.hpp"

namespace bistro::stack {

struct Feature {
    std::uint32_t place;
    float value;
};
using Features = std::vector<Feature>;

// In a training step, a share of the features is dropped by their index, so that the same features are dropped for all
// candidates of a word. The others are scaled up.
class Dropout {
public:
    explicit Dropout(double share = 0, std::uint64_t seed = 0)
        : limit_(static_cast<std::uint64_t>(share * 0x1p32)), scale_(static_cast<float>(1 / (1 - share))), seed_(seed) {}

    void next_step() { step_ = mixed(seed_ + ++steps_); }
    bool leaves_out(std::size_t feature) const { return limit_ && (mixed(step_ + feature) >> 32) < limit_; }
    float scale() const { return scale_; }

private:
    // The finalizer of SplitMix64.
    static std::uint64_t mixed(std::uint64_t x) {
        x += 0x9E3779B97F4A7C15ULL;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
        return x ^ (x >> 31);
    }

    std::uint64_t limit_;
    float scale_;
    std::uint64_t seed_, steps_ = 0, step_ = 0;
};

class Collector {
public:
    explicit Collector(int bits) : shift_(64 - bits) {}
    void begin() { features_.clear(); }
    const Features& features() const { return features_; }

    template <class... Parts>
    void add(int name, Parts... parts) {
        push(name, kIndicator, parts...);
    }

    template <class... Parts>
    void vote(int name, double value, Parts... parts) {
        push(name, static_cast<float>(value), parts...);
    }

    // A feature whose parts are the values of some elements.
    template <class Values, class Elements>
    void add_all(std::int64_t name, double scale, const Values& values, const Elements& elements) {
        push_all(name, static_cast<float>(kIndicator * scale), values, elements);
    }

    template <class Values, class Elements>
    void vote_all(std::int64_t name, double x, const Values& values, const Elements& elements) {
        push_all(name, static_cast<float>(x), values, elements);
    }

private:
    static constexpr float kIndicator = 0.5F;

    static std::uint64_t mixed(std::uint64_t h, std::int64_t part) {
        h = (h ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15ULL;
        return h ^ (h >> 29);
    }

    template <class... Parts>
    void push(std::int64_t name, float value, Parts... parts) {
        std::uint64_t h = mixed(0, name);
        ((h = mixed(h, static_cast<std::int64_t>(parts))), ...);
        features_.push_back({static_cast<std::uint32_t>(h >> shift_), value});
    }

    template <class Values, class Elements>
    void push_all(std::int64_t name, float value, const Values& values, const Elements& elements) {
        std::uint64_t h = mixed(0, name);
        for (const auto element : elements) h = mixed(h, values.value(element));
        features_.push_back({static_cast<std::uint32_t>(h >> shift_), value});
    }

    int shift_;
    Features features_;
};

// One candidate of a word: its value, its companion, the votes for it (the last is the mixture), and the voters whose first
// choice it is, as bits.
struct Candidate {
    int word;
    std::int32_t what, with;
    std::span<const float> votes;
    std::int64_t first_of;
};

// 0 for votes below a thousandth, 3 for a vote of 1.
inline double strength(float vote) { return 3 * (std::log(std::max(static_cast<double>(vote), 1e-3)) / std::log(1e3) + 1); }

inline int distance_class(int d) {
    const int a = std::abs(d);
    const int c = a <= 5 ? a : a <= 7 ? 6 : a <= 10 ? 7 : a <= 15 ? 8 : a <= 25 ? 9 : 10;
    return d < 0 ? c + 16 : c;
}

// Position of a head relative to the word: distance class (40: the root) and side (0: after, 1: before, 2: the root).
struct Way {
    int distance, side;
    Way(int word, int head) : distance(head == 0 ? 40 : distance_class(word - head)), side(head == 0 ? 2 : head < word) {}
};

// The candidate is a head. Its companion is the most probable label of the arc.
inline void head_features(const View& v, const Candidate& c, Collector& out) {
    const int i = c.word, h = c.what;
    const std::int64_t ti = v.tag(i), th = v.tag(h), wi = v.form(i, kLower), wh = v.form(h, kLower), lb = c.with, pat = c.first_of;
    const Way way(i, h);
    const int d = way.distance, s = way.side;
    const std::int64_t before = v.tag(i - 1), after = v.tag(i + 1), before_h = h ? v.tag(h - 1) : -5,
                       after_h = h ? v.tag(h + 1) : -5;
    const int bi = v.with_tag_between(i, h, ti), bh = v.with_tag_between(i, h, th), bp = v.punctuation_between(i, h);
    const std::int64_t grand = v.tag_of_head(h), hl = v.label(h);
    const int same = v.with_label(h, lb, i);
    out.add(1, pat), out.add(2, pat, ti), out.add(3, pat, d), out.add(4, pat, ti, th), out.add(5, pat, lb), out.add(6, pat, bp, bh);
    out.add(7, ti, th, d), out.add(8, ti, th, s, before, after_h), out.add(9, ti, th, s, after, before_h);
    out.add(10, ti, th, s, before, before_h), out.add(11, ti, th, s, after, after_h);
    out.add(12, wi, th, s), out.add(13, wh, ti, s), out.add(14, wi, wh, s), out.add(15, wi, d), out.add(16, wh, d);
    out.add(17, lb, ti, th, s), out.add(18, lb, wi, s), out.add(19, lb, wh, s), out.add(20, lb, wi, wh);
    out.add(21, ti, th, s, bi, bh), out.add(22, ti, th, s, bp);
    out.add(23, grand, th, ti, s), out.add(24, hl, th, ti, s), out.add(25, hl, lb, th), out.add(26, lb, same, th),
        out.add(27, lb, same, wh);
    out.add(28, v.head(h) == i, ti, th), out.add(29, th, s, std::min(v.left_children(h), 3), std::min(v.right_children(h), 3), lb);
    out.add(30, v.head(i) == h, ti);
    out.add(31, v.leftmost(i), v.rightmost(i), ti, th, s), out.add(32, v.leftmost(h), v.rightmost(h), ti, th, s);
    out.add(33, v.form(i, kSuffix3), th, s), out.add(34, v.form(h, kSuffix3), ti, s), out.add(35, wi, grand, th);
    out.add(36, wi, v.form(i + 1, kLower), s, th), out.add(37, wi, v.form(i - 1, kLower), s, th);
    for (std::size_t m = 0; m < c.votes.size(); ++m) {
        const double x = strength(c.votes[m]);
        const int name = 100 + 8 * static_cast<int>(m);
        out.vote(name, x), out.vote(name + 1, x, ti), out.vote(name + 2, x, d), out.vote(name + 3, x, lb),
            out.vote(name + 4, x, th, s);
    }
}

// The candidate is a label. Its companion is the head.
inline void label_features(const View& v, const Candidate& c, Collector& out) {
    const int i = c.word, h = c.with;
    const std::int64_t lb = c.what, ti = v.tag(i), th = v.tag(h), wi = v.form(i, kLower), wh = v.form(h, kLower), pat = c.first_of;
    const Way way(i, h);
    const int d = way.distance, s = way.side, same = v.with_label(h, lb, i);
    out.add(401, lb, ti, th, s), out.add(402, lb, wi, th, s), out.add(403, lb, wh, ti, s), out.add(404, lb, wi, wh),
        out.add(405, lb, wi);
    out.add(406, lb, d, ti), out.add(407, lb, v.leftmost(i), v.rightmost(i), ti), out.add(408, lb, v.form(i, kSuffix3), ti, s);
    out.add(409, lb, v.tag(i - 1), ti, th), out.add(410, lb, v.tag(i + 1), ti, th), out.add(411, lb, v.form(i - 1, kLower), ti);
    out.add(412, lb, v.label(h), th, ti), out.add(413, lb, same, th), out.add(414, lb, same, wh), out.add(415, lb, pat),
        out.add(416, lb, pat, ti);
    out.add(417, lb, v.form(h, kSuffix3), ti, s), out.add(418, lb, wi, v.leftmost(i));
    out.add(419, lb, std::min(v.left_children(h), 3), std::min(v.right_children(h), 3), th, s), out.add(420, lb, wi, ti, s);
    for (std::size_t m = 0; m < c.votes.size(); ++m) {
        const double x = strength(c.votes[m]);
        const int name = 500 + 8 * static_cast<int>(m);
        out.vote(name, x), out.vote(name + 1, x, lb), out.vote(name + 2, x, ti);
    }
}

// The candidate is a tag.
inline void tag_features(const View& v, const Candidate& c, Collector& out) {
    const int i = c.word;
    const std::int64_t t = c.what, w = v.form(i, kLower), lb = v.label(i), pat = c.first_of;
    const std::int64_t before = v.tag(i - 1), after = v.tag(i + 1), w_before = v.form(i - 1, kLower),
                       w_after = v.form(i + 1, kLower);
    for (int what = kWritten; what <= kShape; ++what) out.add(201 + what, t, v.form(i, static_cast<Form>(what)));
    out.add(208, t, before), out.add(209, t, after), out.add(210, t, before, after), out.add(211, t, before, v.tag(i - 2));
    out.add(212, t, after, v.tag(i + 2)), out.add(213, t, w_before), out.add(214, t, w_after), out.add(215, t, w, w_before);
    out.add(216, t, w, w_after), out.add(217, t, w, before), out.add(218, t, w, after), out.add(219, t, v.tag_of_head(i), lb);
    out.add(220, t, w, lb), out.add(221, t, lb), out.add(222, t, v.form(v.head(i), kLower), lb),
        out.add(223, t, v.leftmost(i), v.rightmost(i));
    out.add(224, t, w, v.tag_of_head(i)), out.add(225, t, v.form(i, kSuffix3), before), out.add(226, t, v.form(i, kSuffix3), after);
    out.add(227, t, pat), out.add(228, t, pat, w), out.add(229, t, v.form(i, kShape), i == 1),
        out.add(230, t, v.form(i, kSuffix3), lb);
    out.add(231, t, v.form(i - 2, kLower)), out.add(232, t, v.form(i + 2, kLower)), out.add(233, t, w_before, w_after);
    for (std::size_t m = 0; m < c.votes.size(); ++m) {
        const double x = strength(c.votes[m]);
        const int name = 300 + 4 * static_cast<int>(m);
        out.vote(name, x), out.vote(name + 1, x, t), out.vote(name + 2, x, w);
    }
}

}  // namespace bistro::stack
