// The transition model as a language model, and learning with derivations that are drawn.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include "bind/bind.hpp"
#include "bind/score_request.hpp"
#include "bind/texts.hpp"
#include "bind/transition.hpp"
#include "parse/derivation_urn.hpp"
#include "parse/derivations.hpp"
#include "parse/language.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// Redraws the derivations of a batch, and keeps the data that it reads alive.
struct Sampler {
    Batch batch;
    Ints tag_begin, tag_list;
    std::vector<Sentence> sentences;
    DerivationSampler sampler;

    Sampler(const EventShape& shape, Batch batch_, std::shared_ptr<Franchise> actions, std::shared_ptr<Franchise> labels,
            std::shared_ptr<Franchise> tags, std::shared_ptr<Franchise> words, bool labels_in_contexts,
            Ints tag_begin_, Ints tag_list_)
        : batch(std::move(batch_)), tag_begin(std::move(tag_begin_)), tag_list(std::move(tag_list_)),
          sampler(shape, {actions, labels, tags, words}, labels_in_contexts, view(tag_begin), view(tag_list)) {
        if ((shape.labelled && !shape.joint_labels && !labels) || (shape.lexicalised && !words))
            throw std::invalid_argument("a distribution is missing");
        batch.check(shape.system);
        if (tag_begin.shape(0) > 0) check_tag_lists(shape.system.symbols, view(tag_begin), view(tag_list));
        for (std::size_t i = 0; i < batch.size(); ++i) {
            sentences.push_back(batch.sentence(i));
            sentences.back().prepare();
        }
    }

    // Every step as action, tag and label, for all sentences in sequence. `ends` has the end of each sentence's steps.
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

    // Starts from sentences whose events are already seated along the deterministic oracle of the trees in `annotated`.
    void take_up(const Batch& annotated) {
        if (annotated.size() != sentences.size()) throw std::invalid_argument("the annotation belongs to other sentences");
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            Sentence tree = annotated.sentence(i);
            tree.prepare();
            sampler.resume(sentences[i], sampler.oracle_history(tree));
        }
    }

    // Starts from the sentences of restored franchises, along their saved histories.
    void resume(const In<std::int16_t>& steps, const In<std::int64_t>& ends) {
        if (ends.shape(0) != sentences.size() || steps.shape(0) % 3 != 0)
            throw std::invalid_argument("the saved derivations belong to other sentences");
        std::size_t first = 0;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            const auto last = static_cast<std::size_t>(ends.data()[i]);
            sampler.resume(sentences[i], history_from(steps, first, last));
            first = last;
        }
    }

    // Performs one sweep. Returns the number of accepted draws, and how many of them differ from the previous derivation.
    std::pair<std::int64_t, std::int64_t> sweep(std::int64_t particles, Stream& rng) {
        check_particles(particles);
        std::int64_t accepted = 0, changed = 0;
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            const DerivationSampler::Outcome outcome = sampler.redraw(i, sentences[i], particles, rng);
            accepted += outcome.accepted;
            changed += outcome.changed;
        }
        return {accepted, changed};
    }

    // A derivation of one sentence given the franchises, which do not change. It is conditional on `steps`, if there are
    // any.
    auto draw(std::size_t index, const In<std::int16_t>& steps, std::int64_t particles, Stream& rng) {
        check_particles(particles);
        const History before = history_from(steps, 0, steps.shape(0) / 3);
        std::vector<std::int16_t> out;
        for (const HistoryStep& s : sampler.draw_history(sentences.at(index), before.empty() ? nullptr : &before, particles, rng))
            out.insert(out.end(), {static_cast<std::int16_t>(s.action), s.tag, s.label});
        return give(std::move(out));
    }

    static void check_particles(std::int64_t particles) {
        if (particles < 1) throw std::invalid_argument("there must be at least one particle");
    }

    static History history_from(const In<std::int16_t>& steps, std::size_t first, std::size_t last) {
        History history;
        for (std::size_t at = first; at < last; ++at) {
            if (3 * at + 2 >= steps.shape(0)) throw std::invalid_argument("the saved derivations are damaged");
            const std::int16_t* s = steps.data() + 3 * at;
            if (s[0] < 0 || s[0] > 3) throw std::invalid_argument("the saved derivations are damaged");
            history.push_back({static_cast<Action>(s[0]), s[1], s[2]});
        }
        return history;
    }
};

// One row of figures per word and end of sentence, in `repeats` consecutive blocks.
nb::dict score_batch(const Parser& parser, const Batch& batch, const ScoreRequest& request, int threads) {
    PrefixArrays found;
    {
        nb::gil_scoped_release release;
        batch.check(parser.model.system);
        const TransitionModel<Frozen>& model = parser.model;
        const SearchOptions options = request.options();
        const std::size_t n = batch.size();
        std::vector<std::vector<PrefixFigures>> results(n * request.repeats);
        // Searches are kept between sentences, because their cached look-ups speed up the next sentence, and especially the
        // next run of the same sentence.
        auto score_with = [&](auto policy_of) {
            in_parallel_each(results.size(), threads, [&] {
                using Policy = decltype(policy_of(std::int64_t{}, static_cast<Stream*>(nullptr)));
                return [&, search = Search<Frozen, Policy>(model, policy_of(1, nullptr), options)](std::size_t at) mutable {
                    const std::size_t number = at / request.repeats, run = at % request.repeats, task = run * n + number;
                    Sentence sentence = batch.sentence(number);
                    sentence.prepare();
                    const std::uint64_t all = request.total > 0 ? request.total : n;
                    Stream rng(request.seed, request.purpose, run * all + request.first + number);
                    // The number of particles differs between runs. Runs of equal size would round the same expected
                    // numbers, so a standard error from a few runs would often miss the rounding error.
                    const std::int64_t more = static_cast<std::int64_t>(run) % (1 + request.size / 10);
                    results[task] = prefix_figures(search, policy_of(request.size + more, &rng), sentence);
                };
            });
        };
        if (request.draws)
            score_with([](std::int64_t size, Stream* rng) { return SystematicPolicy{size, rng}; });
        else
            score_with([&](std::int64_t size, Stream*) { return ParticlePolicy{size, request.by_weight}; });
        for (const auto& rows : results)
            for (const PrefixFigures& row : rows) found.add(row);
    }
    return found.give_all();
}

// Concatenated sentences that were drawn from the model.
nb::dict generate_batch(const Parser& parser, std::int64_t n, std::int32_t most_words, std::uint64_t seed, std::uint64_t purpose,
                        double temperature, const Batch& prefix, std::int64_t particles) {
    if (!(temperature > 0) || particles < 1) throw std::invalid_argument("temperature and particles must be above 0");
    prefix.check(parser.model.system);
    const GenerateOptions options{most_words, temperature, prefix.size() > 0 ? prefix.sentence(0) : Sentence{}, particles};
    GeneratedArrays drawn;
    {
        nb::gil_scoped_release release;
        for (std::int64_t i = 0; i < n; ++i) {
            Stream rng(seed, purpose, static_cast<std::uint64_t>(i));
            drawn.add(Generator<Frozen>(parser.model, rng, options).sentence());
        }
    }
    return drawn.give_all();
}

// Sentences from the prior with their derivations, or nothing if an impossible action was drawn.
nb::object draw_derivations(const EventShape& shape, std::int64_t n, std::int32_t most_words, std::shared_ptr<Franchise> actions,
                            std::shared_ptr<Franchise> labels, std::shared_ptr<Franchise> tags, std::shared_ptr<Franchise> words,
                            Stream& rng) {
    if ((shape.labelled && !shape.joint_labels && !labels) || (shape.lexicalised && !words))
        throw std::invalid_argument("a distribution is missing");
    DerivationUrn urn(shape, {actions, labels, tags, words});
    GeneratedArrays drawn;
    std::vector<std::int16_t> steps;
    for (std::int64_t i = 0; i < n; ++i) {
        Generated sentence;
        History history;
        if (!urn.draw(most_words, rng, sentence, history)) return nb::none();
        drawn.add(sentence);
        for (const HistoryStep& s : history) steps.insert(steps.end(), {static_cast<std::int16_t>(s.action), s.tag, s.label});
    }
    nb::dict out = drawn.give_all();
    out["steps"] = give(std::move(steps));
    return out;
}

}  // namespace

void bind_language(nb::module_& m) {
    nb::class_<Sampler>(m, "DerivationSampler", "Particle Gibbs over the derivations of annotated sentences.")
        .def(nb::init<const EventShape&, Batch, std::shared_ptr<Franchise>, std::shared_ptr<Franchise>,
                      std::shared_ptr<Franchise>, std::shared_ptr<Franchise>, bool, Ints, Ints>(),
             "shape"_a, "batch"_a, nb::kw_only(), "actions"_a, "labels"_a = nb::none(), "tags"_a, "words"_a = nb::none(),
             "labels_in_contexts"_a, "tag_begin"_a.noconvert(), "tag_list"_a.noconvert())
        .def("seat", &Sampler::seat, "rng"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Seats the events of all sentences, along the deterministic oracle.")
        .def("take_up", &Sampler::take_up, "annotated"_a,
             "Takes up sentences that are seated already along the deterministic oracle of annotated trees.")
        .def("resume", &Sampler::resume, "steps"_a.noconvert(), "ends"_a.noconvert(),
             "Takes up what `histories` gave, in franchises that were rebuilt and restored.")
        .def("sweep", &Sampler::sweep, "particles"_a, "rng"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Resamples every derivation; returns how many draws were accepted, and how many changed something.")
        .def("drop_empty", [](Sampler& self) { self.sampler.drop_empty(); }, nb::call_guard<nb::gil_scoped_release>(),
             "Frees restaurants without customers, where there are many; entries get other numbers.")
        .def("draw", &Sampler::draw, "index"_a, "steps"_a.noconvert(), nb::kw_only(), "particles"_a, "rng"_a,
             "The steps of a derivation of one sentence, given the franchises as they are; conditional on steps, if there are any.")
        .def("histories", &Sampler::histories, "(action, tag, label) of every step, and where each sentence's steps end.");

    m.def("draw_derivations", &draw_derivations, "shape"_a, "n"_a, nb::kw_only(), "most_words"_a, "actions"_a, "labels"_a = nb::none(),
          "tags"_a, "words"_a = nb::none(), "rng"_a,
          "Sentences from the prior with (action, tag, label) of every step, seated as they are drawn; None if an action was drawn "
          "that is impossible, or a sentence became too long.");

    nb::class_<ScoreRequest>(m, "ScoreRequest", "How to sum over derivations: over a graph of stacks, by sequential Monte Carlo, or by search.")
        .def("__init__", [](ScoreRequest* self, bool draws, std::int64_t particles, bool by_weight, bool all_tags,
                            bool both_reduces, int tags_per_word, int labels_per_arc, int repeats, std::uint64_t seed,
                            std::uint64_t purpose, std::uint64_t first, std::uint64_t total, bool graph) {
            if (particles < (graph ? 0 : 1) || tags_per_word < 1 || labels_per_arc < 1 || repeats < 1)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            new (self) ScoreRequest{draws, graph, particles, by_weight, all_tags, both_reduces, tags_per_word, labels_per_arc, repeats, seed,
                                    purpose, first, total};
        }, nb::kw_only(), "draws"_a, "particles"_a, "by_weight"_a, "all_tags"_a, "both_reduces"_a, "tags_per_word"_a, "labels_per_arc"_a,
             "repeats"_a, "seed"_a, "purpose"_a, "first"_a = 0, "total"_a = 0, "graph"_a = false);

    // The class itself is bound with the parser.
    auto parser = nb::borrow<nb::class_<Parser>>(m.attr("TransitionParser"));
    parser.def("score", &score_batch, "batch"_a, "request"_a, "threads"_a = 1,
               "Log-probabilities of all prefixes, sentence ends included, and means over derivations (nats).");
    parser.def("generate", &generate_batch, "n"_a, nb::kw_only(), "most_words"_a, "seed"_a, "purpose"_a, "temperature"_a,
               "prefix"_a, "particles"_a, "Sentences drawn from the model, with their trees.");
}

}  // namespace bistro::bind
