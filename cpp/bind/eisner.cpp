// Eisner's model: training events of trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/events.hpp"
#include "bind/results.hpp"
#include "parse/eisner_parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

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
    return parse_all(batch, system, threads, request, [&] {
        return [&, labels = LabelRows(self.model)](const Sentence& sentence, std::size_t i) mutable {
            return parse_sentence(self.model, labels, sentence, request, i);
        };
    });
}

}  // namespace

void bind_eisner(nb::module_& m) {
    m.def("dependency_elements", &dependency_elements, "The names of all context elements, in the order of their numbers.");

    nb::class_<DependencyShape>(m, "DependencyShape", "Symbols, labels and contexts (by distribution) of Eisner's model.")
        .def("__init__", [](DependencyShape* self, int num_tags, int num_words, int num_labels, bool single_root, bool labelled,
                            bool generated_labels, const NamedContexts& contexts) {
            if (num_tags < 1 || num_words < 1 || num_labels < 1) throw std::invalid_argument("there must be a tag, a word and a label");
            const std::vector<std::string> names = dependency_elements();
            auto list = [&](const char* distribution) { return context_list(names, contexts.at(distribution)); };
            new (self) DependencyShape{{num_tags, num_words, num_labels}, single_root, labelled, generated_labels,
                                       list("labels"), list("tags"), list("words")};
        }, nb::kw_only(), "num_tags"_a, "num_words"_a, "num_labels"_a, "single_root"_a, "labelled"_a, "generated_labels"_a,
             "contexts"_a)
        .def_prop_ro("tag_outcomes", &DependencyShape::tag_outcomes)
        .def_prop_ro("label_outcomes", &DependencyShape::label_outcomes);

    m.def("dependency_events", &dependency_events, "shape"_a, "batch"_a, "(contexts, outcomes) of every distribution by name.");

    nb::class_<ChartRequest>(m, "ChartRequest", "How many candidates a word has in the chart, and what the parser returns.")
        .def("__init__", [](ChartRequest* self, const OutputRequest& output, int tags_per_word, double least_candidate) {
            if (tags_per_word < 1) throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            new (self) ChartRequest{output, tags_per_word, least_candidate};
        }, nb::kw_only(), "output"_a, "tags_per_word"_a, "least_candidate"_a);

    nb::class_<EisnerHolder>(m, "EisnerParser", "Eisner's model over frozen distributions.")
        .def(nb::init<const DependencyShape&, nb::object, nb::object, nb::object, nb::object, nb::object, Ints, Ints, Ints, Ints>(),
             "shape"_a, nb::kw_only(), "labels"_a = nb::none(), "tags"_a, "words"_a, "states"_a, "emissions"_a,
             "tag_of"_a.noconvert(), "label_of"_a.noconvert(), "state_begin"_a.noconvert(), "state_list"_a.noconvert())
        .def("parse", &parse_with_chart, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.");
}

}  // namespace bistro::bind
