// Segmentation of words into morphemes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <memory>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "infinite/segment.hpp"
#include "infinite/trie.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// The concatenated letters of words. The letters of word i are letters[offsets[i]] to letters[offsets[i + 1]].
struct Words {
    Letters letters;
    std::span<const std::int64_t> offsets;

    Words(const In<std::int32_t>& l, const In<std::int64_t>& o, std::int32_t alphabet) : letters(view(l)), offsets(view(o)) {
        bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(letters.size());
        for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) good = offsets[i] <= offsets[i + 1];
        for (const std::int32_t c : letters) good = good && c >= 0 && c < alphabet;
        if (!good)
            throw std::invalid_argument("words must be letters of the alphabet, with offsets that increase from 0 to their number");
    }
    std::size_t size() const { return offsets.size() - 1; }
    Letters operator[](std::size_t i) const {
        return letters.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
};

Out<double> spellings(const RuleTrie& trie, std::int32_t num_labels, std::int32_t alphabet,
                      const In<std::int32_t>& letters, const In<std::int64_t>& offsets, const In<std::int32_t>& label) {
    const Words words(letters, offsets, alphabet);
    if (label.shape(0) != words.size() || trie.num_rules() != alphabet + 1)
        throw std::invalid_argument("every word must have a label, and every letter and the end of a word must be an event");
    std::vector<double> out(words.size());
    nb::gil_scoped_release release;
    const MorphemeSpeller<RuleTrie> speller(trie, num_labels, alphabet);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = speller.log_prob(words[i], label.data()[i]);
    nb::gil_scoped_acquire acquire;
    return give(std::move(out));
}

// Contexts of the letters of words, for learning a spelling model: (elements, offsets, events).
auto spelling_events(const In<std::int32_t>& letters, const In<std::int64_t>& offsets, const In<std::int32_t>& label, std::int32_t num_labels,
                     std::int32_t alphabet) {
    const Words words(letters, offsets, alphabet);
    if (label.shape(0) != words.size()) throw std::invalid_argument("every word must have a label");
    std::vector<std::int32_t> elements, events, context;
    std::vector<std::int64_t> begins{0};
    for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t length = 0; length <= words[i].size(); ++length) {
            spelling_context(words[i].first(length), label.data()[i], num_labels, context);
            elements.insert(elements.end(), context.begin(), context.end());
            begins.push_back(static_cast<std::int64_t>(elements.size()));
            events.push_back(length < words[i].size() ? words[i][length] : alphabet);
        }
    return std::make_tuple(give(std::move(elements)), give(std::move(begins)), give(std::move(events)));
}

// Owns its table and shares its tries with Python, which keeps them alive.
class WordSegmenter {
public:
    WordSegmenter(const MorphemeColumns& columns, const RuleTrie& labels, const RuleTrie& morphemes, const RuleTrie& letters,
                  const SegmentOptions& options)
        : table_(columns), alphabet_(letters.num_rules() - 1), labels_(&labels), morphemes_(&morphemes), letters_(&letters), options_(options) {
        if (labels.num_rules() != table_.labels() + 1 || morphemes.num_rules() != table_.size() + 1)
            throw std::invalid_argument("the tries belong to another table of morphemes");
    }

    auto segment(const In<std::int32_t>& letters, const In<std::int64_t>& offsets, std::int32_t kbest) const {
        const Words words(letters, offsets, alphabet_);
        std::vector<double> total, log_prob;
        std::vector<std::int32_t> steps;
        std::vector<std::int64_t> analyses{0}, begins{0};
        {
            nb::gil_scoped_release release;
            Segmenter<RuleTrie> segmenter = fresh();
            for (std::size_t i = 0; i < words.size(); ++i) {
                const SegmentResult result = segmenter.segment(words[i], kbest);
                total.push_back(result.log_total);
                for (const Segmentation& one : result.analyses) {
                    log_prob.push_back(one.log_prob);
                    for (const SegmentStep& step : one.steps) steps.insert(steps.end(), {step.label, step.morpheme, step.end});
                    begins.push_back(static_cast<std::int64_t>(steps.size()) / 3);
                }
                analyses.push_back(static_cast<std::int64_t>(log_prob.size()));
            }
        }
        return std::make_tuple(give(std::move(total)), give(std::move(analyses)), give(std::move(log_prob)), give(std::move(begins)),
                               give(std::move(steps)));
    }

    double log_prob(const In<std::int32_t>& word, const In<std::int32_t>& steps) const {
        std::vector<SegmentStep> list;
        if (steps.shape(0) % 3 != 0) throw std::invalid_argument("a step must be a label, a morpheme and an end");
        for (std::size_t i = 0; i < steps.shape(0); i += 3) list.push_back({steps.data()[i], steps.data()[i + 1], steps.data()[i + 2]});
        for (const SegmentStep& step : list)
            if (step.morpheme >= table_.size()) throw std::invalid_argument("there is no such morpheme");
        for (const std::int32_t c : view(word))
            if (c < 0 || c >= alphabet_) throw std::invalid_argument("there is no such letter");
        return fresh().log_prob(view(word), list);
    }

private:
    // A segmenter has its own working space. Every call gets its own segmenter, so that several threads may call.
    Segmenter<RuleTrie> fresh() const { return {table_, *labels_, *morphemes_, *letters_, alphabet_, options_}; }

    MorphemeTable table_;
    std::int32_t alphabet_;
    const RuleTrie *labels_, *morphemes_, *letters_;
    SegmentOptions options_;
};

}  // namespace

void bind_segment(nb::module_& m) {
    m.def("spellings", &spellings, "trie"_a, nb::kw_only(), "num_labels"_a, "alphabet"_a, "letters"_a.noconvert(), "offsets"_a.noconvert(),
          "label"_a.noconvert(), "log P(letters | label) of every word.");
    m.def("spelling_events", &spelling_events, nb::kw_only(), "letters"_a.noconvert(), "offsets"_a.noconvert(), "label"_a.noconvert(),
          "num_labels"_a, "alphabet"_a, "Contexts, where each begins, and letters, of words and their ends.");
    nb::class_<WordSegmenter>(m, "WordSegmenter", "Cuts words into labelled morphemes.")
        .def("__init__", [](WordSegmenter* self, std::int32_t num_labels, const In<std::int32_t>& label, const In<std::int32_t>& surface,
                            const In<std::uint8_t>& plain, const In<std::int32_t>& letters, const In<std::int64_t>& offsets,
                            const RuleTrie& label_trie, const RuleTrie& morpheme_trie, const RuleTrie& letter_trie, std::int32_t beam,
                            double floor, double unseen_share) {
            const SegmentOptions options{beam, floor, unseen_share};
            new (self) WordSegmenter({num_labels, view(label), view(surface), view(plain), view(letters), view(offsets)}, label_trie,
                                     morpheme_trie, letter_trie, options);
        }, nb::kw_only(), "num_labels"_a, "label"_a.noconvert(), "surface"_a.noconvert(), "plain"_a.noconvert(), "letters"_a.noconvert(),
             "offsets"_a.noconvert(), "label_trie"_a, "morpheme_trie"_a, "letter_trie"_a, "beam"_a, "floor"_a, "unseen_share"_a,
             nb::keep_alive<1, 8>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
        .def("segment", &WordSegmenter::segment, "letters"_a.noconvert(), "offsets"_a.noconvert(), "kbest"_a = 1,
             "(log totals, where the analyses of each word begin, their log P, where the steps of each begin, steps: label, morpheme, end)")
        .def("log_prob", &WordSegmenter::log_prob, "word"_a.noconvert(), "steps"_a.noconvert(), "log P of one analysis of a word.");
}

}  // namespace bistro::bind
