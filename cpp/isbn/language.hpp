// The latent-variable parser as a language model: probabilities of prefixes, and sentences drawn from it.
//
// The probability of a prefix is the sum over the derivations that have generated it; the search gives the part that it found, a
// lower bound. The parts of surprisal are those of parse/language.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "isbn/beam.hpp"
#include "parse/language.hpp"

namespace bistro::isbn {

// One row a word, and one for the end of the sentence.
template <class Real>
std::vector<PrefixFigures> prefix_figures(Beam<Real>& beam, const Sentence& sentence) {
    std::vector<PrefixFigures> rows;
    auto sum_up = [&](const auto& derivations, const auto& log_word) {
        std::vector<double> logs;
        for (const auto& d : derivations) logs.push_back(d.log_prob);
        PrefixFigures figures{bistro::detail::log_add_up(logs), 0, 0};
        for (const auto& d : derivations) {
            const double q = std::exp(d.log_prob - figures.log_prefix);
            figures.log_joint += q * d.log_prob;
            figures.lexical -= q * log_word(d);
        }
        rows.push_back(figures);
    };
    const auto& finals = beam.run(sentence, [&](const auto& shifted) { sum_up(shifted, [](const auto& d) { return d.log_word; }); });
    sum_up(finals, [](const auto&) { return 0.0; });
    return rows;
}

template <class Real>
class Generator {
public:
    Generator(const Network<Real>& network, Stream& rng, double temperature, std::int32_t most_words)
        : network_(network), shape_(network.shape()), rng_(rng), temperature_(temperature), most_words_(most_words),
          h_(shape_.hidden()), configuration_(most_words + 1) {}

    // Begins with a prefix, under one of the derivations that a search has kept.
    void begin_with(Beam<Real>& beam, const Sentence& prefix) {
        const auto& kept = beam.run_prefix(prefix, most_words_ + 1);
        std::vector<double> weights;
        for (const auto& k : kept) weights.push_back(std::exp(k.log_prob - kept[0].log_prob));
        configuration_ = kept[bistro::draw(weights, rng_)].configuration;
        mu_ = beam.means();
        words_.insert(words_.end(), prefix.words.begin(), prefix.words.end());
    }

    Generated sentence() {
        Configuration& c = configuration_;
        while (!c.ended()) {
            const std::int32_t state = evaluate();
            const std::uint8_t possible = c.possible();
            const std::int32_t action = possible == 1 << kShift ? static_cast<std::int32_t>(kShift) : decide(kActionGroup, possible, state);
            if (action == kLeftArc) c.left_arc(decide(kLeftLabels, kAll, state));
            if (action == kRightArc) c.right_arc(decide(kRightLabels, kAll, state));
            if (action == kReduce) c.reduce();
            if (action == kShift && !shift(state)) return read(false);
        }
        while (c.depth() > 0) {
            if (c.head(c.top()) >= 0)
                c.reduce();
            else
                c.left_arc(shape_.root_label(shape_.outcomes(kRootLabels) > 1 ? decide(kRootLabels, kAll, evaluate()) : 0));
        }
        return read(true);
    }

private:
    std::int32_t evaluate() {
        const auto state = static_cast<std::int32_t>(mu_.size() / h_);
        rows_.clear();
        see(shape_, configuration_, words_.data(), rows_);
        eta_.resize(h_);
        sent_.resize(h_);
        auto sent_by = [&](std::int32_t from, int relation) {
            network_.send(relation, mu_.data() + static_cast<std::size_t>(from) * h_, sent_.data());
            return sent_.data();
        };
        network_.sum_up(rows_, configuration_.links(), sent_by, eta_.data());
        mu_.resize(mu_.size() + h_);
        logistic(mu_.data() + static_cast<std::size_t>(state) * h_, eta_.data(), h_);
        configuration_.note(state);
        return state;
    }

    std::int32_t decide(std::int32_t group, std::uint8_t mask, std::int32_t state) {
        if (shape_.outcomes(group) == 1) return 0;
        p_.resize(shape_.outcomes(group));
        network_.decide(group, mask, mu_.data() + static_cast<std::size_t>(state) * h_, p_.data());
        std::vector<double> weights(p_.begin(), p_.end());
        const double highest = *std::max_element(weights.begin(), weights.end());
        if (temperature_ != 1)
            for (double& w : weights) w = w > 0 ? std::pow(w / highest, 1 / temperature_) : 0.0;
        return static_cast<std::int32_t>(bistro::draw(weights, rng_));
    }

    // False if the sentence would become too long.
    bool shift(std::int32_t state) {
        const Symbols& s = shape_.symbols();
        const std::int32_t tag = decide(kTagGroup, end_mask(configuration_.may_end(s.single_root)), state);
        if (tag == kEnd) {
            configuration_.shift_to_end();
            return true;
        }
        if (configuration_.front() >= most_words_) return false;
        const std::int32_t cluster = shape_.clusters_of_tag(tag - 1, decide(kFirstBundles + tag - 1, kAll, state));
        const std::int32_t outcome = decide(shape_.word_group(cluster), kAll, state);
        const std::int32_t begin = s.word_begin[static_cast<std::size_t>(cluster)], end = s.word_begin[static_cast<std::size_t>(cluster) + 1];
        words_.push_back(outcome < end - begin ? s.word_list[static_cast<std::size_t>(begin + outcome)] : other_word(begin, end));
        configuration_.shift(cluster);
        return true;
    }

    // A word that a cluster does not list, by its frequency.
    std::int32_t other_word(std::int32_t begin, std::int32_t end) {
        std::vector<double> weights = shape_.symbols().frequency;
        for (auto i = begin; i < end; ++i) weights[static_cast<std::size_t>(shape_.symbols().word_list[static_cast<std::size_t>(i)])] = 0;
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

    const Network<Real>& network_;
    const Shape& shape_;
    Stream& rng_;
    double temperature_;
    std::int32_t most_words_;
    std::size_t h_;
    Configuration configuration_;
    std::vector<std::int32_t> words_{0}, rows_;
    std::vector<Real> mu_, eta_, sent_, p_;
};

}  // namespace bistro::isbn
