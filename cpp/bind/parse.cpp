// The transition parser: training events of trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/map.h>
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
    const TransitionModel<Frozen> model = request.searched(parser.unpaced);
    return parse_all(batch, model.system, threads, request, [&] {
        return [of_sentences = SentenceParser<Frozen>(model, request)](const Sentence& sentence, std::size_t i) mutable {
            return of_sentences.parse(sentence, i);
        };
    });
}

}  // namespace

void bind_parse(nb::module_& m) {
    m.def("transition_elements", &transition_elements, "The names of all context elements, in the order of their numbers.");
    m.attr("LONGEST_CONTEXT") = kLongestContext;

    nb::class_<EventShape>(m, "TransitionShape", "Symbols, root, labels and contexts (by distribution) of a transition model.")
        .def("__init__", [](EventShape* self, int num_tags, int num_words, int num_labels, bool root_first, bool single_root,
                            bool labelled, bool joint_labels, bool lexicalised, const NamedContexts& contexts,
                            const std::vector<std::int32_t>& kinds) {
            // Tags and labels are stored in 16 bits.
            if (num_tags < 1 || num_tags > 30000 || num_words < 1 || num_labels < 1 || num_labels > 30000)
                throw std::invalid_argument("there must be 1 to 30,000 tags and labels, and at least one word");
            bool good = kinds.empty() || kinds.size() == static_cast<std::size_t>(num_tags);
            for (const std::int32_t kind : kinds) good = good && kind >= 0 && kind < num_tags;
            if (!good) throw std::invalid_argument("every tag must have the number of a tag as its kind");
            const std::vector<std::string> names = transition_elements();
            auto list = [&](const char* distribution) { return context_list(names, contexts.at(distribution)); };
            new (self) EventShape{{{num_tags, num_words, num_labels, kinds}, root_first, single_root},
                                  {list("actions"), list("labels"), list("tags"), list("words")},
                                  labelled, joint_labels, lexicalised};
        }, nb::kw_only(), "num_tags"_a, "num_words"_a, "num_labels"_a, "root_first"_a, "single_root"_a, "labelled"_a,
             "joint_labels"_a, "lexicalised"_a, "contexts"_a, "kinds"_a = std::vector<std::int32_t>())
        .def_prop_ro("action_outcomes", [](const EventShape& self) { return self.code().outcomes(); });

    nb::class_<Batch>(m, "SentenceBatch", "Encoded sentences in a row, with what is known of them.")
        .def(nb::init<Ints, In<std::int64_t>, Ints, Ints, Ints, Ints, In<double>>(), "words"_a.noconvert(),
             "offsets"_a.noconvert(), nb::kw_only(), "tags"_a.noconvert(), "heads"_a.noconvert(), "labels"_a.noconvert(),
             "spelled"_a.noconvert(), "spellings"_a.noconvert())
        .def("set_lemmas", [](Batch& self, Ints lemmas) {
            if (lemmas.shape(0) != self.words.shape(0)) throw std::invalid_argument("words and lemmas do not match");
            self.lemmas.assign(lemmas.data(), lemmas.data() + lemmas.shape(0));
        }, "lemmas"_a.noconvert(), "Lemmas of all words, -1 where one is not given, for parsers that see them.");

    m.def("oracle_events", &oracle_events, "shape"_a, "batch"_a,
          "(contexts, outcomes) of every distribution by name, and the numbers of trees that are not projective ('failed').");

    nb::class_<OutputRequest>(m, "OutputRequest", "What any parser returns.")
        .def("__init__", [](OutputRequest* self, int best, int samples, bool marginals, bool tags_alone, bool minimum_risk, bool arc_marginals,
                            double temperature, std::uint64_t seed, std::uint64_t purpose) {
            if (best < (arc_marginals ? 0 : 1) || samples < 0)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            if (!(temperature > 0)) throw std::invalid_argument("the temperature must be above 0");
            new (self) OutputRequest{best, samples, marginals, tags_alone, minimum_risk, arc_marginals, temperature, seed, purpose};
        }, nb::kw_only(), "best"_a, "samples"_a, "marginals"_a, "tags_alone"_a = false, "minimum_risk"_a, "arc_marginals"_a, "temperature"_a,
             "seed"_a, "purpose"_a);

    nb::class_<ParseRequest>(m, "ParseRequest", "How a transition parser searches, and what it returns.")
        .def("__init__", [](ParseRequest* self, const OutputRequest& output, const std::string& search, std::int64_t size,
                            bool by_weight, bool by_derivation, int tags_per_word, double unseen_tags, int labels_per_arc,
                            bool both_reduces) {
            if (search != "particles" && search != "beam") throw std::invalid_argument("search must be particles or beam");
            if (size < 1 || tags_per_word < 1 || labels_per_arc < 1)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            if (!(unseen_tags >= 0 && unseen_tags <= 1)) throw std::invalid_argument("the weight of unseen tags must lie in [0, 1]");
            new (self) ParseRequest{output, search == "beam", size, by_weight, by_derivation,
                                    {tags_per_word, labels_per_arc, both_reduces, unseen_tags}};
        }, nb::kw_only(), "output"_a, "search"_a, "size"_a, "by_weight"_a, "by_derivation"_a, "tags_per_word"_a, "unseen_tags"_a, "labels_per_arc"_a,
             "both_reduces"_a);

    nb::class_<Parser>(m, "TransitionParser", "A transition model over frozen distributions.")
        .def(nb::init<const EventShape&, nb::object, nb::object, nb::object, nb::object, bool, Ints, Ints, double, double>(), "shape"_a,
             nb::kw_only(), "actions"_a, "labels"_a = nb::none(), "tags"_a, "words"_a = nb::none(), "labels_in_contexts"_a,
             "tag_begin"_a.noconvert(), "tag_list"_a.noconvert(), "pace_begin"_a = 1.0, "pace_exponent"_a = 0.0)
        .def("parse", &parse_batch, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.");
}

}  // namespace bistro::bind
