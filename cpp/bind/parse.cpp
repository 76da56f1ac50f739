// The transition parser: training events of trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/frozen_holder.hpp"
#include "parse/derivations.hpp"
#include "parse/language.hpp"
#include "parse/oracle.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Ints = In<std::int32_t>;

// Sentences in a row: sentence i is offsets[i] to offsets[i + 1]. Arrays of annotation are as long as the words, or empty.
struct Batch {
    Ints words;
    In<std::int64_t> offsets;
    Ints tags, heads, labels;

    std::size_t size() const { return offsets.shape(0) - 1; }

    void check(const System& system) const {
        const auto n = words.shape(0);
        bool good = offsets.shape(0) >= 1 && offsets.data()[0] == 0 && offsets.data()[size()] == static_cast<std::int64_t>(n);
        for (std::size_t i = 0; good && i < size(); ++i) good = offsets.data()[i] < offsets.data()[i + 1];
        for (const Ints* a : {&tags, &heads, &labels}) good = good && (a->shape(0) == 0 || a->shape(0) == n);
        if (!good) throw std::invalid_argument("words, offsets and annotation do not fit together");
        auto within = [](const Ints& values, std::int32_t low, std::int32_t limit) {
            for (const std::int32_t v : view(values))
                if (v < low || v >= limit) throw std::invalid_argument("a word, tag or label is out of range");
        };
        within(words, 0, system.symbols.words);
        within(tags, -1, system.symbols.tags);
        within(labels, -1, system.symbols.labels);
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
        s.words = part(words), s.tags = part(tags), s.heads = part(heads), s.labels = part(labels);
        return s;
    }
};

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

// A model over frozen franchises; it keeps them alive.
struct Parser {
    TransitionModel<Frozen> model;
    std::vector<nb::object> kept;
    Ints tag_begin, tag_list;

    Parser(const EventShape& shape, nb::object actions, nb::object labels, nb::object tags, nb::object words,
           bool labels_in_contexts, Ints tag_begin_, Ints tag_list_)
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
        check_tag_lists();
        model.tag_begin = view(tag_begin);
        model.tag_list = view(tag_list);
    }

    void set(Predictor<Frozen>& predictor, const ContextList& contexts, nb::object holder, std::int32_t outcomes) {
        if (holder.is_none()) throw std::invalid_argument("a distribution is missing");
        const auto& frozen = nb::cast<const FrozenHolder&>(holder).frozen;
        if (frozen.dishes != outcomes) throw std::invalid_argument("a distribution has the wrong number of outcomes");
        predictor = {&frozen, contexts};
        kept.push_back(std::move(holder));
    }

    void check_tag_lists() const {
        const auto begin = view(tag_begin), list = view(tag_list);
        bool good = begin.size() == static_cast<std::size_t>(model.system.symbols.words) + 1 && begin.front() == 0 &&
                    begin.back() == static_cast<std::int32_t>(list.size()) && std::is_sorted(begin.begin(), begin.end());
        for (const std::int32_t tag : list) good = good && tag >= 0 && tag < model.system.symbols.tags;
        if (!good) throw std::invalid_argument("the tags of the words are damaged");
    }
};

// Redraws the derivations of a batch; keeps what it reads alive.
struct Sampler {
    Batch batch;
    std::vector<Sentence> sentences;
    DerivationSampler sampler;

    Sampler(const EventShape& shape, Batch batch_, std::shared_ptr<Franchise> actions, std::shared_ptr<Franchise> labels,
            std::shared_ptr<Franchise> tags, std::shared_ptr<Franchise> words, bool labels_in_contexts)
        : batch(std::move(batch_)),
          sampler(shape, {std::move(actions), std::move(labels), std::move(tags), std::move(words)}, labels_in_contexts) {
        batch.check(shape.system);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            sentences.push_back(batch.sentence(i));
            sentences.back().prepare();
        }
    }

    // Every step as action, tag, label; all sentences in a row. `ends` says where each sentence's steps end.
    auto histories() const {
        std::vector<std::int16_t> steps;
        std::vector<std::int64_t> ends;
        for (std::size_t i = 0; i < sampler.size(); ++i) {
            for (const HistoryStep& s : sampler.history(i))
                steps.insert(steps.end(), {static_cast<std::int16_t>(s.action), s.tag, s.label});
            ends.push_back(static_cast<std::int64_t>(steps.size() / 3));
        }
        return nb::make_tuple(give(std::move(steps)), give(std::move(ends)));
    }

    // Seats all sentences along the deterministic oracle.
    void seat(Stream& rng) {
        for (const Sentence& sentence : sentences) sampler.seat(sentence, nullptr, rng);
    }

    // Takes up the sentences of restored franchises, along their saved histories.
    void resume(const In<std::int16_t>& steps, const In<std::int64_t>& ends) {
        if (ends.shape(0) != sentences.size() || steps.shape(0) % 3 != 0)
            throw std::invalid_argument("the saved derivations belong to other sentences");
        std::size_t at = 0;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            History history;
            for (; at < static_cast<std::size_t>(ends.data()[i]) && 3 * at + 2 < steps.shape(0); ++at) {
                const std::int16_t* s = steps.data() + 3 * at;
                if (s[0] < 0 || s[0] > 3) throw std::invalid_argument("the saved derivations are damaged");
                history.push_back({static_cast<Action>(s[0]), s[1], s[2]});
            }
            sampler.resume(sentences[i], history);
        }
    }

    // One sweep; returns how many derivations changed.
    std::int64_t sweep(std::int64_t particles, Stream& rng) {
        std::int64_t changed = 0;
        for (std::size_t i = 0; i < sentences.size(); ++i) changed += sampler.redraw(i, sentences[i], particles, rng);
        return changed;
    }
};

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

// How to sum over derivations: `repeats` independent runs of sequential Monte Carlo, or one search.
struct ScoreRequest {
    bool draws = false;
    std::int64_t size = 1000;
    int tags = 3, labels = 3;  // 0: all tags, whether or not the word had them in training
    int repeats = 1;
    std::uint64_t seed = 1, purpose = 0;
};

// Rows of figures for every word and end of sentence, `repeats` blocks one after the other.
nb::dict score_batch(const Parser& parser, const Batch& batch, const ScoreRequest& request, int threads) {
    std::vector<double> log_prefix, lexical, log_joint;
    {
        nb::gil_scoped_release release;
        batch.check(parser.model.system);
        TransitionModel<Frozen> model = parser.model;
        SearchOptions options{request.tags, request.labels, true};
        if (request.tags == 0) {
            model.tag_begin = {};
            options.tags = model.system.symbols.tags;
        }
        const std::size_t n = batch.size();
        std::vector<std::vector<PrefixFigures>> results(n * request.repeats);
        in_parallel(results.size(), threads, [&](std::size_t task) {
            const std::size_t i = task % n;
            Sentence sentence = batch.sentence(i);
            sentence.prepare();
            Stream rng(request.seed, request.purpose, task);
            // Runs of one size round the same expected numbers, and a spread over few of them would often miss the rounding.
            const std::int64_t more = static_cast<std::int64_t>(task / n) % (1 + request.size / 10);
            results[task] = request.draws
                                ? prefix_figures(model, SystematicPolicy{request.size + more, &rng}, options, sentence)
                                : prefix_figures(model, ParticlePolicy{request.size, true}, options, sentence);
        });
        for (const auto& rows : results)
            for (const PrefixFigures& row : rows) {
                log_prefix.push_back(row.log_prefix);
                lexical.push_back(row.lexical);
                log_joint.push_back(row.log_joint);
            }
    }
    nb::dict out;
    out["log_prefix"] = give(std::move(log_prefix));
    out["lexical"] = give(std::move(lexical));
    out["log_joint"] = give(std::move(log_joint));
    return out;
}

// Sentences drawn from the model, one after the other; `complete` is 0 where the limit came before the end.
nb::dict generate_batch(const Parser& parser, std::int64_t n, std::int32_t most_words, std::uint64_t seed, std::uint64_t purpose,
                        double temperature, const Ints& prefix, std::int64_t particles) {
    if (!(temperature > 0) || particles < 1) throw std::invalid_argument("temperature and particles must be above 0");
    for (const std::int32_t word : view(prefix))
        if (word < 0 || word >= parser.model.system.symbols.words) throw std::invalid_argument("a word is out of range");
    const GenerateOptions options{most_words, temperature, view(prefix), particles};
    std::vector<std::int32_t> words, tags, heads, labels;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint8_t> complete;
    {
        nb::gil_scoped_release release;
        for (std::int64_t i = 0; i < n; ++i) {
            Stream rng(seed, purpose, static_cast<std::uint64_t>(i));
            const Generated made = Generator<Frozen>(parser.model, rng, options).sentence();
            words.insert(words.end(), made.words.begin(), made.words.end());
            tags.insert(tags.end(), made.tags.begin(), made.tags.end());
            heads.insert(heads.end(), made.heads.begin(), made.heads.end());
            labels.insert(labels.end(), made.labels.begin(), made.labels.end());
            offsets.push_back(static_cast<std::int64_t>(words.size()));
            complete.push_back(made.complete);
        }
    }
    nb::dict out;
    out["words"] = give(std::move(words));
    out["tags"] = give(std::move(tags));
    out["heads"] = give(std::move(heads));
    out["labels"] = give(std::move(labels));
    out["offsets"] = give(std::move(offsets));
    out["complete"] = give(std::move(complete));
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
        .def(nb::init<Ints, In<std::int64_t>, Ints, Ints, Ints>(), "words"_a.noconvert(), "offsets"_a.noconvert(),
             "tags"_a.noconvert(), "heads"_a.noconvert(), "labels"_a.noconvert());

    m.def("oracle_events", &oracle_events, "shape"_a, "batch"_a,
          "(contexts, outcomes) of every distribution by name, and the numbers of trees that are not projective ('failed').");

    nb::class_<Sampler>(m, "DerivationSampler", "Particle Gibbs over the derivations of annotated sentences.")
        .def(nb::init<const EventShape&, Batch, std::shared_ptr<Franchise>, std::shared_ptr<Franchise>,
                      std::shared_ptr<Franchise>, std::shared_ptr<Franchise>, bool>(),
             "shape"_a, "batch"_a, "actions"_a, "labels"_a.none(), "tags"_a, "words"_a.none(), "labels_in_contexts"_a)
        .def("seat", &Sampler::seat, "rng"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Seats the events of all sentences, along the deterministic oracle.")
        .def("resume", &Sampler::resume, "steps"_a.noconvert(), "ends"_a.noconvert(),
             "Takes up what `histories` gave, in franchises that were rebuilt and restored.")
        .def("sweep", &Sampler::sweep, "particles"_a, "rng"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Draws every derivation anew; returns how many changed.")
        .def("histories", &Sampler::histories, "(action, tag, label) of every step, and where each sentence's steps end.");

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

    nb::class_<ScoreRequest>(m, "ScoreRequest", "How to sum over derivations: by search, or by sequential Monte Carlo.")
        .def("__init__", [](ScoreRequest* self, bool draws, std::int64_t size, int tags, int labels, int repeats,
                            std::uint64_t seed, std::uint64_t purpose) {
            if (size < 1 || tags < 0 || labels < 1 || repeats < 1)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            new (self) ScoreRequest{draws, size, tags, labels, repeats, seed, purpose};
        }, "draws"_a, "size"_a, "tags"_a, "labels"_a, "repeats"_a, "seed"_a, "purpose"_a);

    nb::class_<Parser>(m, "TransitionParser", "A transition model over frozen distributions.")
        .def(nb::init<const EventShape&, nb::object, nb::object, nb::object, nb::object, bool, Ints, Ints>(), "shape"_a,
             "actions"_a, "labels"_a.none(), "tags"_a, "words"_a.none(), "labels_in_contexts"_a, "tag_begin"_a.noconvert(),
             "tag_list"_a.noconvert())
        .def("parse", &parse_batch, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.")
        .def("score", &score_batch, "batch"_a, "request"_a, "threads"_a = 1,
             "Log-probabilities of all prefixes, sentence ends included, and means over derivations (nats).")
        .def("generate", &generate_batch, "n"_a, "most_words"_a, "seed"_a, "purpose"_a, "temperature"_a,
             "prefix"_a.noconvert(), "particles"_a, "Sentences drawn from the model, with their trees.");
}

}  // namespace bistro::bind
