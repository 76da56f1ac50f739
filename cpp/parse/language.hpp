// The transition model as a language model: probabilities of prefixes, word by word, and sentences drawn from it.
//
// The probability of a prefix is the sum over all derivations that have generated it. A deterministic search gives the part of
// the sum that it kept, a lower bound; sequential Monte Carlo gives an unbiased estimate.
//
// The surprisal of a word falls into two parts: with D the derivations (tag of the word included), q(D) their posterior after the
// word and p(D) their prior before it,   -log p(word) = E_q[-log p(word | D)] + KL(q || p),   lexical plus syntactic.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "parse/search.hpp"

namespace bistro {

struct PrefixFigures {
    double log_prefix;  // of the words so far
    double lexical;     // mean of -log p(last word | tag, context) over the derivations that have generated it, in nats
    double entropy;     // of those derivations, in nats
};

namespace detail {

inline double log_add_up(const std::vector<double>& logs) {
    double highest = -INFINITY, sum = 0;
    for (const double x : logs) highest = std::max(highest, x);
    if (highest == -INFINITY) return highest;
    for (const double x : logs) sum += std::exp(x - highest);
    return highest + std::log(sum);
}

}  // namespace detail

inline PrefixFigures figures_of(const std::vector<double>& log_weights, const std::vector<Derivation>& derivations) {
    PrefixFigures figures{detail::log_add_up(log_weights), 0, 0};
    for (std::size_t i = 0; i < log_weights.size(); ++i) {
        const double log_q = log_weights[i] - figures.log_prefix, q = std::exp(log_q);
        if (!(q > 0)) continue;
        figures.entropy -= q * log_q;
        figures.lexical -= q * std::log(derivations[i].last_word);
    }
    return figures;
}

// One row a word, and one for the end of the sentence.
template <class Franchise, class Policy>
std::vector<PrefixFigures> prefix_figures(const TransitionModel<Franchise>& model, Policy policy, SearchOptions options,
                                          const Sentence& sentence) {
    Search<Franchise, Policy> search(model, policy, options);
    std::vector<PrefixFigures> rows;
    auto weights = [&](const std::vector<Derivation>& derivations) {
        std::vector<double> logs;
        for (const Derivation& d : derivations) {
            if constexpr (Policy::draws)
                logs.push_back(search.policy().log_evidence + d.log_importance +
                               std::log(static_cast<double>(d.particles) / static_cast<double>(search.policy().budget)));
            else
                logs.push_back(d.log_weight);
        }
        return logs;
    };
    const auto& finals = search.run(sentence, nullptr, [&](const std::vector<Derivation>& derivations) {
        rows.push_back(figures_of(weights(derivations), derivations));
    });
    rows.push_back(figures_of(weights(finals), finals));
    rows.back().lexical = 0;  // no word is generated at the end
    return rows;
}

// --- generation -----------------------------------------------------------------------------------------------------------

struct Generated {
    std::vector<std::int32_t> words, tags, heads, labels;
    bool complete = false;  // false if the limit came before the end
};

template <class Franchise>
class Generator {
public:
    Generator(const TransitionModel<Franchise>& model, Stream& rng) : model_(model), rng_(rng) {}

    Generated sentence(std::int32_t most_words) {
        States states;
        Generated out;
        std::uint32_t id = start(model_.system, states);
        while (!is_final(model_.system, states, id)) {
            const Choices possible = choices(model_.system, states, id);
            observe(states, id, model_.system.symbols, out.words, elements_);
            const bool joint = model_.code().arc_labels > 1;
            const ActionProbabilities p = model_.action_probabilities(possible, elements_, joint ? &outcomes_ : nullptr);
            const std::array<double, 4> shares{p.shift, p.left_arc, p.right_arc, p.end};
            switch (static_cast<Action>(DrawingPolicy{1, &rng_}.draw(shares, 1.0))) {
                case Action::shift:
                    if (static_cast<std::int32_t>(out.words.size()) >= most_words) return out;
                    id = generate(states, id, out);
                    break;
                case Action::left_arc: id = arc(states, id, Action::left_arc, out); break;
                case Action::right_arc: id = arc(states, id, Action::right_arc, out); break;
                default: id = end(model_.system, states, id);
            }
        }
        out.complete = true;
        return out;
    }

private:
    std::int32_t draw_from(const Predictor<Franchise>& predictor) {
        Path path;
        const int depth = predictor.descend(elements_, path);
        return static_cast<std::int32_t>(predictor.franchise->sample(path.data(), depth, rng_));
    }

    std::uint32_t generate(States& states, std::uint32_t id, Generated& out) {
        const std::int32_t tag = draw_from(model_.tags);
        elements_[kNextTag] = tag;
        const std::int32_t word = model_.lexicalised ? draw_from(model_.words) : 0;
        out.words.push_back(word), out.tags.push_back(tag), out.heads.push_back(-1), out.labels.push_back(-1);
        return shift(model_.system, states, id, tag, word);
    }

    std::uint32_t arc(States& states, std::uint32_t id, Action action, Generated& out) {
        std::int32_t label = 0;
        if (model_.labelled) {
            model_.label_probabilities(action, elements_, labels_);
            label = static_cast<std::int32_t>(DrawingPolicy{1, &rng_}.draw(labels_, 1.0));
        }
        const auto l = static_cast<std::int16_t>(label);
        id = action == Action::left_arc ? left_arc(states, id, l, false) : right_arc(states, id, l, false);
        const State& made = states[id];
        out.heads[made.dependent - 1] = known_position(model_.system, made);
        if (model_.labelled) out.labels[made.dependent - 1] = label;
        return id;
    }

    const TransitionModel<Franchise>& model_;
    Stream& rng_;
    Elements elements_{};
    std::vector<double> outcomes_, labels_;
};

}  // namespace bistro
