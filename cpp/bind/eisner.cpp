// Eisner's model: training events of trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/events.hpp"
#include "bind/results.hpp"
#include "parse/eisner_parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

ContextList dependency_contexts(const std::vector<int>& elements) {
    ContextList list;
    for (const int e : elements) {
        if (e < 0 || e >= kDependencyElements) throw std::invalid_argument("there is no such context element");
        list.push_back(static_cast<std::uint8_t>(e));
    }
    return list;
}

nb::dict dependency_events(const DependencyShape& shape, const Batch& batch) {
    DependencyRecorder events(shape);
    {
        nb::gil_scoped_release release;
        batch.check({shape.symbols});
        for (std::size_t i = 0; i < batch.size(); ++i) events.follow(batch.sentence(i));
    }
    nb::dict out;
    out["labels"] = give_events(std::move(events.labels.contexts), std::move(events.labels.outcomes), shape.labels.size());
    out["tags"] = give_events(std::move(events.tags.contexts), std::move(events.tags.outcomes), shape.tags.size());
    out["words"] = give_events(std::move(events.words.contexts), std::move(events.words.outcomes), shape.words.size());
    return out;
}

// A model over frozen franchises; it keeps them alive.
struct EisnerHolder {
    EisnerModel model;
    std::vector<nb::object> kept;
    Ints tag_of, label_of, state_begin, state_list;

    EisnerHolder(const DependencyShape& shape, nb::object labels, nb::object tags, nb::object words, nb::object states,
                 nb::object emissions, Ints tag_of_, Ints label_of_, Ints state_begin_, Ints state_list_)
        : tag_of(std::move(tag_of_)), label_of(std::move(label_of_)), state_begin(std::move(state_begin_)),
          state_list(std::move(state_list_)) {
        model.shape = shape;
        if (shape.labelled) model.labels = take(std::move(labels), shape.label_outcomes());
        model.tags = take(std::move(tags), shape.tag_outcomes());
        model.words = take(std::move(words), shape.symbols.words);
        const auto num_states = static_cast<std::int32_t>(tag_of.shape(0));
        model.tagger = {take(std::move(states), num_states), take(std::move(emissions), shape.symbols.words),
                        view(tag_of), view(label_of), view(state_begin), view(state_list)};
        check_states();
    }

    const Frozen* take(nb::object holder, std::int32_t outcomes) {
        if (holder.is_none()) throw std::invalid_argument("a distribution is missing");
        const Frozen* frozen = &nb::cast<const FrozenHolder&>(holder).frozen;
        if (frozen->dishes != outcomes) throw std::invalid_argument("a distribution has the wrong number of outcomes");
        kept.push_back(std::move(holder));
        return frozen;
    }

    void check_states() const {
        const Symbols& s = model.shape.symbols;
        const Tagger& t = model.tagger;
        auto within = [](std::span<const std::int32_t> values, std::int32_t low, std::int32_t limit) {
            return std::ranges::all_of(values, [&](std::int32_t v) { return v >= low && v < limit; });
        };
        const bool good = t.num_states() > 0 && t.label_of.size() == t.tag_of.size() && within(t.tag_of, 0, s.tags) &&
                          within(t.label_of, -1, s.labels) && within(t.state_list, 0, t.num_states()) &&
                          t.state_begin.size() == static_cast<std::size_t>(s.words) + 1 && t.state_begin.front() == 0 &&
                          t.state_begin.back() == static_cast<std::int32_t>(t.state_list.size()) &&
                          std::ranges::is_sorted(t.state_begin);
        if (!good) throw std::invalid_argument("the states of the words are damaged");
    }
};

nb::dict parse_with_chart(const EisnerHolder& self, const Batch& batch, const ChartRequest& request, int threads) {
    const System system{self.model.shape.symbols};
    return parse_all(batch, system, threads, {request.marginals, request.arcs}, [&] {
        return [&](const Sentence& sentence, std::size_t i) { return parse_sentence(self.model, sentence, request, i); };
    });
}

}  // namespace

void bind_eisner(nb::module_& m) {
    nb::class_<DependencyShape>(m, "DependencyShape", "Symbols, labels and contexts of Eisner's model.")
        .def("__init__", [](DependencyShape* self, int tags, int words, int labels, bool single_root, bool labelled,
                            bool generated_labels, const std::vector<int>& label_contexts, const std::vector<int>& tag_contexts,
                            const std::vector<int>& word_contexts) {
            if (tags < 1 || words < 1 || labels < 1) throw std::invalid_argument("there must be a tag, a word and a label");
            new (self) DependencyShape{{tags, words, labels}, single_root, labelled, generated_labels,
                                       dependency_contexts(label_contexts), dependency_contexts(tag_contexts),
                                       dependency_contexts(word_contexts)};
        }, "tags"_a, "words"_a, "labels"_a, "single_root"_a, "labelled"_a, "generated_labels"_a, "label_contexts"_a,
             "tag_contexts"_a, "word_contexts"_a)
        .def_prop_ro("tag_outcomes", &DependencyShape::tag_outcomes)
        .def_prop_ro("label_outcomes", &DependencyShape::label_outcomes);

    m.def("dependency_events", &dependency_events, "shape"_a, "batch"_a, "(contexts, outcomes) of every distribution by name.");

    nb::class_<ChartRequest>(m, "ChartRequest", "How many candidates a word has in the chart, and what to return.")
        .def("__init__", [](ChartRequest* self, int candidates, double least_candidate, int best, int samples, bool marginals,
                            bool minimum_risk, std::uint64_t seed, std::uint64_t purpose, double temperature, bool arcs) {
            if (candidates < 1 || best < (arcs ? 0 : 1) || samples < 0)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            if (!(temperature > 0)) throw std::invalid_argument("the temperature must be above 0");
            new (self) ChartRequest{candidates, least_candidate, best, samples, marginals, minimum_risk, seed, purpose, temperature,
                                    arcs};
        }, "candidates"_a, "least_candidate"_a, "best"_a, "samples"_a, "marginals"_a, "minimum_risk"_a, "seed"_a, "purpose"_a,
             "temperature"_a, "arcs"_a = false);

    nb::class_<EisnerHolder>(m, "EisnerParser", "Eisner's model over frozen distributions.")
        .def(nb::init<const DependencyShape&, nb::object, nb::object, nb::object, nb::object, nb::object, Ints, Ints, Ints, Ints>(),
             "shape"_a, "labels"_a.none(), "tags"_a, "words"_a, "states"_a, "emissions"_a, "tag_of"_a.noconvert(),
             "label_of"_a.noconvert(), "state_begin"_a.noconvert(), "state_list"_a.noconvert())
        .def("parse", &parse_with_chart, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.");
}

}  // namespace bistro::bind
