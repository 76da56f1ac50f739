// The latent-variable parser as a language model: probabilities of prefixes, and random sentences.
//
// The probability of a prefix is the sum over all derivations that have generated it. The search gives a lower bound, the sum
// over the derivations that it found. Surprisal is divided into the two parts defined in parse/language.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "isbn/beam.hpp"
#include "isbn/sights.hpp"
#include "parse/language.hpp"
#include "stop/pause.hpp"

namespace bistro::isbn {

// One row per word, and one for the end of the sentence.
template <class Real>
std::vector<PrefixFigures> prefix_figures(Beam<Real>& beam, const Sentence& sentence) {
    std::vector<PrefixFigures> rows;
    auto sum_up = [&](const auto& derivations, const auto& log_prob, const auto& log_word) {
        std::vector<double> logs;
        for (const auto& d : derivations) logs.push_back(log_prob(d));
        PrefixFigures figures{bistro::detail::log_add_up(logs), 0, 0};
        for (const auto& d : derivations) {
            const double q = std::exp(log_prob(d) - figures.log_prefix);
            figures.log_joint += q * log_prob(d);
            figures.lexical -= q * log_word(d);
        }
        rows.push_back(figures);
    };
    const auto& finals = beam.run(sentence, [&](const auto& shifted) {
        sum_up(shifted, [](const auto& d) { return d.log_prob; }, [](const auto& d) { return d.log_word; });
    });
    sum_up(finals, [](const auto& d) { return d.log_words; }, [](const auto&) { return 0.0; });
    return rows;
}

template <class Real>
class Generator {
public:
    Generator(const PackedNetwork<Real>& network, Stream& rng, double temperature, std::int32_t most_words)
        : shape_(network.shape()), rng_(rng), temperature_(temperature), most_words_(most_words), stages_(network),
          sights_(network), configuration_(most_words + 1) {}

    // Starts with a prefix. One of its derivations is drawn from those that a search keeps.
    void begin_with(Beam<Real>& beam, const Sentence& prefix) {
        const auto kept = beam.run_prefix(prefix, most_words_ + 1);
        if (kept.empty()) throw std::logic_error("a prefix without a derivation");
        std::vector<double> weights;
        for (const auto& k : kept) weights.push_back(std::exp(k.log_prob - kept[0].log_prob));
        configuration_ = kept[bistro::draw(weights, rng_)].configuration;
        stages_ = beam.stages();
        words_.insert(words_.end(), prefix.words.begin(), prefix.words.end());
    }

    Generated sentence() {
        Configuration& c = configuration_;
        while (!c.ended()) {
            pause();
            evaluate();
            const std::uint8_t possible = c.possible();
            const std::int32_t action =
                possible == 1 << kShift ? static_cast<std::int32_t>(kShift) : decide(kActionGroup, possible);
            if (action == kLeftArc) c.left_arc(decide(kLeftLabels));
            if (action == kRightArc) c.right_arc(decide(kRightLabels));
            if (action == kReduce) c.reduce();
            if (action == kShift && !shift()) return read(false);
        }
        while (c.depth() > 0) {
            if (c.head(c.top()) >= 0) {
                c.reduce();
                continue;
            }
            if (shape_.outcomes(kRootLabels) > 1) evaluate();
            c.left_arc(shape_.root_label(decide(kRootLabels)));
        }
        return read(true);
    }

private:
    void evaluate() {
        sights_.clear();
        stage_ = stages_.add(sights_.see(configuration_, {words_.data()}), configuration_.links());
        configuration_.note(stage_);
    }

    std::int32_t decide(std::int32_t group, std::uint8_t mask = kAll) {
        if (shape_.outcomes(group) == 1) return 0;
        stages_.decide(stage_, group, mask, p_);
        std::vector<double> weights(p_.begin(), p_.end());
        const double highest = *std::max_element(weights.begin(), weights.end());
        if (temperature_ != 1)
            for (double& w : weights) w = w > 0 ? std::pow(w / highest, 1 / temperature_) : 0.0;
        const auto outcome = static_cast<std::int32_t>(bistro::draw(weights, rng_));
        stage_ = stages_.after(stage_, group, mask, outcome);
        configuration_.note(stage_);
        return outcome;
    }

    // Returns false if the sentence would become too long.
    bool shift() {
        const Symbols& s = shape_.symbols();
        const std::int32_t tag = decide(kTagGroup, end_mask(configuration_.may_end(s.single_root)));
        if (tag == kEnd) {
            configuration_.shift_to_end();
            return true;
        }
        if (configuration_.front() >= most_words_) return false;
        const std::int32_t cluster = shape_.clusters_of_tag(tag - 1, decide(kFirstBundles + tag - 1));
        const std::int32_t outcome = decide(shape_.word_group(cluster));
        const std::int32_t begin = s.word_begin[static_cast<std::size_t>(cluster)],
                           end = s.word_begin[static_cast<std::size_t>(cluster) + 1];
        words_.push_back(outcome < end - begin ? s.word_list[static_cast<std::size_t>(begin + outcome)] : other_word(cluster));
        configuration_.shift(cluster);
        return true;
    }

    // Draws one of the words that the cluster does not list, in proportion to their shares.
    std::int32_t other_word(std::int32_t cluster) {
        const Symbols& s = shape_.symbols();
        std::vector<double> weights(s.frequency.size());
        for (std::int32_t word = 0; word < s.words; ++word) weights[static_cast<std::size_t>(word)] = shape_.share(cluster, word);
        for (auto i = s.word_begin[cluster]; i < s.word_begin[cluster + 1]; ++i)
            weights[static_cast<std::size_t>(s.word_list[i])] = 0;
        return static_cast<std::int32_t>(bistro::draw(weights, rng_));
    }

    Generated read(bool complete) const {
        Generated out;
        out.complete = complete;
        out.words.assign(words_.begin() + 1, words_.end());
        for (std::int32_t word = 1; word < static_cast<std::int32_t>(words_.size()); ++word) {
            out.tags.push_back(configuration_.cluster(word));
            out.heads.push_back(configuration_.head(word));
            out.labels.push_back(shape_.symbols().labels > 1 ? configuration_.label(word) : -1);
        }
        return out;
    }

    const Shape& shape_;
    Stream& rng_;
    double temperature_;
    std::int32_t most_words_;
    Stages<Real> stages_;
    Sights<Real> sights_;
    std::int32_t stage_ = kAbsent;  // of the current state
    Configuration configuration_;
    std::vector<std::int32_t> words_{0};
    std::vector<Real> p_;
};

}  // namespace bistro::isbn
