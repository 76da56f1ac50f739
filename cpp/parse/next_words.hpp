// Predictions after the first words of a sentence: the probability of every next word, of its tags, and of the end.
//
// The derivations of the first words are extended until they are about to generate another word. Their predictions, p(tag)
// p(word | tag), are summed over all tags instead of drawn, so one run of particles gives the probabilities of all words.
// Many derivations look the same to the contexts of tags and words. They are merged, and their weights are added.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hpyp/frozen.hpp"
#include "parse/language.hpp"
#include "stop/pause.hpp"

namespace bistro {

// A weighted sum of distributions of one franchise.
//
// A restaurant predicts x by its own entry, or by its back-off weight times the prediction of the restaurant above it. So
// the weight of a restaurant, times its back-off weight, is added to the restaurant above, and the entries contribute the
// difference. This takes one step per entry of the visited restaurants, however many contexts lead to them.
class MixedDistribution {
public:
    explicit MixedDistribution(const Frozen& franchise) : franchise_(franchise) {}

    void add(const std::uint32_t* path, int depth, double weight) {
        for (int k = 0; k <= depth; ++k) {
            if (levels_.size() <= static_cast<std::size_t>(k)) levels_.resize(static_cast<std::size_t>(k) + 1);
            levels_[static_cast<std::size_t>(k)].try_emplace(path[k], Place{k > 0 ? path[k - 1] : kNone, 0.0});
        }
        levels_[static_cast<std::size_t>(depth)][path[depth]].weight += weight;
    }

    // Adds the weighted sum to `out`, and removes all distributions.
    void sum_up(double* out) {
        for (std::size_t level = levels_.size(); level-- > 0;)
            for (const auto& [restaurant, place] : levels_[level]) {
                const double passed = place.weight * franchise_.backoff[restaurant];
                for (auto e = franchise_.entry_begin[restaurant]; e < franchise_.entry_begin[restaurant + 1]; ++e) {
                    const std::uint32_t x = franchise_.dish[e];
                    if (x != kNone) out[x] += place.weight * franchise_.probability[e] - passed * above(level, place.above, x);
                }
                if (level > 0)
                    levels_[level - 1][place.above].weight += passed;
                else
                    for (std::int32_t x = 0; x < franchise_.dishes; ++x)
                        out[x] += passed * franchise_.base_probability(static_cast<std::uint32_t>(x));
            }
        levels_.clear();
        // Rounding must not make a probability negative.
        for (std::int32_t x = 0; x < franchise_.dishes; ++x) out[x] = std::max(out[x], 0.0);
    }

private:
    struct Place {
        std::uint32_t above = kNone;
        double weight = 0;
    };

    // p(x) in a restaurant one level above `level`, or in the base distribution if `level` is 0.
    double above(std::size_t level, std::uint32_t restaurant, std::uint32_t x) const {
        double weight = 1;
        while (level-- > 0) {
            const std::uint32_t entry = find_in_region(franchise_.dish.data(), franchise_.entry_begin[restaurant],
                                                       franchise_.entry_begin[restaurant + 1], x);
            if (entry != kNone) return weight * franchise_.probability[entry];
            weight *= franchise_.backoff[restaurant];
            restaurant = levels_[level].at(restaurant).above;
        }
        return weight * franchise_.base_probability(x);
    }

    const Frozen& franchise_;
    std::vector<std::map<std::uint32_t, Place>> levels_;  // by level and restaurant; sorted, so that sums do not depend on hashing
};

// The results of one run or one search. Weights are shares of the probability of the first words.
class NextWords {
public:
    explicit NextWords(const TransitionModel<Frozen>& model) : model_(&model) {
        for (const ContextList* list : {&model.tags.contexts, &model.words.contexts})
            for (const std::uint8_t e : *list)
                if (!is_of_next_tag(e) && std::find(used_.begin(), used_.end(), e) == used_.end()) used_.push_back(e);
    }

    double log_prefix = 0;  // of the first words
    double end = 0;         // p(end | first words)

    void add(const Elements& elements, double weight) {
        std::vector<std::int32_t> key;
        for (const std::uint8_t e : used_) key.push_back(elements[e]);
        const auto [known, is_new] = index_.try_emplace(std::move(key), open_.size());
        if (is_new) open_.emplace_back(elements, 0.0);
        open_[known->second].second += weight;
    }

    // Adds p(word) of all words to `out`.
    void words(double* out) const {
        MixedDistribution sum(*model_->words.franchise);
        each_tag([&](Elements& elements, std::int32_t, double weight) {
            Path path;
            sum.add(path.data(), model_->words.descend(elements, path), weight);
        });
        sum.sum_up(out);
    }

    // Adds p(tag, word) of some words to `out`, one row of tags per word.
    void tags_of(std::span<const std::int32_t> words, double* out) const {
        const auto tags = static_cast<std::size_t>(model_->system.symbols.tags);
        each_tag([&](Elements& elements, std::int32_t tag, double weight) {
            Path path;
            const int depth = model_->words.descend(elements, path);
            for (std::size_t i = 0; i < words.size(); ++i)
                out[i * tags + static_cast<std::size_t>(tag)] +=
                    weight * model_->words.franchise->probability_on_path(path.data(), depth, static_cast<std::uint32_t>(words[i]));
        });
    }

private:
    template <class Use>
    void each_tag(const Use& use) const {
        std::vector<double> of_tags(static_cast<std::size_t>(model_->system.symbols.tags));
        for (const auto& [seen, weight] : open_) {
            pause();
            Elements elements = seen;
            Path path;
            model_->tags.franchise->distribution(path.data(), model_->tags.descend(elements, path), of_tags.data());
            for (std::size_t tag = 0; tag < of_tags.size(); ++tag) {
                if (!(of_tags[tag] > 0)) continue;
                set_next_tag(model_->system.symbols, static_cast<std::int32_t>(tag), elements);
                use(elements, static_cast<std::int32_t>(tag), weight * of_tags[tag]);
            }
        }
    }

    const TransitionModel<Frozen>* model_;
    std::vector<std::uint8_t> used_;  // the elements in the contexts of tags and words
    std::map<std::vector<std::int32_t>, std::size_t> index_;
    std::vector<std::pair<Elements, double>> open_;
};

// Predicts the continuation of the first words of a sentence. There may be none.
template <class Policy>
NextWords next_words(Search<Frozen, Policy>& search, Policy policy, const TransitionModel<Frozen>& model, const Sentence& first) {
    std::vector<std::int32_t> words(first.words.begin(), first.words.end()), spelled(first.spelled.begin(), first.spelled.end());
    words.push_back(0);
    if (!spelled.empty()) spelled.push_back(-1);
    Sentence longer = first;
    longer.words = words, longer.spelled = spelled;
    longer.prepare();
    NextWords found(model);
    search.restart(policy);
    auto share_of = [&](const Derivation& d) { return std::exp(contributions(search.policy(), {d})[0] - found.log_prefix); };
    const auto& ends = search.run_open(
        first, longer,
        [&](const std::vector<Derivation>& derivations) {
            found.log_prefix = detail::log_add_up(contributions(search.policy(), derivations));
        },
        [&](const Derivation& d, const Elements& elements) { found.add(elements, share_of(d)); });
    for (const Derivation& d : ends) found.end += share_of(d);
    return found;
}

}  // namespace bistro
