// A derivation as the network sees it (states with their features and links, and the decisions of each state), and the oracle
// that builds the derivation of a tree.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "isbn/configuration.hpp"
#include "parse/arc_standard.hpp"

namespace bistro::isbn {

inline constexpr std::uint8_t kAll = 0xff;

struct Decision {
    std::int32_t group, outcome;
    std::uint8_t mask = kAll;  // which of the first eight outcomes are possible; the remaining ones always are
};

struct Derivation {
    std::vector<std::int32_t> features, feature_begin{0};  // rows, by state
    std::vector<Links> links;
    std::vector<Decision> decisions;
    std::vector<std::int32_t> decision_begin{0};
    double log_shares = 0;  // sum of the log-shares of unlisted words in the probability of their outcome

    std::size_t states() const { return links.size(); }
    std::span<const std::int32_t> features_of(std::size_t s) const {
        return std::span(features).subspan(static_cast<std::size_t>(feature_begin[s]),
                                           static_cast<std::size_t>(feature_begin[s + 1] - feature_begin[s]));
    }
};

inline std::uint8_t end_mask(bool may_end) { return may_end ? kAll : static_cast<std::uint8_t>(kAll & ~(1 << kEnd)); }

// When to reduce a top that has a head: as late as possible, or as soon as it has all its dependents.
enum class ReduceWhen : std::uint8_t { late, early };

// Builds the derivation of a tree from which the model learns.
class Oracle {
public:
    Oracle(const Shape& shape, ReduceWhen when) : shape_(shape), when_(when) {}

    // Returns false if the tree is not projective, has too many roots, or has a root label that is not in the model.
    bool follow(const Sentence& sentence, Derivation& out) {
        sentence_ = &sentence, out_ = &out;
        out = {};
        words_.assign(1, 0);
        words_.insert(words_.end(), sentence.words.begin(), sentence.words.end());
        configuration_ = Configuration(sentence.size());
        last_child_.assign(sentence.words.size() + 1, 0);
        for (std::int32_t i = 1; i <= sentence.size(); ++i) last_child_[static_cast<std::size_t>(sentence.given_head(i))] = i;
        while (!configuration_.ended())
            if (!step()) return false;
        return hang_on_root();
    }

private:
    std::int32_t gold_head(std::int32_t word) const { return sentence_->given_head(word); }

    std::int32_t next_action() const {
        const Configuration& c = configuration_;
        const std::int32_t front = c.front(), top = c.top();
        const std::uint8_t possible = c.possible();
        if (possible == 1 << kShift) return kShift;
        if (gold_head(top) == front) return possible >> kLeftArc & 1 ? kLeftArc : kAbsent;
        if (gold_head(front) == top) return kRightArc;
        const bool may_reduce = possible >> kReduce & 1;
        if (when_ == ReduceWhen::early && may_reduce && last_child_[static_cast<std::size_t>(top)] < front) return kReduce;
        for (std::int32_t below = 1; below < c.depth(); ++below)
            if (gold_head(c.item(below)) == front || gold_head(front) == c.item(below)) return may_reduce ? kReduce : kAbsent;
        return kShift;
    }

    bool step() {
        Configuration& c = configuration_;
        const std::int32_t action = next_action();
        if (action == kAbsent) return false;
        begin_state();
        if (const std::uint8_t possible = c.possible(); possible != 1 << kShift)
            out_->decisions.push_back({kActionGroup, action, static_cast<std::uint8_t>(possible)});
        if (action == kLeftArc) decide(kLeftLabels, sentence_->given_label(c.top()));
        if (action == kRightArc) decide(kRightLabels, sentence_->given_label(c.front()));
        const bool good = action != kShift || generate();
        end_state();
        if (action == kLeftArc) c.left_arc(sentence_->given_label(c.top()));
        if (action == kRightArc) c.right_arc(sentence_->given_label(c.front()));
        if (action == kReduce) c.reduce();
        return good;
    }

    // Adds the decisions of a shift, and shifts.
    bool generate() {
        Configuration& c = configuration_;
        const bool may_end = c.may_end(shape_.symbols().single_root);
        const std::int32_t next = c.front() + 1;
        if (next > sentence_->size()) {
            out_->decisions.push_back({kTagGroup, kEnd, end_mask(may_end)});
            c.note(state());
            c.shift_to_end();
            return may_end;
        }
        const std::int32_t cluster = sentence_->given_tag(next);
        out_->decisions.push_back({kTagGroup, shape_.symbols().tag_of[cluster] + 1, end_mask(may_end)});
        const Outcome bundle = shape_.of_bundle(cluster), word = shape_.of_word(cluster, sentence_->words[next - 1]);
        decide(bundle.group, bundle.outcome);
        decide(word.group, word.outcome);
        out_->log_shares += word.log_share;
        c.note(state());
        c.shift(cluster);
        return true;
    }

    bool hang_on_root() {
        Configuration& c = configuration_;
        for (; c.depth() > 0;) {
            if (c.head(c.top()) >= 0) {
                c.reduce();
                continue;
            }
            const std::int32_t word = c.top(), label = sentence_->given_label(word), outcome = shape_.root_outcome(label);
            if (gold_head(word) != 0 || outcome == kAbsent) return false;
            if (shape_.outcomes(kRootLabels) > 1) {
                begin_state();
                decide(kRootLabels, outcome);
                end_state();
            }
            c.left_arc(label);
        }
        return true;
    }

    std::int32_t state() const { return static_cast<std::int32_t>(out_->links.size()) - 1; }

    void begin_state() {
        see(shape_, configuration_, {words_.data(), sentence_->lemmas}, out_->features);
        out_->feature_begin.push_back(static_cast<std::int32_t>(out_->features.size()));
        out_->links.push_back(configuration_.links());
        noted_ = configuration_.front();
    }

    void end_state() {
        // A shift has recorded its state already, before it moved the front.
        if (configuration_.front() == noted_) configuration_.note(state());
        out_->decision_begin.push_back(static_cast<std::int32_t>(out_->decisions.size()));
    }

    void decide(std::int32_t group, std::int32_t outcome) {
        if (shape_.outcomes(group) > 1) out_->decisions.push_back({group, outcome});
    }

    const Shape& shape_;
    ReduceWhen when_;
    const Sentence* sentence_ = nullptr;
    Derivation* out_ = nullptr;
    std::vector<std::int32_t> words_, last_child_;
    Configuration configuration_;
    std::int32_t noted_ = 0;
};

}  // namespace bistro::isbn
