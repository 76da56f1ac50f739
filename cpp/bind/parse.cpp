// The transition parser: training events of trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
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

nb::tuple give_events(EventList&& events, std::size_t width) {
    const std::size_t rows = events.outcomes.size();
    auto owned = std::make_unique<std::vector<std::int32_t>>(std::move(events.contexts));
    auto* data = owned.get();
    nb::capsule keeper(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> contexts(data->data(), {rows, width}, keeper);
    return nb::make_tuple(contexts, give(std::move(events.outcomes)));
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
    out["actions"] = give_events(std::move(events.actions), shape.contexts.actions.size());
    out["labels"] = give_events(std::move(events.labels), shape.contexts.labels.size());
    out["tags"] = give_events(std::move(events.tags), shape.contexts.tags.size());
    out["words"] = give_events(std::move(events.words), shape.contexts.words.size());
    out["failed"] = give(std::move(failed));
    return out;
}

// The results of all sentences as flat arrays, word by word.
struct ResultArrays {
    std::vector<std::int64_t> parse_begin{0};
    std::vector<std::int32_t> heads, labels, tags;
    std::vector<double> log_prob, posterior, log_total;
    std::vector<bool> relaxed;

    struct Ragged {
        std::vector<std::int64_t> begin{0};
        std::vector<std::int32_t> what;
        std::vector<double> probability;

        void add(const std::vector<Weighted>& words) {
            for (Weighted items : words) {
                std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
                    return a.second != b.second ? a.second > b.second : a.first < b.first;
                });
                for (const auto& [key, p] : items) {
                    what.push_back(key);
                    probability.push_back(p);
                }
                begin.push_back(static_cast<std::int64_t>(what.size()));
            }
        }
        nb::tuple give_all() { return nb::make_tuple(give(std::move(begin)), give(std::move(what)), give(std::move(probability))); }
    } head_marginals, label_marginals, tag_marginals;

    void add(const SentenceResult& result) {
        for (const Parse& parse : result.parses) {
            heads.insert(heads.end(), parse.heads.begin(), parse.heads.end());
            labels.insert(labels.end(), parse.labels.begin(), parse.labels.end());
            tags.insert(tags.end(), parse.tags.begin(), parse.tags.end());
            log_prob.push_back(parse.log_prob);
            posterior.push_back(parse.posterior);
        }
        parse_begin.push_back(static_cast<std::int64_t>(log_prob.size()));
        log_total.push_back(result.log_total);
        relaxed.push_back(result.relaxed);
        head_marginals.add(result.marginals.heads);
        label_marginals.add(result.marginals.labels);
        tag_marginals.add(result.marginals.tags);
    }
};

nb::dict parse_batch(const Parser& parser, const Batch& batch, const ParseRequest& request, int threads) {
    ResultArrays arrays;
    {
        nb::gil_scoped_release release;
        batch.check(parser.model.system);
        std::vector<SentenceResult> results(batch.size());
        in_parallel(batch.size(), threads, [&](std::size_t i) {
            results[i] = parse_sentence(parser.model, batch.sentence(i), request, i);
        });
        for (const SentenceResult& result : results) arrays.add(result);
    }
    nb::dict out;
    out["parse_begin"] = give(std::move(arrays.parse_begin));
    out["heads"] = give(std::move(arrays.heads));
    out["labels"] = give(std::move(arrays.labels));
    out["tags"] = give(std::move(arrays.tags));
    out["log_prob"] = give(std::move(arrays.log_prob));
    out["posterior"] = give(std::move(arrays.posterior));
    out["log_total"] = give(std::move(arrays.log_total));
    out["relaxed"] = give(std::vector<std::uint8_t>(arrays.relaxed.begin(), arrays.relaxed.end()));
    if (request.marginals) {
        out["head_marginals"] = arrays.head_marginals.give_all();
        out["label_marginals"] = arrays.label_marginals.give_all();
        out["tag_marginals"] = arrays.tag_marginals.give_all();
    }
    return out;
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
                            std::uint64_t purpose, bool by_weight, double temperature) {
            if (search != "particles" && search != "beam") throw std::invalid_argument("search is particles or beam");
            if (size < 1 || tags < 1 || labels < 1 || best < 1 || samples < 0)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            if (!(temperature > 0)) throw std::invalid_argument("the temperature must be above 0");
            new (self) ParseRequest{search == "beam", size, {tags, labels, both_reduces}, best, samples, marginals,
                                    minimum_risk, seed, purpose, by_weight, temperature};
        }, "search"_a, "size"_a, "tags"_a, "labels"_a, "both_reduces"_a, "best"_a, "samples"_a, "marginals"_a,
             "minimum_risk"_a, "seed"_a, "purpose"_a, "by_weight"_a = false, "temperature"_a = 1.0);

    nb::class_<Parser>(m, "TransitionParser", "A transition model over frozen distributions.")
        .def(nb::init<const EventShape&, nb::object, nb::object, nb::object, nb::object, bool, Ints, Ints>(), "shape"_a,
             "actions"_a, "labels"_a.none(), "tags"_a, "words"_a.none(), "labels_in_contexts"_a, "tag_begin"_a.noconvert(),
             "tag_list"_a.noconvert())
        .def("parse", &parse_batch, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.");
}

}  // namespace bistro::bind
