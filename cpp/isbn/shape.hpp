// Symbols, decisions and parameters of the latent-variable parser: the meaning of all numbers, and the positions of weights.
//
// A word belongs to a cluster, which is a tag with a bundle of morphological features. A word is predicted by three decisions:
// the tag (or the end of the sentence), one of the bundles of the tag, and one of the words of the cluster. If a cluster does not
// list all words, its last outcome represents the unlisted words. Let n be the number of different unlisted words that were seen
// with the cluster. The share of an unlisted word is proportional to its count in the cluster plus n times its relative frequency
// among all unlisted words; if n is 0, the share is the relative frequency.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "parse/elements.hpp"

namespace bistro::isbn {

inline constexpr int kRelations = 7;
// Limits for the numbers in a model file. Within these limits, sums stay finite and precise.
inline constexpr std::int32_t kMostHidden = 1 << 20;
inline constexpr double kLowestFrequency = 1e-3, kHighestFrequency = 1e15, kLargestWeight = 1e6;
inline constexpr std::int32_t kAbsent = -1;

enum Action : std::int32_t { kLeftArc = 0, kRightArc = 1, kReduce = 2, kShift = 3, kStart = 4 };
inline constexpr std::int32_t kActions = 4;

// The words that a state can see, in the order of `places_of`, and their attributes. Attributes from "action" on do not belong
// to a word.
inline constexpr std::array<std::string_view, 13> kPlaceNames{"s1",   "s2", "s3", "b",     "s1.lc", "s1.rc",  "s1.head",
                                                              "b.lc", "p1", "p2", "s2.lc", "s2.rc", "s2.head"};
inline constexpr std::array<std::string_view, 15> kAttributeNames{
    "word", "tag", "feats", "label", "lemma", "coarse", "action", "distance",
    // Decisions of the states at the other end of each relation, in the order of the relations.
    "input.decision", "stack.decision", "s1.rc.decision", "s1.lc.decision", "b.lc.decision", "s1.head.decision",
    "s1.front.decision"};
consteval int attribute(std::string_view name) { return number_of(kAttributeNames, name); }

inline constexpr int kOfWords = attribute("action"), kElementsOfWords = kPlaceNames.size() * kOfWords;
inline constexpr int kFirstDecision = attribute("input.decision");

struct Element {
    std::int32_t place, attribute;
    std::int32_t first_row = 0;

    explicit Element(int number)
        : place(number < kElementsOfWords ? number / kOfWords : 0),
          attribute(number < kElementsOfWords ? number % kOfWords : kOfWords + number - kElementsOfWords) {}

    // Does it depend on the word alone, and not on the tree?
    bool is_of_word() const { return attribute < kOfWords && attribute != isbn::attribute("label"); }
};

inline std::vector<std::string> isbn_elements() {
    std::vector<std::string> names;
    for (const std::string_view place : kPlaceNames)
        for (int a = 0; a < kOfWords; ++a) names.emplace_back(place).append(".").append(kAttributeNames[a]);
    names.insert(names.end(), kAttributeNames.begin() + kOfWords, kAttributeNames.end());
    return names;
}

// Groups of outcomes; a decision chooses one outcome. The other groups are one of bundles per tag and one of words per cluster.
enum Group : std::int32_t { kActionGroup, kLeftLabels, kRightLabels, kRootLabels, kTagGroup, kFirstBundles };
inline constexpr std::int32_t kEnd = 0;  // outcome of kTagGroup; tag t is outcome t + 1

struct Symbols {
    std::int32_t words = 1, tags = 1, labels = 1, components = 0;
    std::vector<std::int32_t> tag_of;                           // by cluster
    std::vector<std::int32_t> component_begin, component_list;  // by cluster: its individual features
    std::vector<std::int32_t> word_begin, word_list;            // by cluster: its words, in increasing order
    std::vector<double> frequency;                              // by word, above 0
    bool single_root = false;
    std::vector<std::int32_t> root_labels;              // labels of words attached to the root, in increasing order
    std::int32_t coarse_tags = 0, lemmas = 0;           // 0 if states do not see them
    std::vector<std::int32_t> coarse_of, lemma_of;      // by cluster; by word, for words whose lemma is not given
    std::vector<std::int32_t> other_begin, other_list;  // by cluster: unlisted words seen with it, in increasing order;
    std::vector<double> other_count;                    // all three are empty if the model does not count such words

    std::int32_t clusters() const { return static_cast<std::int32_t>(tag_of.size()); }
    std::int32_t no_word() const { return words; }
    std::int32_t no_tag() const { return tags; }
    std::int32_t no_label() const { return labels; }           // a word without a head
    std::int32_t label_of_none() const { return labels + 1; }  // if there is no word
    // Decisions of a state about the tree: reduce, shift, or an arc with its label.
    static constexpr std::int32_t kReduceDecision = 0, kShiftDecision = 1;
    static std::int32_t arc_decision(Action arc, std::int32_t label) { return 2 + 2 * label + (arc == kRightArc); }
    std::int32_t decisions() const { return 2 + 2 * labels; }

    // Checks everything on which the accessors rely, since a model file can contain any numbers.
    void check() const {
        auto offsets = [&](const std::vector<std::int32_t>& begin, std::size_t length) {
            return begin.size() == tag_of.size() + 1 && begin.front() == 0 && begin.back() == static_cast<std::int32_t>(length) &&
                   std::is_sorted(begin.begin(), begin.end());
        };
        auto within = [](const std::vector<std::int32_t>& values, std::int32_t limit) {
            return std::all_of(values.begin(), values.end(), [&](std::int32_t v) { return v >= 0 && v < limit; });
        };
        auto one_for_each = [&](const std::vector<std::int32_t>& values, std::int32_t limit, std::size_t length) {
            return limit >= 0 && within(values, limit) && values.size() == (limit > 0 ? length : 0);
        };
        auto rising = [](auto begin, auto end) { return std::adjacent_find(begin, end, std::greater_equal<>()) == end; };
        bool good = words > 0 && tags > 0 && labels > 0 && components >= 0 && !tag_of.empty() && within(tag_of, tags) &&
                    offsets(component_begin, component_list.size()) && within(component_list, components) &&
                    offsets(word_begin, word_list.size()) && within(word_list, words) && !root_labels.empty() &&
                    within(root_labels, labels) && rising(root_labels.begin(), root_labels.end()) &&
                    frequency.size() == static_cast<std::size_t>(words) && one_for_each(coarse_of, coarse_tags, tag_of.size()) &&
                    one_for_each(lemma_of, lemmas, frequency.size());
        for (std::size_t c = 0; good && c < tag_of.size(); ++c)
            good = rising(word_list.begin() + word_begin[c], word_list.begin() + word_begin[c + 1]);
        auto countable = [](double f) { return f >= kLowestFrequency && f <= kHighestFrequency; };
        good = good && std::all_of(frequency.begin(), frequency.end(), countable);
        good = good && other_list.size() == other_count.size() && std::all_of(other_count.begin(), other_count.end(), countable);
        good = good &&
               (other_begin.empty() ? other_list.empty() : offsets(other_begin, other_list.size()) && within(other_list, words));
        for (std::size_t c = 0; good && !other_begin.empty() && c < tag_of.size(); ++c) {
            const auto begin = other_list.begin() + other_begin[c], end = other_list.begin() + other_begin[c + 1];
            auto listed = [&](std::int32_t word) {
                return std::binary_search(word_list.begin() + word_begin[c], word_list.begin() + word_begin[c + 1], word);
            };
            good = rising(begin, end) && std::none_of(begin, end, listed);
        }
        std::vector<bool> has_cluster(good ? static_cast<std::size_t>(tags) : 0);
        for (std::size_t c = 0; good && c < tag_of.size(); ++c) has_cluster[static_cast<std::size_t>(tag_of[c])] = true;
        good = good && std::find(has_cluster.begin(), has_cluster.end(), false) == has_cluster.end();
        if (!good) throw std::invalid_argument("the symbols of the model are damaged");
    }
};

// An outcome of a group. Words share the probability of an outcome: exp(log_share) is the share of one word.
struct Outcome {
    std::int32_t group, outcome;
    double log_share = 0;
};

class Shape {
public:
    Shape(Symbols symbols, std::int32_t hidden, std::vector<Element> elements, bool linked, bool mean_field)
        : symbols_(std::move(symbols)), hidden_(hidden), elements_(std::move(elements)), linked_(linked), mean_field_(mean_field) {
        symbols_.check();
        if (hidden < 1) throw std::invalid_argument("a state must have at least one variable");
        if (hidden > kMostHidden) throw std::invalid_argument("a state has too many variables");
        number_bundles();
        weigh_other_words();
        rows_ = 1;  // every state sees row 0
        for (Element& e : elements_) {
            e.first_row = rows_;
            if ((e.attribute == attribute("lemma") && symbols_.lemmas == 0) ||
                (e.attribute == attribute("coarse") && symbols_.coarse_tags == 0))
                throw std::invalid_argument("states see lemmas or coarse tags that the model does not have");
            rows_ += values_of(e);
        }
        lay_out();
    }

    const Symbols& symbols() const { return symbols_; }
    const std::vector<Element>& elements() const { return elements_; }
    std::size_t hidden() const { return static_cast<std::size_t>(hidden_); }
    std::int32_t rows() const { return rows_; }
    bool linked() const { return linked_; }
    bool mean_field() const { return mean_field_; }  // do means move with decisions?

    std::int32_t groups() const { return static_cast<std::int32_t>(sizes_.size()); }
    std::size_t outcomes(std::int32_t group) const { return static_cast<std::size_t>(sizes_[group]); }

    // Indices in the array of all parameters.
    std::size_t row_at(std::int32_t row) const { return static_cast<std::size_t>(row) * hidden(); }
    std::size_t links_at(int relation) const { return links_at_ + static_cast<std::size_t>(relation) * hidden() * hidden(); }
    std::size_t group_at(std::int32_t group) const { return group_at_[group]; }
    std::size_t bias_at(std::int32_t group) const { return group_at_[group] + hidden() * outcomes(group); }
    std::size_t parameters() const { return parameters_; }

    Outcome of_bundle(std::int32_t cluster) const { return {kFirstBundles + symbols_.tag_of[cluster], bundle_[cluster]}; }
    std::int32_t bundles_of_tag(std::int32_t tag) const { return static_cast<std::int32_t>(cluster_of_[tag].size()); }
    std::int32_t clusters_of_tag(std::int32_t tag, std::int32_t outcome) const { return cluster_of_[tag][outcome]; }
    std::int32_t word_group(std::int32_t cluster) const { return kFirstBundles + symbols_.tags + cluster; }

    Outcome of_word(std::int32_t cluster, std::int32_t word) const {
        const auto begin = symbols_.word_list.begin() + symbols_.word_begin[cluster];
        const auto end = symbols_.word_list.begin() + symbols_.word_begin[cluster + 1];
        const auto found = std::lower_bound(begin, end, word);
        if (found != end && *found == word) return {word_group(cluster), static_cast<std::int32_t>(found - begin)};
        return {word_group(cluster), static_cast<std::int32_t>(end - begin), std::log(share(cluster, word))};
    }

    // The share of an unlisted word in the probability of all unlisted words of a cluster.
    double share(std::int32_t cluster, std::int32_t word) const {
        const double by_frequency = symbols_.frequency[word] / other_[cluster];
        if (symbols_.other_begin.empty()) return by_frequency;
        const std::int32_t first = symbols_.other_begin[cluster], last = symbols_.other_begin[cluster + 1];
        if (first == last) return by_frequency;
        const auto begin = symbols_.other_list.begin() + first, end = symbols_.other_list.begin() + last;
        const auto found = std::lower_bound(begin, end, word);
        const double count = found != end && *found == word ? symbols_.other_count[found - symbols_.other_list.begin()] : 0.0;
        const double types = last - first;
        return (count + types * by_frequency) / (counted_[cluster] + types);
    }

    std::int32_t root_label(std::int32_t outcome) const { return symbols_.root_labels[outcome]; }
    std::int32_t root_outcome(std::int32_t label) const {
        const auto found = std::lower_bound(symbols_.root_labels.begin(), symbols_.root_labels.end(), label);
        if (found == symbols_.root_labels.end() || *found != label) return kAbsent;
        return static_cast<std::int32_t>(found - symbols_.root_labels.begin());
    }

private:
    std::int32_t values_of(const Element& element) const {
        switch (element.attribute) {
            case attribute("word"): return symbols_.words + 2;
            case attribute("tag"): return symbols_.tags + 2;
            case attribute("feats"): return symbols_.components;
            case attribute("label"): return symbols_.labels + 2;
            case attribute("lemma"): return symbols_.lemmas + 2;
            case attribute("coarse"): return symbols_.coarse_tags + 2;
            case attribute("action"): return kActions + 1;
            case attribute("distance"): return 6;
            default: return symbols_.decisions();
        }
    }

    void number_bundles() {
        cluster_of_.resize(static_cast<std::size_t>(symbols_.tags));
        for (std::int32_t c = 0; c < symbols_.clusters(); ++c) {
            auto& of_tag = cluster_of_[symbols_.tag_of[c]];
            bundle_.push_back(static_cast<std::int32_t>(of_tag.size()));
            of_tag.push_back(c);
        }
    }

    void weigh_other_words() {
        const std::vector<double>& f = symbols_.frequency;
        const double total = std::accumulate(f.begin(), f.end(), 0.0);
        for (std::int32_t c = 0; c < symbols_.clusters(); ++c) {
            const auto begin = symbols_.word_list.begin() + symbols_.word_begin[c],
                       end = symbols_.word_list.begin() + symbols_.word_begin[c + 1];
            double other = total;
            for (auto word = begin; word != end; ++word) other -= f[*word];
            // If the difference is imprecise, the sum is computed directly. It is above 0 if there are unlisted words.
            if (other < 1e-6 * total) {
                other = 0;
                auto word = begin;
                for (std::int32_t w = 0; w < symbols_.words; ++w)
                    if (word != end && *word == w)
                        ++word;
                    else
                        other += f[w];
            }
            other_.push_back(other);
        }
        if (symbols_.other_begin.empty()) return;
        for (std::int32_t c = 0; c < symbols_.clusters(); ++c) {
            const auto counts = symbols_.other_count.begin();
            counted_.push_back(std::accumulate(counts + symbols_.other_begin[c], counts + symbols_.other_begin[c + 1], 0.0));
        }
    }

    void lay_out() {
        const Symbols& s = symbols_;
        sizes_ = {kActions, s.labels, s.labels, static_cast<std::int32_t>(s.root_labels.size()), s.tags + 1};
        for (const auto& of_tag : cluster_of_)
            sizes_.push_back(std::max<std::int32_t>(1, static_cast<std::int32_t>(of_tag.size())));
        for (std::int32_t c = 0; c < s.clusters(); ++c) sizes_.push_back(s.word_begin[c + 1] - s.word_begin[c] + (other_[c] > 0));
        links_at_ = row_at(rows_);
        std::size_t at = links_at_ + kRelations * hidden() * hidden();
        for (const std::int32_t size : sizes_) {
            group_at_.push_back(at);
            at += (hidden() + 1) * static_cast<std::size_t>(size);
        }
        parameters_ = at;
    }

    Symbols symbols_;
    std::int32_t hidden_, rows_ = 0;
    std::vector<Element> elements_;
    bool linked_, mean_field_;
    std::vector<std::int32_t> bundle_;                   // by cluster: its outcome in the group of its tag
    std::vector<std::vector<std::int32_t>> cluster_of_;  // by tag and outcome
    std::vector<double> other_, counted_;                // by cluster: total frequency and count of its unlisted words
    std::vector<std::int32_t> sizes_;
    std::vector<std::size_t> group_at_;
    std::size_t links_at_ = 0, parameters_ = 0;
};

}  // namespace bistro::isbn
