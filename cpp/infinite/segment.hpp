// Segments a written word into labelled morphemes, from left to right, with a beam.
//
// Morphemes m_1 m_2 ... with labels l_1 l_2 ... generate a word, each depending on everything before it:
//
//     P = Π_k P(l_k | l_{k-1}, s_{k-1}, l_{k-2}, ...) · P(m_k | l_k, l_{k-1}, s_{k-1}, ...)  ·  P(end | all)
//
// where s are the letters of a morpheme as written. This is the chain l_{k-1} -> l_k m_k of the tagging grammar over a word
// whose morphemes are not yet known. For an unseen morpheme, the trie of morphemes backs off to its letters
// (morpheme_speller.hpp): `other` is the event of that trie whose base probability is 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "infinite/morpheme_speller.hpp"
#include "stop/pause.hpp"

namespace bistro {

struct SegmentOptions {
    std::int32_t beam = 50;
    double floor = 1e-4;          // labels with at most this probability are not considered
    double unseen_share = 0.9;    // probability that a spelled morpheme is an unseen one
    std::int32_t most_empty = 2;  // maximum number of consecutive morphemes without letters
};

struct SegmentStep {
    std::int32_t label;
    std::int32_t morpheme;  // -1: an unseen morpheme
    std::int32_t end;       // position after its last letter
};

struct Segmentation {
    double log_prob;
    std::vector<SegmentStep> steps;
};

struct SegmentResult {
    double log_total;                    // log of the sum over all analyses that the beam kept to the end
    std::vector<Segmentation> analyses;  // the best analyses, best first
};

template <RuleModel Trie>
class Segmenter {
public:
    Segmenter(const MorphemeTable& table, const Trie& labels, const Trie& morphemes, const Trie& letters, std::int32_t num_letters,
              const SegmentOptions& options)
        : table_(table), label_trie_(labels), morpheme_trie_(morphemes), speller_(letters, table.labels(), num_letters),
          options_(options) {
        if (options.beam < 1) throw std::invalid_argument("a beam must keep at least one analysis");
    }

    SegmentResult segment(Letters word, std::int32_t kbest) {
        if (kbest < 1) throw std::invalid_argument("at least one analysis must be requested");
        if (word.empty()) throw std::invalid_argument("a word must have at least one letter");
        const auto length = static_cast<std::int32_t>(word.size());
        states_.assign(1, State{0, -1, {-1, -1, 0}, 0});
        beams_.assign(word.size() + 1, {});
        made_ = 0;
        beams_[0].push_back({states_[0], made_, 0});
        worst_.assign(word.size() + 1, -std::numeric_limits<double>::infinity());
        for (std::int32_t at = 0;; ++at) {
            pause();
            find_known(word.subspan(static_cast<std::size_t>(at)), at);
            add_empty(at);
            const std::vector<std::uint32_t> kept = settled(at);
            if (at == length) return finished(kept, kbest);
            for (const std::uint32_t state : kept) extend(state, true);
            beams_[at] = {};
        }
    }

    // log P of a given analysis, independent of the beam.
    double log_prob(Letters word, const std::vector<SegmentStep>& steps) {
        states_.assign(1, State{0, -1, {-1, -1, 0}, 0});
        double sum = 0;
        for (const SegmentStep& step : steps) {
            const std::int32_t begin = states_.back().step.end;
            if (step.end < begin || step.end > static_cast<std::int32_t>(word.size()) || step.label < 0 ||
                step.label >= table_.labels())
                throw std::invalid_argument("a step of the analysis is impossible");
            const Letters letters = word.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(step.end - begin));
            const auto state = static_cast<std::uint32_t>(states_.size() - 1);
            sum += std::log(label_trie_.probability(label_place(state), step.label));
            const Place place = morpheme_place(step.label);
            sum += std::log(morpheme_trie_.probability(place, step.morpheme < 0 ? other() : step.morpheme));
            if (step.morpheme < 0) sum += unseen(speller_.log_prob(letters, step.label));
            states_.push_back({0, static_cast<std::int32_t>(state), step, 0});
        }
        if (states_.back().step.end != static_cast<std::int32_t>(word.size()))
            throw std::invalid_argument("the analysis does not end with the word");
        return sum +
               std::log(label_trie_.probability(label_place(static_cast<std::uint32_t>(states_.size() - 1)), table_.end_event()));
    }

private:
    struct State {
        double log_prob;
        std::int32_t parent;
        SegmentStep step;
        std::int32_t empty;  // number of morphemes without letters at its end
    };
    // A candidate that becomes a state when its place is reached. Most candidates at a distant place are dropped before that,
    // so storing all of them as states would waste memory.
    struct Hope {
        State state;
        std::uint64_t age;
        std::uint32_t number;  // number of its state, or kNone
    };
    struct Candidate {
        std::int32_t label, morpheme, end;
        double log_spelling;  // log-probability of the spelling of an unseen morpheme; 0 for known morphemes
    };
    struct LabelChoice {
        std::int32_t label;
        double log_prob;
    };
    struct PlaceChoices {
        std::uint64_t place;
        std::vector<LabelChoice> labels;
        std::uint64_t key() const { return place; }
    };
    static constexpr std::int32_t kUnseen = -1;
    static constexpr std::size_t kMostChoices = 1 << 16;

    std::int32_t other() const { return table_.size(); }
    double unseen(double log_spelling) const { return std::log(options_.unseen_share) + log_spelling; }

    // All known morphemes that may begin at a place, by label. Morphemes without letters are listed separately.
    void find_known(Letters rest, std::int32_t at) {
        known_.clear();
        empty_.clear();
        table_.prefixes(rest, [&](std::int32_t length, std::span<const std::int32_t> morphemes) {
            for (const std::int32_t m : morphemes) (length ? known_ : empty_).push_back({table_.label(m), m, at + length, 0});
        });
        const auto by_label = [](const Candidate& a, const Candidate& b) { return a.label < b.label; };
        std::stable_sort(known_.begin(), known_.end(), by_label);
        std::stable_sort(empty_.begin(), empty_.end(), by_label);
        rest_ = rest;
        spelled_.assign(static_cast<std::size_t>(table_.labels()), {});
    }

    static std::span<const Candidate> of_label(const std::vector<Candidate>& sorted, std::int32_t label) {
        const auto first =
            std::lower_bound(sorted.begin(), sorted.end(), label, [](const Candidate& c, std::int32_t l) { return c.label < l; });
        auto last = first;
        while (last != sorted.end() && last->label == label) ++last;
        return {first, last};
    }

    // Unseen morphemes of a label that begin here. Their spellings are computed when they are first needed.
    std::span<const Candidate> unseen_of(std::int32_t label, std::int32_t at) {
        std::vector<Candidate>& found = spelled_[label];
        if (found.empty()) {
            const std::span<const Candidate> known = of_label(known_, label);
            speller_.spell(rest_, label, 1, [&](std::int32_t length, double p) {
                const bool seen = std::any_of(known.begin(), known.end(),
                                              [&](const Candidate& c) { return c.end == at + length && table_.plain(c.morpheme); });
                // Kept even if it is impossible, so that an empty list means that it has not been computed.
                found.push_back({label, kUnseen, at + length, seen ? -std::numeric_limits<double>::infinity() : unseen(p)});
            });
        }
        return found;
    }

    // The labels that are probable enough at a place. Places recur often.
    const std::vector<LabelChoice>& choices(Place place) {
        const std::uint64_t key = pair_key(place.node, static_cast<std::uint32_t>(place.depth));
        if (const std::uint32_t at = choice_index_.find(key, choices_); at != kNone) return choices_[at].labels;
        if (choices_.size() == kMostChoices) {
            choices_.clear();
            choice_index_ = PairIndex();
        }
        choices_.push_back({key, {}});
        choice_index_.insert_last(choices_);
        std::vector<LabelChoice>& labels = choices_.back().labels;
        for (std::int32_t label = 0; label < table_.labels(); ++label)
            if (const double p = label_trie_.probability(place, label); p > options_.floor) labels.push_back({label, std::log(p)});
        return labels;
    }

    // History, nearest first: label and surface of each morpheme, then the beginning of the word.
    void remember(std::uint32_t state) {
        context_.assign(1, 0);
        for (std::int32_t s = static_cast<std::int32_t>(state); states_[s].parent >= 0; s = states_[s].parent) {
            const SegmentStep& step = states_[s].step;
            context_.push_back(table_.label_element(step.label));
            context_.push_back(step.morpheme < 0 ? table_.unknown_element() : table_.surface_element(step.morpheme));
        }
        context_.push_back(table_.begin_element());
    }

    Place label_place(std::uint32_t state) {
        remember(state);
        return label_trie_.locate(context_);
    }

    // After label_place: the same history, preceded by the label of the next morpheme.
    Place morpheme_place(std::int32_t label) {
        context_[0] = table_.label_element(label);
        return morpheme_trie_.locate(context_);
    }

    // Adds every morpheme that may follow, either with letters or without.
    void extend(std::uint32_t from, bool with_letters) {
        const Place place = label_place(from);
        const State state = states_[from];
        for (const LabelChoice& choice : choices(place)) {
            const std::span<const Candidate> known = of_label(with_letters ? known_ : empty_, choice.label);
            if (known.empty() && !with_letters) continue;
            const double before = state.log_prob + choice.log_prob;
            if (!hopeful(known, before, with_letters ? unseen_of(choice.label, state.step.end) : std::span<const Candidate>{}))
                continue;
            const Place own = morpheme_place(choice.label);
            for (const Candidate& c : known) push(from, c, before + std::log(morpheme_trie_.probability(own, c.morpheme)));
            if (!with_letters) continue;
            const double escape = std::log(morpheme_trie_.probability(own, other()));
            for (const Candidate& c : unseen_of(choice.label, state.step.end)) push(from, c, before + escape + c.log_spelling);
        }
    }

    // Whether any of these candidates would enter a beam if the morpheme itself had probability 1 in its context. This
    // excludes most labels before the trie of morphemes is queried.
    bool hopeful(std::span<const Candidate> known, double before, std::span<const Candidate> unseen) const {
        const auto enters = [&](const Candidate& c) { return before + c.log_spelling > worst_[c.end]; };
        return std::any_of(known.begin(), known.end(), enters) || std::any_of(unseen.begin(), unseen.end(), enters);
    }

    void push(std::uint32_t from, const Candidate& c, double log_prob) {
        if (!(log_prob > worst_[c.end])) return;
        const std::int32_t empty = c.end == states_[from].step.end ? states_[from].empty + 1 : 0;
        std::vector<Hope>& beam = beams_[c.end];
        beam.push_back({{log_prob, static_cast<std::int32_t>(from), {c.label, c.morpheme, c.end}, empty}, ++made_, kNone});
        if (beam.size() >= 4 * static_cast<std::size_t>(options_.beam)) cut(c.end);
    }

    // Morphemes without letters lead from a place to itself.
    void add_empty(std::int32_t at) {
        for (std::int32_t round = 0; round < options_.most_empty && !empty_.empty(); ++round) {
            for (const std::uint32_t state : settled(at))
                if (states_[state].empty == round) extend(state, false);
        }
    }

    // Keeps the best candidates at a place. Ties are broken by age, so that the result does not depend on the sorting
    // algorithm.
    void cut(std::int32_t at) {
        std::vector<Hope>& beam = beams_[at];
        const auto better = [](const Hope& a, const Hope& b) {
            return a.state.log_prob != b.state.log_prob ? a.state.log_prob > b.state.log_prob : a.age < b.age;
        };
        const std::size_t kept = std::min(beam.size(), static_cast<std::size_t>(options_.beam));
        std::partial_sort(beam.begin(), beam.begin() + static_cast<std::ptrdiff_t>(kept), beam.end(), better);
        beam.resize(kept);
        if (kept == static_cast<std::size_t>(options_.beam)) worst_[at] = beam.back().state.log_prob;
    }

    // The best candidates at a place, as states.
    std::vector<std::uint32_t> settled(std::int32_t at) {
        cut(at);
        std::vector<std::uint32_t> numbers;
        for (Hope& hope : beams_[at]) {
            if (hope.number == kNone) {
                hope.number = static_cast<std::uint32_t>(states_.size());
                states_.push_back(hope.state);
            }
            numbers.push_back(hope.number);
        }
        return numbers;
    }

    SegmentResult finished(const std::vector<std::uint32_t>& beam, std::int32_t kbest) {
        std::vector<std::pair<double, std::uint32_t>> ended;
        for (const std::uint32_t state : beam)
            ended.emplace_back(states_[state].log_prob + std::log(label_trie_.probability(label_place(state), table_.end_event())),
                               state);
        std::stable_sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        SegmentResult result{-std::numeric_limits<double>::infinity(), {}};
        double sum = 0;
        for (const auto& [log_prob, state] : ended) sum += std::exp(log_prob - ended.front().first);
        if (!ended.empty()) result.log_total = ended.front().first + std::log(sum);
        for (const auto& [log_prob, state] : ended) {
            if (result.analyses.size() == static_cast<std::size_t>(kbest)) break;
            result.analyses.push_back({log_prob, steps_to(state)});
        }
        return result;
    }

    std::vector<SegmentStep> steps_to(std::uint32_t state) const {
        std::vector<SegmentStep> steps;
        for (std::int32_t s = static_cast<std::int32_t>(state); states_[s].parent >= 0; s = states_[s].parent)
            steps.push_back(states_[s].step);
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    const MorphemeTable& table_;
    const Trie& label_trie_;
    const Trie& morpheme_trie_;
    MorphemeSpeller<Trie> speller_;
    SegmentOptions options_;
    std::vector<State> states_;
    std::vector<std::vector<Hope>> beams_;
    std::uint64_t made_ = 0;
    std::vector<double> worst_;  // [place]: the score that a state must exceed
    std::vector<Candidate> known_, empty_;
    std::vector<std::vector<Candidate>> spelled_;
    Letters rest_;
    std::vector<PlaceChoices> choices_;
    PairIndex choice_index_;
    std::vector<std::int32_t> context_;
};

}  // namespace bistro
