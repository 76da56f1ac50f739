// The ends of derivations that have generated all words: words without a head are attached to the root, with their given or
// most probable labels.
//
// The labels are computed for all derivations together, one word per derivation at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isbn/evidence.hpp"
#include "isbn/nodes.hpp"
#include "isbn/questions.hpp"

namespace bistro::isbn {

struct Ending {
    Configuration configuration;
    double log_end = 0;    // log-probability after the end was generated
    double log_prob = 0;   // including the labels of the roots
    double log_words = 0;  // including only those labels that were given
    bool agrees = true;    // with the evidence
};

template <class Real>
class Endings {
public:
    explicit Endings(const Shape& shape) : shape_(shape) {}

    void clear() { endings_.clear(); }

    // `stage` is the last stage of the configuration, which is not yet shifted to the end.
    void add(const Configuration& configuration, std::int32_t stage, double log_end) {
        Ending& e = endings_.add();
        e.configuration = configuration;
        e.configuration.note(stage);
        e.configuration.shift_to_end();
        e.log_end = e.log_prob = e.log_words = log_end;
        e.agrees = true;
    }

    // Attaches all words without a head to the root. `see(configuration)` returns the parts of the potentials that
    // come from features.
    template <class See>
    std::span<const Ending> hang_on_root(const Sentence& sentence, Stages<Real>& stages, const See& see) {
        do {
            hanging_.clear();
            for (std::int32_t i = 0; i < endings_.size(); ++i) hang_one(endings_[i], sentence, stages, see);
            decide(stages);
        } while (!hanging_.empty());
        return endings_.view();
    }

private:
    struct Hanging {
        Ending* ending;
        std::int32_t stage, given;  // `given` is an outcome, or kAbsent
        std::size_t question;
    };

    // Proceeds to the next word without a head.
    template <class See>
    void hang_one(Ending& e, const Sentence& sentence, Stages<Real>& stages, const See& see) {
        Configuration& c = e.configuration;
        while (e.agrees && c.depth() > 0) {
            if (c.head(c.top()) >= 0) {
                c.reduce();
                continue;
            }
            const std::int32_t label = sentence.given_label(c.top()), given = label >= 0 ? shape_.root_outcome(label) : kAbsent;
            e.agrees = (sentence.heads.empty() || sentence.given_head(c.top()) <= 0) && (label < 0 || given != kAbsent);
            if (!e.agrees) return;
            if (shape_.outcomes(kRootLabels) > 1) return hanging_.push_back({&e, stages.plan(see(c), c.links()), given, 0});
            c.left_arc(shape_.root_label(0));
        }
    }

    void decide(Stages<Real>& stages) {
        stages.work_out();
        questions_.clear();
        for (Hanging& h : hanging_) h.question = questions_.ask(stages, h.stage, kRootLabels);
        questions_.answer(stages);
        for (const Hanging& h : hanging_) {
            const Real* const p = questions_[h.question];
            const std::int32_t outcome =
                h.given != kAbsent ? h.given : static_cast<std::int32_t>(std::max_element(p, p + shape_.outcomes(kRootLabels)) - p);
            h.ending->log_prob += log_of(p[outcome]);
            if (h.given != kAbsent) h.ending->log_words += log_of(p[outcome]);
            h.ending->configuration.note(stages.after(h.stage, kRootLabels, kAll, outcome));
            h.ending->configuration.left_arc(shape_.root_label(outcome));
        }
    }

    const Shape& shape_;
    Questions<Real> questions_;
    Reused<Ending> endings_;
    std::vector<Hanging> hanging_;
};

}  // namespace bistro::isbn
