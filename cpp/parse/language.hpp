// The transition model as a language model: probabilities of prefixes, word by word, and sentences drawn from it.
//
// The probability of a prefix is the sum over all derivations that have generated it. A deterministic search gives a lower
// bound, the sum over the derivations that it kept. Sequential Monte Carlo gives an unbiased estimate.
//
// The surprisal of a word has a lexical and a syntactic part. If D are the derivations (including the tag of the word),
// q(D) is their posterior after the word, and p(D) their prior before it, then
//
//     -log p(word) = E_q[-log p(word | D)] + KL(q || p)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "parse/search.hpp"
#include "stop/pause.hpp"

namespace bistro {

// Means are over the derivations that have generated the last word, weighted by their share of the prefix. Their entropy is
// log_prefix - log_joint. The first term includes derivations that were not visited, so the entropy may exceed the
// logarithm of the number of particles.
struct PrefixFigures {
    double log_prefix;  // log-probability of the words so far
    double lexical;     // mean of -log p(last word | tag, context), in nats
    double log_joint;   // mean of log p(derivation, words so far)
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
        const double q = std::exp(log_weights[i] - figures.log_prefix);
        if (!(q > 0)) continue;
        figures.log_joint += q * derivations[i].log_weight;
        figures.lexical -= q * std::log(derivations[i].last_word);
    }
    return figures;
}

// The logarithm of each derivation's contribution to the estimate of the prefix.
template <class Policy>
std::vector<double> contributions(const Policy& policy, const std::vector<Derivation>& derivations) {
    std::vector<double> logs;
    for (const Derivation& d : derivations) {
        if constexpr (Policy::draws)
            logs.push_back(policy.log_evidence + d.log_importance +
                           std::log(static_cast<double>(d.particles) / static_cast<double>(policy.budget)));
        else
            logs.push_back(d.log_weight);
    }
    return logs;
}

// One row per word, and one for the end of the sentence. `watch` is called with the derivations of each row.
template <class Franchise, class Policy, class Watch>
std::vector<PrefixFigures> prefix_figures(Search<Franchise, Policy>& search, Policy policy, const Sentence& sentence,
                                          const Watch& watch) {
    search.restart(policy);
    std::vector<PrefixFigures> rows;
    auto add = [&](const std::vector<Derivation>& derivations) {
        rows.push_back(figures_of(contributions(search.policy(), derivations), derivations));
        watch(derivations);
    };
    add(search.run(sentence, nullptr, add));
    rows.back().lexical = 0;  // no word is generated at the end
    return rows;
}
template <class Franchise, class Policy>
std::vector<PrefixFigures> prefix_figures(Search<Franchise, Policy>& search, Policy policy, const Sentence& sentence) {
    return prefix_figures(search, policy, sentence, [](const std::vector<Derivation>&) {});
}

// --- generation -----------------------------------------------------------------------------------------------------------

struct Generated {
    std::vector<std::int32_t> words, tags, heads, labels;
    bool complete = false;  // false if the limit was reached before the end
};

// The beginning of a sentence, and the temperature of its continuation: draws are from p^(1 / temperature), normalised. The
// derivation of the beginning is drawn by a search with `particles` particles.
struct GenerateOptions {
    std::int32_t most_words = 250;
    double temperature = 1;
    Sentence prefix;
    std::int64_t particles = 200;
};

template <class Franchise>
class Generator {
public:
    Generator(const TransitionModel<Franchise>& model, Stream& rng, const GenerateOptions& options)
        : model_(model), rng_(rng), options_(options) {}

    Generated sentence() {
        Generated out;
        std::uint32_t id = options_.prefix.words.empty() ? start(model_.system, states_) : begin_with_prefix(out);
        while (!is_final(model_.system, states_, id)) {
            pause();
            const Choices possible = choices(model_.system, states_, id);
            observe(states_, id, model_.system.symbols, out.words, elements_);
            const double factor = model_.pace.factor(states_[id].shifted);
            const ActionProbabilities p =
                model_.action_probabilities(possible, factor, [&] { return distribution(model_.actions); });
            outcomes_.assign({p.shift, p.left_arc, p.right_arc, p.end});
            switch (static_cast<Action>(draw(outcomes_))) {
                case Action::shift:
                    if (static_cast<std::int32_t>(out.words.size()) >= options_.most_words) return out;
                    id = generate(id, out);
                    break;
                case Action::left_arc: id = arc(id, Action::left_arc, out); break;
                case Action::right_arc: id = arc(id, Action::right_arc, out); break;
                default: id = end(model_.system, states_, id);
            }
        }
        out.complete = true;
        return out;
    }

private:
    // Draws from the probabilities raised to the power of 1 / temperature. The argument may be overwritten.
    std::size_t draw(std::vector<double>& probabilities) {
        if (options_.temperature == 1) return bistro::draw(probabilities, rng_);
        const double highest = *std::max_element(probabilities.begin(), probabilities.end());
        for (double& p : probabilities) p = p > 0 ? std::pow(p / highest, 1 / options_.temperature) : 0;
        return bistro::draw(probabilities, rng_);
    }

    const double* distribution(const Predictor<Franchise>& predictor) {
        Path path;
        const int depth = predictor.descend(elements_, path);
        outcomes_.resize(static_cast<std::size_t>(predictor.franchise->dishes));
        predictor.franchise->distribution(path.data(), depth, outcomes_.data());
        return outcomes_.data();
    }

    std::int32_t draw_from(const Predictor<Franchise>& predictor) {
        if (options_.temperature == 1) {
            Path path;
            const int depth = predictor.descend(elements_, path);
            return static_cast<std::int32_t>(predictor.franchise->sample(path.data(), depth, rng_));
        }
        distribution(predictor);
        return static_cast<std::int32_t>(draw(outcomes_));
    }

    std::uint32_t generate(std::uint32_t id, Generated& out) {
        const std::int32_t tag = draw_from(model_.tags);
        set_next_tag(model_.system.symbols, tag, elements_);
        return shifted(id, tag, model_.lexicalised ? draw_from(model_.words) : 0, out);
    }

    std::uint32_t shifted(std::uint32_t id, std::int32_t tag, std::int32_t word, Generated& out) {
        out.words.push_back(word), out.tags.push_back(tag), out.heads.push_back(-1), out.labels.push_back(-1);
        return shift(model_.system, states_, id, tag, word);
    }

    std::uint32_t arc(std::uint32_t id, Action action, Generated& out) {
        std::int32_t label = 0;
        if (model_.labelled) {
            model_.label_probabilities(action, elements_, outcomes_);
            label = static_cast<std::int32_t>(draw(outcomes_));
        }
        return arced(id, action, label, out);
    }

    std::uint32_t arced(std::uint32_t id, Action action, std::int32_t label, Generated& out) {
        const auto l = static_cast<std::int16_t>(label);
        id = action == Action::left_arc ? left_arc(states_, id, l, false) : right_arc(states_, id, l, false);
        const State& made = states_[id];
        out.heads[made.dependent - 1] = known_position(model_.system, made);
        if (model_.labelled) out.labels[made.dependent - 1] = label;
        return id;
    }

    // Draws a derivation of the prefix and follows it. Labels that the derivation leaves open are drawn, too.
    std::uint32_t begin_with_prefix(Generated& out) {
        Sentence sentence = options_.prefix;
        sentence.prepare();
        SystematicPolicy policy{options_.particles, &rng_};
        Search<Franchise, SystematicPolicy> search(model_, policy, {1 << 14, 1 << 14, true, 1.0});
        std::uint32_t chosen = kNone;
        search.run(sentence, nullptr, [&](const std::vector<Derivation>& derivations) {
            std::vector<double> weights = contributions(search.policy(), derivations);
            const double sum = detail::log_add_up(weights);
            for (double& w : weights) w = std::exp(w - sum);
            chosen = derivations[bistro::draw(weights, rng_)].state;
        });
        std::vector<std::uint32_t> steps;
        for (std::uint32_t at = chosen; search.states()[at].action != Action::start; at = search.states()[at].previous)
            steps.push_back(at);
        std::uint32_t id = start(model_.system, states_);
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) id = follow(search.states()[*step], id, out);
        return id;
    }

    std::uint32_t follow(const State& step, std::uint32_t id, Generated& out) {
        if (step.action == Action::shift) return shifted(id, step.tag, step.word, out);
        if (model_.labels_in_contexts) return arced(id, step.action, step.label, out);
        observe(states_, id, model_.system.symbols, out.words, elements_);
        return arc(id, step.action, out);
    }

    const TransitionModel<Franchise>& model_;
    Stream& rng_;
    const GenerateOptions& options_;
    States states_;
    Elements elements_{};
    std::vector<double> outcomes_;
};

}  // namespace bistro
