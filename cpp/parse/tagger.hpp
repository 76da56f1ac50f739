// A hidden Markov model of the states of words (tags, or tags with labels). It selects the few states of each word that are
// used in the chart.
//
//     p(words, states) = Π p(state_i | state_{i-1}) p(word_i | state_i, state_{i-1})
//
// Forward and backward sums give the probability of every state of every word. A known word has the states that it had in
// training. A word with a given tag or label has the states that agree with it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/arc_standard.hpp"

namespace bistro {

struct Tagger {
    const Frozen* states = nullptr;                         // context: the previous state
    const Frozen* words = nullptr;                          // context: the state, the previous state
    std::span<const std::int32_t> tag_of, label_of;         // by state; label -1 if states are tags
    std::span<const std::int32_t> state_begin, state_list;  // the states that each word had in training

    std::int32_t num_states() const { return static_cast<std::int32_t>(tag_of.size()); }

    using Weighted = std::vector<std::pair<std::int32_t, double>>;

    // The states of each word and their probabilities, most probable first.
    std::vector<Weighted> posteriors(const Sentence& s) const {
        const std::size_t n = s.words.size();
        std::vector<std::vector<std::int32_t>> candidates;
        for (std::int32_t at = 1; at <= s.size(); ++at) candidates.push_back(possible(s, at));
        std::vector<std::vector<double>> step(n), forward(n), backward(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<std::int32_t> start{num_states()};
            const auto& before = i == 0 ? start : candidates[i - 1];
            steps(before, candidates[i], s.words[i], step[i]);
            forward[i].assign(candidates[i].size(), 0.0);
            for (std::size_t p = 0; p < before.size(); ++p)
                for (std::size_t c = 0; c < candidates[i].size(); ++c)
                    forward[i][c] += (i == 0 ? 1.0 : forward[i - 1][p]) * step[i][p * candidates[i].size() + c];
            normalise(forward[i]);
        }
        std::vector<Weighted> out(n);
        backward[n - 1].assign(candidates[n - 1].size(), 1.0);
        for (std::size_t i = n; i-- > 0;) {
            if (i + 1 < n) {
                backward[i].assign(candidates[i].size(), 0.0);
                for (std::size_t p = 0; p < candidates[i].size(); ++p)
                    for (std::size_t c = 0; c < candidates[i + 1].size(); ++c)
                        backward[i][p] += step[i + 1][p * candidates[i + 1].size() + c] * backward[i + 1][c];
                normalise(backward[i]);
            }
            std::vector<double> both(candidates[i].size());
            for (std::size_t c = 0; c < both.size(); ++c) both[c] = forward[i][c] * backward[i][c];
            normalise(both);
            for (std::size_t c = 0; c < both.size(); ++c) out[i].emplace_back(candidates[i][c], both[c]);
            std::sort(out[i].begin(), out[i].end(),
                      [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
        }
        return out;
    }

private:
    bool agrees(const Sentence& s, std::int32_t at, std::int32_t state) const {
        const std::int32_t tag = s.given_tag(at), label = s.given_label(at);
        return (tag < 0 || tag == tag_of[state]) && (label < 0 || label_of[state] < 0 || label == label_of[state]);
    }

    // The word's states that agree with the given tag and label, or else all states that agree, or else all states.
    std::vector<std::int32_t> possible(const Sentence& s, std::int32_t at) const {
        const std::int32_t word = s.words[at - 1];
        std::vector<std::int32_t> found;
        for (std::int32_t i = state_begin[word]; i < state_begin[word + 1]; ++i)
            if (agrees(s, at, state_list[i])) found.push_back(state_list[i]);
        if (!found.empty()) return found;
        for (std::int32_t state = 0; state < num_states(); ++state)
            if (agrees(s, at, state)) found.push_back(state);
        if (!found.empty()) return found;
        found.resize(tag_of.size());
        std::iota(found.begin(), found.end(), 0);
        return found;
    }

    // p(state | before) p(word | state, before), by [before][state].
    void steps(const std::vector<std::int32_t>& before, const std::vector<std::int32_t>& now, std::int32_t word,
               std::vector<double>& out) const {
        out.clear();
        std::array<std::uint32_t, 3> path;
        for (const std::int32_t previous : before) {
            const int depth = states->descend([&](int) { return previous; }, 1, path.data());
            for (const std::int32_t state : now)
                out.push_back(states->probability_on_path(path.data(), depth, static_cast<std::uint32_t>(state)));
            for (std::size_t c = 0; c < now.size(); ++c) {
                const int reached = words->descend([&](int k) { return k == 0 ? now[c] : previous; }, 2, path.data());
                out[out.size() - now.size() + c] *=
                    words->probability_on_path(path.data(), reached, static_cast<std::uint32_t>(word));
            }
        }
    }

    static void normalise(std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        for (double& v : values) v /= sum;
    }
};

}  // namespace bistro
