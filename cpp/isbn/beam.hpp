// The search for derivations of one sentence: the best ones, word by word.
//
// After each shift the best derivations that have generated the same words are kept. Between two shifts the search is best-first:
// the most probable partial derivation is taken further, until none can come among the kept ones any more (a derivation only
// becomes less probable, and its next word is hardly more probable than in those found already). After an arc only its likeliest
// labels are pursued, and so that no sentence takes for ever, a limited number of derivations that have come equally far since
// the last shift. What a state has decided is noted when a derivation goes on from it (stages.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "isbn/search.hpp"
#include "isbn/stages.hpp"
#include "stop/pause.hpp"

namespace bistro::isbn {

template <class Real>
class Beam {
public:
    Beam(const Network<Real>& network, const SeenClusters& seen, BeamOptions options)
        : shape_(network.shape()), seen_(seen), options_(options), stages_(network) {}

    // Complete derivations, the best first; none if the evidence allows none that the search found. `watch` is told the
    // derivations that have generated each word, with the log-probability of the word in each.
    template <class Watch>
    const std::vector<Final>& run(const Sentence& sentence, const Watch& watch) {
        begin(sentence, sentence.size());
        for (std::int32_t next = 1; next <= sentence.size() + 1 && !kept_.empty(); ++next) {
            pass(next > sentence.size());
            if (next > sentence.size()) break;
            watch(shifted_);
            keep();
        }
        std::stable_sort(finals_.begin(), finals_.end(), [](const Final& a, const Final& b) { return a.log_prob > b.log_prob; });
        if (finals_.size() > options_.width) finals_.resize(options_.width);
        return finals_;
    }
    const std::vector<Final>& run(const Sentence& sentence) {
        return run(sentence, [](const auto&) {});
    }

    const std::vector<Final>& finals() const { return finals_; }

    // A partial derivation.
    struct Node {
        Configuration configuration;
        double log_prob;
        std::uint32_t level = 0;
        std::int32_t stage = kAbsent;                                            // of its state
        std::array<std::int32_t, kActions> after{kAbsent, kAbsent, kAbsent, kAbsent};  // the stages after an action, if made
    };

    // The best derivations that have generated the words of a sentence and may go on, up to so many words.
    const std::vector<Node>& run_prefix(const Sentence& sentence, std::int32_t most_words) {
        begin(sentence, most_words);
        for (std::int32_t next = 1; next <= sentence.size(); ++next) {
            pass(false);
            keep();
        }
        return kept_;
    }

    // Derivations of the first words of a sentence, whatever follows: `watch` as in `run`, then `open` sees every derivation that
    // comes to generate one word more or the end, with the stage and the mask of the decision for its tag.
    using Open = std::function<void(double log_prob, std::int32_t stage, std::uint8_t mask, Stages<Real>& stages)>;
    template <class Watch>
    void run_open(const Sentence& sentence, const Watch& watch, Open open) {
        begin(sentence, sentence.size() + 1);
        for (std::int32_t next = 1; next <= sentence.size(); ++next) {
            pass(false);
            watch(shifted_);
            keep();
        }
        open_ = std::move(open);
        limit_ = kOpen * options_.width;
        pass(false);
        limit_ = options_.width;
        open_ = nullptr;
    }

    // All states made, which the links of configurations mean.
    const Stages<Real>& stages() const { return stages_; }

    // A derivation that has generated one more word.
    struct Shifted {
        double log_prob;
        std::int32_t node, cluster;
        double log_word;     // of the word given its cluster
        std::int32_t stage;  // that decided on the word
    };

private:
    struct Item {
        double log_prob;
        std::uint32_t order;  // of coming, so that equals are taken in a fixed order
        std::int32_t node, action, label;
        std::uint32_t level;  // actions since the last shift
        bool operator<(const Item& b) const { return log_prob != b.log_prob ? log_prob < b.log_prob : order > b.order; }
    };

    void begin(const Sentence& sentence, std::int32_t most_words) {
        sentence_ = &sentence;
        words_.assign(1, 0);
        words_.insert(words_.end(), sentence.words.begin(), sentence.words.end());
        finals_.clear();
        stages_.clear();
        kept_.assign(1, {Configuration(most_words), 0.0});
    }

    void pass(bool is_last) {
        nodes_.clear();
        shifted_.clear();
        agenda_ = {};
        best_ = {};
        order_ = 0;
        for (std::size_t i = 0; i < kept_.size(); ++i) push(kept_[i].log_prob, static_cast<std::int32_t>(i), kStart, 0, 0);
        expanded_.clear();
        best_word_ = -std::numeric_limits<double>::infinity();
        while (!agenda_.empty() && agenda_.top().log_prob + most_for_word() > threshold()) {
            pause();
            const Item item = agenda_.top();
            agenda_.pop();
            take(item, is_last);
        }
    }

    // An arc without a label and a shift without a word wait on the agenda like all others: only if their turn comes it is
    // worked out how they go on.
    void take(const Item& item, bool is_last) {
        if (item.action == kShift) return shift(item, is_last);
        if (item.label == kAbsent) return label(item);
        if (item.level >= expanded_.size()) expanded_.resize(item.level + 1, 0);
        if (++expanded_[item.level] <= 4 * limit_ + kLeastExpanded) expand(item, is_last);
    }

    // The log-probability that the next word is expected to have at most: a little more than the highest so far.
    double most_for_word() const { return std::isfinite(best_word_) ? std::min(0.0, best_word_ + options_.margin) : 0.0; }

    // What a derivation must exceed to be kept.
    double threshold() const { return best_.size() < limit_ ? -std::numeric_limits<double>::infinity() : best_.top(); }

    void push(double log_prob, std::int32_t node, std::int32_t action, std::int32_t label, std::uint32_t level) {
        if (log_prob > threshold()) agenda_.push({log_prob, order_++, node, action, label, level});
    }
    void push(double log_prob, std::int32_t node, std::int32_t action, std::int32_t label) {
        push(log_prob, node, action, label, node_at(node).level + 1);
    }
    Node& node_at(std::int32_t node) { return nodes_[static_cast<std::size_t>(node)]; }

    void note_score(double log_prob) {
        best_.push(log_prob);
        if (best_.size() > limit_) best_.pop();
    }

    void expand(const Item& item, bool is_last) {
        Node node = item.action == kStart ? std::move(kept_[static_cast<std::size_t>(item.node)]) : child(item);
        Configuration& c = node.configuration;
        const std::uint8_t possible = c.possible(), allowed = agreeing(c, possible, is_last);
        if (allowed == 0) return;
        node.stage = evaluate(c);
        std::array<double, kActions> log_action{};
        if (possible != 1 << kShift) {
            stages_.decide(node.stage, kActionGroup, possible, p_);
            for (std::size_t a = 0; a < kActions; ++a) log_action[a] = log_of(p_[a]);
        }
        const auto here = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(std::move(node));
        for (std::int32_t action = 0; action < kActions; ++action)
            if (allowed >> action & 1) push(item.log_prob + log_action[static_cast<std::size_t>(action)], here, action, open_label(action));
    }

    // What a derivation has become by an action.
    Node child(const Item& item) {
        Node& parent = node_at(item.node);
        Node node{parent.configuration, item.log_prob, item.level};
        const std::int32_t decided = after_action(parent, item.action);
        Configuration& c = node.configuration;
        c.note(item.action == kReduce ? decided : stages_.after(decided, label_group(item.action), kAll, item.label));
        if (item.action == kLeftArc) c.left_arc(item.label);
        if (item.action == kRightArc) c.right_arc(item.label);
        if (item.action == kReduce) c.reduce();
        return node;
    }

    std::int32_t after_action(Node& node, std::int32_t action) {
        const std::uint8_t possible = node.configuration.possible();
        if (possible == 1 << kShift) return node.stage;
        std::int32_t& stage = node.after[static_cast<std::size_t>(action)];
        if (stage == kAbsent) stage = stages_.after(node.stage, kActionGroup, possible, action);
        return stage;
    }

    static std::int32_t label_group(std::int32_t action) { return action == kLeftArc ? kLeftLabels : kRightLabels; }

    std::int32_t open_label(std::int32_t action) const {
        return action == kReduce || action == kShift || shape_.outcomes(label_group(action)) == 1 ? 0 : kAbsent;
    }

    std::int32_t evaluate(const Configuration& c) {
        features_.clear();
        see(shape_, c, {words_.data(), sentence_->lemmas}, features_);
        return stages_.add(features_, c.links());
    }

    // Those of the possible actions that the evidence allows, and after which the sentence can still end.
    std::uint8_t agreeing(const Configuration& c, std::uint8_t possible, bool is_last) const {
        std::uint8_t bits = possible;
        auto forbid = [&](std::int32_t action) { bits &= static_cast<std::uint8_t>(~(1 << action)); };
        const std::int32_t top = c.top(), front = c.front(), last = sentence_->size();
        auto given = [&](std::int32_t word) { return sentence_->given_head(word); };
        const bool single_root = shape_.symbols().single_root;
        if (is_last && !c.may_end(single_root)) forbid(kShift);
        if (is_last && !c.may_end_after_right_arc(single_root)) forbid(kRightArc);
        if (sentence_->heads.empty() || front == 0) return bits;
        if (top > 0) {
            if (given(top) >= 0 && given(top) != front) forbid(kLeftArc);
            if (given(front) >= 0 && given(front) != top) forbid(kRightArc);
            if (given(front) == top) forbid(kLeftArc), forbid(kReduce), c.head(front) < 0 ? forbid(kShift) : void();
            // What is popped can have no more children.
            for (std::int32_t word = front; word <= last; ++word)
                if (given(word) == top) forbid(kReduce), forbid(kLeftArc);
        }
        for (std::int32_t below = 0; below < c.depth(); ++below)
            if (const std::int32_t word = c.item(below); given(word) == front && c.head(word) < 0) forbid(kShift), forbid(kRightArc);
        // Pushed without a head, it must find one on its right, or the root.
        if (c.head(front) < 0 && given(front) > 0 && given(front) < front) forbid(kShift);
        return bits;
    }

    void label(const Item& item) {
        Node& node = node_at(item.node);
        const std::int32_t word = item.action == kLeftArc ? node.configuration.top() : node.configuration.front();
        stages_.decide(after_action(node, item.action), label_group(item.action), kAll, p_);
        auto go_on = [&](std::int32_t label) {
            push(item.log_prob + log_of(p_[static_cast<std::size_t>(label)]), item.node, item.action, label);
        };
        if (const std::int32_t given = sentence_->given_label(word); given >= 0) return go_on(given);
        for (const std::int32_t label : likeliest(p_, options_.labels)) go_on(label);
    }

    const std::vector<std::int32_t>& likeliest(const std::vector<Real>& p, std::size_t most) {
        ranked_.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) ranked_[i] = static_cast<std::int32_t>(i);
        most = std::min(most, p.size());
        std::partial_sort(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(most), ranked_.end(),
                          [&](std::int32_t a, std::int32_t b) {
                              const Real pa = p[static_cast<std::size_t>(a)], pb = p[static_cast<std::size_t>(b)];
                              return pa != pb ? pa > pb : a < b;
                          });
        ranked_.resize(most);
        return ranked_;
    }

    void shift(const Item& item, bool is_last) {
        const double log_prob = item.log_prob;
        const Configuration& c = node_at(item.node).configuration;
        const TagDecision decision{after_action(node_at(item.node), kShift), end_mask(c.may_end(shape_.symbols().single_root))};
        if (open_) {
            note_score(log_prob);
            return open_(log_prob, decision.stage, decision.mask, stages_);
        }
        stages_.decide(decision.stage, kTagGroup, decision.mask, tags_);
        if (is_last) return finish(c, decision, log_prob + log_of(tags_[kEnd]));
        const std::int32_t next = c.front() + 1, word = words_[static_cast<std::size_t>(next)];
        find_candidates(decision, word, sentence_->given_tag(next));
        const std::size_t first = shifted_.size();
        for (const Candidate& candidate : candidates_) {
            if (log_prob + candidate.log_cluster <= threshold()) continue;
            const Outcome bundle = shape_.of_bundle(candidate.cluster);
            const std::int32_t stage = stages_.after(of_tag(candidate.cluster).stage, bundle.group, kAll, bundle.outcome);
            const double log_word = decided(stage, shape_.of_word(candidate.cluster, word));
            best_word_ = std::max(best_word_, candidate.log_cluster + log_word);
            shifted_.push_back({log_prob + candidate.log_cluster + log_word, item.node, candidate.cluster, log_word, stage});
        }
        auto better = [](const Shifted& a, const Shifted& b) { return a.log_prob > b.log_prob; };
        std::stable_sort(shifted_.begin() + static_cast<std::ptrdiff_t>(first), shifted_.end(), better);
        if (shifted_.size() > first + options_.clusters) shifted_.resize(first + options_.clusters);
        for (std::size_t i = first; i < shifted_.size(); ++i) note_score(shifted_[i].log_prob);
    }

    struct TagDecision {
        std::int32_t stage;
        std::uint8_t mask;
    };
    struct Candidate {
        double rank;
        std::int32_t cluster;
        double log_cluster;
    };
    // The stage after the decision for a tag, and the probabilities of its bundles.
    struct OfTag {
        std::int32_t stage = kAbsent;
        std::vector<Real> bundles;
    };
    OfTag& of_tag(std::int32_t cluster) { return of_tags_[static_cast<std::size_t>(shape_.symbols().tag_of[cluster])]; }

    // The cluster that is given, or the clusters of a word that are likeliest by the network and by how often the word was seen
    // with them; twice as many as will be kept, since the network has not said yet what it thinks of the word.
    void find_candidates(const TagDecision& decision, std::int32_t word, std::int32_t given) {
        of_tags_.resize(static_cast<std::size_t>(shape_.symbols().tags));
        for (OfTag& tag : of_tags_) tag.stage = kAbsent;
        candidates_.clear();
        if (given >= 0) return add_candidate(decision, given, 0.0);
        const auto begin = seen_.begin[static_cast<std::size_t>(word)], end = seen_.begin[static_cast<std::size_t>(word) + 1];
        if (begin == end)
            for (std::int32_t cluster = 0; cluster < shape_.symbols().clusters(); ++cluster) add_candidate(decision, cluster, 0.0);
        for (auto i = begin; i < end; ++i)
            add_candidate(decision, seen_.list[static_cast<std::size_t>(i)], seen_.log_share[static_cast<std::size_t>(i)]);
        std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
        if (candidates_.size() > 2 * options_.clusters) candidates_.resize(2 * options_.clusters);
    }

    void add_candidate(const TagDecision& decision, std::int32_t cluster, double log_share) {
        const Outcome bundle = shape_.of_bundle(cluster);
        const std::int32_t tag_outcome = shape_.symbols().tag_of[cluster] + 1;
        const bool has_bundles = shape_.outcomes(bundle.group) > 1;
        OfTag& tag = of_tag(cluster);
        if (tag.stage == kAbsent) {
            tag.stage = stages_.after(decision.stage, kTagGroup, decision.mask, tag_outcome);
            if (has_bundles) stages_.decide(tag.stage, bundle.group, kAll, tag.bundles);
        }
        double log_prob = log_of(tags_[static_cast<std::size_t>(tag_outcome)]);
        if (has_bundles) log_prob += log_of(tag.bundles[static_cast<std::size_t>(bundle.outcome)]);
        candidates_.push_back({log_prob + log_share, cluster, log_prob});
    }

    double decided(std::int32_t stage, const Outcome& outcome) {
        if (shape_.outcomes(outcome.group) == 1) return outcome.log_share;
        stages_.decide(stage, outcome.group, kAll, p_);
        return log_of(p_[static_cast<std::size_t>(outcome.outcome)]) + outcome.log_share;
    }

    // Hangs on the root what has no head; each with its likeliest label.
    void finish(Configuration c, const TagDecision& decision, double log_prob) {
        c.note(stages_.after(decision.stage, kTagGroup, decision.mask, kEnd));
        c.shift_to_end();
        double log_words = log_prob;
        while (c.depth() > 0) {
            if (c.head(c.top()) >= 0) {
                c.reduce();
                continue;
            }
            if (!sentence_->heads.empty() && sentence_->given_head(c.top()) > 0) return;
            const std::int32_t given = sentence_->given_label(c.top());
            std::int32_t outcome = given >= 0 ? shape_.root_outcome(given) : 0;
            if (outcome == kAbsent) return;
            if (shape_.outcomes(kRootLabels) > 1) {
                const std::int32_t stage = evaluate(c);
                stages_.decide(stage, kRootLabels, kAll, p_);
                if (given < 0) outcome = static_cast<std::int32_t>(std::max_element(p_.begin(), p_.end()) - p_.begin());
                log_prob += log_of(p_[static_cast<std::size_t>(outcome)]);
                if (given >= 0) log_words += log_of(p_[static_cast<std::size_t>(outcome)]);
                c.note(stages_.after(stage, kRootLabels, kAll, outcome));
            }
            c.left_arc(shape_.root_label(outcome));
        }
        Final made{{}, {}, {}, log_prob, log_words};
        for (std::int32_t word = 1; word <= sentence_->size(); ++word) {
            made.heads.push_back(c.head(word));
            made.labels.push_back(c.label(word));
            made.clusters.push_back(c.cluster(word));
        }
        finals_.push_back(std::move(made));
        note_score(log_prob);
    }

    void keep() {
        std::stable_sort(shifted_.begin(), shifted_.end(), [](const Shifted& a, const Shifted& b) { return a.log_prob > b.log_prob; });
        if (shifted_.size() > options_.width) shifted_.resize(options_.width);
        kept_.clear();
        for (const Shifted& s : shifted_) {
            kept_.push_back({node_at(s.node).configuration, s.log_prob});
            Configuration& c = kept_.back().configuration;
            const Outcome word = shape_.of_word(s.cluster, words_[static_cast<std::size_t>(c.front()) + 1]);
            c.note(stages_.after(s.stage, word.group, kAll, word.outcome));
            c.shift(s.cluster);
        }
    }

    static constexpr std::size_t kLeastExpanded = 60;
    // Derivations that go on to any word, for each that is kept otherwise: the likeliest before a word are not those with it.
    static constexpr std::size_t kOpen = 10;

    const Shape& shape_;
    const SeenClusters& seen_;
    BeamOptions options_;
    Stages<Real> stages_;
    const Sentence* sentence_ = nullptr;
    std::vector<std::int32_t> words_, features_, ranked_;
    std::vector<Real> p_, tags_;
    std::vector<OfTag> of_tags_;
    std::vector<Candidate> candidates_;
    std::vector<Node> kept_, nodes_;
    std::vector<Shifted> shifted_;
    std::priority_queue<Item> agenda_;
    std::priority_queue<double, std::vector<double>, std::greater<>> best_;
    std::vector<Final> finals_;
    std::vector<std::size_t> expanded_;  // by level
    double best_word_ = 0;
    std::uint32_t order_ = 0;
    std::size_t limit_ = options_.width;
    Open open_;  // sees what is about to generate a word that nobody knows
};

}  // namespace bistro::isbn
