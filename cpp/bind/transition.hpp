// Sentences and models in the bindings of the transition parser.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "bind/frozen_holder.hpp"
#include "parse/model.hpp"
#include "parse/oracle.hpp"

namespace bistro::bind {

using Ints = In<std::int32_t>;

// Concatenated sentences. Sentence i has the words offsets[i] to offsets[i + 1]. Arrays of annotation have one value per
// word, or are empty.
struct Batch {
    Ints words;
    In<std::int64_t> offsets;
    Ints tags, heads, labels;
    Ints spelled;         // row of spellings of each word, -1 for words in the vocabulary; or empty
    In<double> spellings;  // concatenated rows of p(spelling | tag)
    std::vector<std::int32_t> lemmas{};  // lemma of each word, -1 if there is none; or empty

    std::size_t size() const { return offsets.shape(0) - 1; }

    void check(const System& system) const {
        const auto n = words.shape(0);
        bool good = offsets.shape(0) >= 1 && offsets.data()[0] == 0 && offsets.data()[size()] == static_cast<std::int64_t>(n);
        for (std::size_t i = 0; good && i < size(); ++i) good = offsets.data()[i] < offsets.data()[i + 1];
        for (const Ints* a : {&tags, &heads, &labels, &spelled}) good = good && (a->shape(0) == 0 || a->shape(0) == n);
        if (!good) throw std::invalid_argument("words, offsets and annotation do not match");
        auto within = [](const Ints& values, std::int32_t low, std::int32_t limit) {
            for (const std::int32_t v : view(values))
                if (v < low || v >= limit) throw std::invalid_argument("a word, tag or label is out of range");
        };
        within(words, 0, system.symbols.words);
        within(tags, -1, system.symbols.tags);
        within(labels, -1, system.symbols.labels);
        within(spelled, -1, static_cast<std::int32_t>(spellings.shape(0) / static_cast<std::size_t>(system.symbols.tags)));
        for (const double p : view(spellings))
            if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a probability must lie in [0, 1]");
        for (std::size_t i = 0; heads.shape(0) > 0 && i < size(); ++i)
            for (auto at = offsets.data()[i]; at < offsets.data()[i + 1]; ++at)
                if (heads.data()[at] < -1 || heads.data()[at] > offsets.data()[i + 1] - offsets.data()[i])
                    throw std::invalid_argument("a head is outside its sentence");
    }

    Sentence sentence(std::size_t i) const {
        const auto begin = static_cast<std::size_t>(offsets.data()[i]);
        const auto length = static_cast<std::size_t>(offsets.data()[i + 1]) - begin;
        auto part = [&](const Ints& all) {
            return all.shape(0) == 0 ? std::span<const std::int32_t>{} : view(all).subspan(begin, length);
        };
        Sentence s;
        if (!lemmas.empty()) s.lemmas = std::span(lemmas).subspan(begin, length);
        s.words = part(words), s.tags = part(tags), s.heads = part(heads), s.labels = part(labels);
        s.spelled = part(spelled), s.spellings = view(spellings);
        return s;
    }
};

// The tags of word w are list[begin[w]] to list[begin[w + 1]].
inline void check_tag_lists(const Symbols& symbols, std::span<const std::int32_t> begin, std::span<const std::int32_t> list) {
    bool good = begin.size() == static_cast<std::size_t>(symbols.words) + 1 && begin.front() == 0 &&
                begin.back() == static_cast<std::int32_t>(list.size()) && std::is_sorted(begin.begin(), begin.end());
    for (const std::int32_t tag : list) good = good && tag >= 0 && tag < symbols.tags;
    if (!good) throw std::invalid_argument("the tags of the words are damaged");
}

// A model over frozen franchises; it keeps them alive.
//
// The pace applies to sentences that the model draws itself and to their probabilities. In parsing, the words are known and
// p(shift) is correct without the pace, so parsing uses only the distributions.
struct Parser {
    TransitionModel<Frozen> model, unpaced;
    std::vector<nb::object> kept;
    Ints tag_begin, tag_list;

    Parser(const EventShape& shape, nb::object actions, nb::object labels, nb::object tags, nb::object words,
           bool labels_in_contexts, Ints tag_begin_, Ints tag_list_, double pace_begin, double pace_exponent)
        : tag_begin(std::move(tag_begin_)), tag_list(std::move(tag_list_)) {
        model.system = shape.system;
        model.labelled = shape.labelled;
        model.joint_labels = shape.joint_labels;
        model.lexicalised = shape.lexicalised;
        model.labels_in_contexts = labels_in_contexts;
        const Symbols& s = shape.system.symbols;
        set(model.actions, shape.contexts.actions, actions, shape.code().outcomes());
        if (shape.labelled && !shape.joint_labels) set(model.labels, shape.contexts.labels, labels, s.labels);
        set(model.tags, shape.contexts.tags, tags, s.tags);
        if (shape.lexicalised) set(model.words, shape.contexts.words, words, s.words);
        check_tag_lists(s, view(tag_begin), view(tag_list));
        model.tag_begin = view(tag_begin);
        model.tag_list = view(tag_list);
        if (!(pace_begin >= 1) || !(pace_exponent >= 0)) throw std::invalid_argument("the pace of the model is damaged");
        unpaced = model;
        model.pace = {pace_begin, pace_exponent};
    }

    void set(Predictor<Frozen>& predictor, const ContextList& contexts, nb::object holder, std::int32_t outcomes) {
        if (holder.is_none()) throw std::invalid_argument("a distribution is missing");
        const auto& frozen = nb::cast<const FrozenHolder&>(holder).frozen;
        if (frozen.dishes != outcomes) throw std::invalid_argument("a distribution has the wrong number of outcomes");
        predictor = {&frozen, contexts};
        kept.push_back(std::move(holder));
    }
};

}  // namespace bistro::bind
