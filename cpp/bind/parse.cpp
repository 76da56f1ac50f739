// The transition parser: training events of trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/events.hpp"
#include "bind/results.hpp"
#include "bind/transition.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

ContextList context_list(const std::vector<int>& elements) {
    if (elements.size() > kLongestContext) throw std::invalid_argument("a context has more than 31 elements");
    ContextList list;
    for (const int e : elements) {
        if (e < 0 || e >= kElements) throw std::invalid_argument("there is no such context element");
        list.push_back(static_cast<std::uint8_t>(e));
    }
    return list;
}

nb::dict oracle_events(const EventShape& shape, const Batch& batch) {
    DerivationEvents events;
    std::vector<std::int32_t> failed;
    {
        nb::gil_scoped_release release;
        batch.check(shape.system);
        Recorder recorder(shape, events);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            Sentence sentence = batch.sentence(i);
            sentence.prepare();
            if (!recorder.follow(sentence)) failed.push_back(static_cast<std::int32_t>(i));
        }
    }
    nb::dict out;
    out["actions"] = give_events(std::move(events.actions.contexts), std::move(events.actions.outcomes), shape.contexts.actions.size());
    out["labels"] = give_events(std::move(events.labels.contexts), std::move(events.labels.outcomes), shape.contexts.labels.size());
    out["tags"] = give_events(std::move(events.tags.contexts), std::move(events.tags.outcomes), shape.contexts.tags.size());
    out["words"] = give_events(std::move(events.words.contexts), std::move(events.words.outcomes), shape.contexts.words.size());
    out["failed"] = give(std::move(failed));
    return out;
}

nb::dict parse_batch(const Parser& parser, const Batch& batch, const ParseRequest& request, int threads) {
    return parse_all(batch, parser.model.system, threads, {request.marginals, request.arcs}, [&] {
        return [of_sentences = SentenceParser<Frozen>(parser.model, request)](const Sentence& sentence, std::size_t i) mutable {
            return of_sentences.parse(sentence, i);
        };
    });
}

}  // namespace

void bind_parse(nb::module_& m) {
    nb::class_<EventShape>(m, "TransitionShape", "Symbols, root, labels and contexts of a transition model.")
        .def("__init__", [](EventShape* self, int tags, int words, int labels, bool root_first, bool single_root, bool labelled,
                            bool joint_labels, bool lexicalised, const std::vector<int>& action_contexts,
                            const std::vector<int>& label_contexts, const std::vector<int>& tag_contexts,
                            const std::vector<int>& word_contexts) {
            // Tags and labels are stored in 16 bits.
            if (tags < 1 || tags > 30000 || words < 1 || labels < 1 || labels > 30000)
                throw std::invalid_argument("there must be 1 to 30,000 tags and labels, and at least one word");
            new (self) EventShape{{{tags, words, labels}, root_first, single_root},
                                  {context_list(action_contexts), context_list(label_contexts), context_list(tag_contexts),
                                   context_list(word_contexts)},
                                  labelled, joint_labels, lexicalised};
        }, "tags"_a, "words"_a, "labels"_a, "root_first"_a, "single_root"_a, "labelled"_a, "joint_labels"_a, "lexicalised"_a,
             "action_contexts"_a, "label_contexts"_a, "tag_contexts"_a, "word_contexts"_a)
        .def_prop_ro("action_outcomes", [](const EventShape& self) { return self.code().outcomes(); });

    nb::class_<Batch>(m, "SentenceBatch", "Encoded sentences in a row, with what is known of them.")
        .def(nb::init<Ints, In<std::int64_t>, Ints, Ints, Ints, Ints, In<double>>(), "words"_a.noconvert(),
             "offsets"_a.noconvert(), "tags"_a.noconvert(), "heads"_a.noconvert(), "labels"_a.noconvert(),
             "spelled"_a.noconvert(), "spellings"_a.noconvert());

    m.def("oracle_events", &oracle_events, "shape"_a, "batch"_a,
          "(contexts, outcomes) of every distribution by name, and the numbers of trees that are not projective ('failed').");

    nb::class_<ParseRequest>(m, "ParseRequest", "What to search, how hard, and what to return.")
        .def("__init__", [](ParseRequest* self, const std::string& search, std::int64_t size, int tags, int labels,
                            bool both_reduces, int best, int samples, bool marginals, bool minimum_risk, std::uint64_t seed,
                            std::uint64_t purpose, bool by_weight, double temperature, bool arcs) {
            if (search != "particles" && search != "beam") throw std::invalid_argument("search is particles or beam");
            if (size < 1 || tags < 1 || labels < 1 || best < (arcs ? 0 : 1) || samples < 0)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            if (!(temperature > 0)) throw std::invalid_argument("the temperature must be above 0");
            new (self) ParseRequest{search == "beam", size, {tags, labels, both_reduces}, best, samples, marginals,
                                    minimum_risk, seed, purpose, by_weight, temperature, arcs};
        }, "search"_a, "size"_a, "tags"_a, "labels"_a, "both_reduces"_a, "best"_a, "samples"_a, "marginals"_a,
             "minimum_risk"_a, "seed"_a, "purpose"_a, "by_weight"_a = false, "temperature"_a = 1.0, "arcs"_a = false);

    nb::class_<Parser>(m, "TransitionParser", "A transition model over frozen distributions.")
        .def(nb::init<const EventShape&, nb::object, nb::object, nb::object, nb::object, bool, Ints, Ints>(), "shape"_a,
             "actions"_a, "labels"_a.none(), "tags"_a, "words"_a.none(), "labels_in_contexts"_a, "tag_begin"_a.noconvert(),
             "tag_list"_a.noconvert())
        .def("parse", &parse_batch, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.");
}

}  // namespace bistro::bind
