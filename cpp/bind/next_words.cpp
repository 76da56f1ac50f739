// The next word of a sentence under the transition parser.
#include "bind/next_words.hpp"

#include <memory>
#include <tuple>

#include "bind/bind.hpp"
#include "bind/score_request.hpp"
#include "bind/transition.hpp"
#include "parse/graph_sums.hpp"
#include "parse/next_words.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

void go_on_in_graphs(const TransitionModel<Frozen>& model, const Batch& batch, const ScoreRequest& request, int threads,
                     std::vector<NextWords>& runs) {
    in_parallel_each(runs.size(), threads, [&] {
        auto sums = std::make_shared<GraphSums>(model, request.options(), GraphSize(static_cast<double>(request.size)));
        return [&, sums](std::size_t run) {
            Sentence first = batch.size() > 0 ? batch.sentence(0) : Sentence{};
            first.prepare();
            NextWords& found = runs[run];
            std::tie(found.end, found.log_prefix) = sums->go_on_from(
                first, Stream(request.seed, request.purpose, run), [&](const Elements& elements, double share) { found.add(elements, share); });
        };
    });
}

// Runs use the same random streams as the scores of words. A batch without sentences stands for an empty sentence.
std::vector<NextWords> runs_of(const Parser& parser, const Batch& batch, const ScoreRequest& request, int threads) {
    const TransitionModel<Frozen>& model = parser.model;
    std::vector<NextWords> runs(static_cast<std::size_t>(request.repeats), NextWords(model));
    auto go_on_with = [&](auto policy_of) {
        in_parallel_each(runs.size(), threads, [&] {
            using Policy = decltype(policy_of(std::int64_t{}, static_cast<Stream*>(nullptr)));
            return [&, search = Search<Frozen, Policy>(model, policy_of(1, nullptr), request.options())](std::size_t run) mutable {
                Sentence first = batch.size() > 0 ? batch.sentence(0) : Sentence{};
                first.prepare();
                Stream rng(request.seed, request.purpose, run);
                const std::int64_t more = static_cast<std::int64_t>(run) % (1 + request.size / 10);
                runs[run] = next_words(search, policy_of(request.size + more, &rng), model, first);
            };
        });
    };
    if (request.graph) go_on_in_graphs(model, batch, request, threads, runs);
    else if (request.draws)
        go_on_with([](std::int64_t size, Stream* rng) { return SystematicPolicy{size, rng}; });
    else
        go_on_with([&](std::int64_t size, Stream*) { return ParticlePolicy{size, request.by_weight}; });
    return runs;
}

NextWordSums next_word_sums(const Parser& parser, const Batch& batch, const ScoreRequest& request, int threads) {
    nb::gil_scoped_release release;
    batch.check(parser.model.system);
    if (batch.size() > 1) throw std::invalid_argument("only one sentence can be continued at a time");
    if (!parser.model.lexicalised) throw std::invalid_argument("the model has no probabilities of words");
    const auto runs = std::make_shared<std::vector<NextWords>>(runs_of(parser, batch, request, threads));
    const auto num_words = static_cast<std::size_t>(parser.model.system.symbols.words);
    const auto num_tags = static_cast<std::size_t>(parser.model.system.symbols.tags);
    NextWordSums found;
    found.words.resize(runs->size() * (num_words + 1));
    for (std::size_t run = 0; run < runs->size(); ++run) {
        found.log_prefix.push_back((*runs)[run].log_prefix);
        found.words[run * (num_words + 1) + num_words] = (*runs)[run].end;
    }
    in_parallel(runs->size(), threads, [&](std::size_t run) { (*runs)[run].words(found.words.data() + run * (num_words + 1)); });
    found.tags = [=](std::span<const std::int32_t> words) {
        for (const std::int32_t word : words)
            if (word < 0 || static_cast<std::size_t>(word) >= num_words) throw std::invalid_argument("there is no such word");
        std::vector<double> out(runs->size() * words.size() * num_tags);
        for (std::size_t run = 0; run < runs->size(); ++run) (*runs)[run].tags_of(words, out.data() + run * words.size() * num_tags);
        return out;
    };
    return found;
}

}  // namespace

void bind_next_words(nb::module_& m) {
    nb::class_<NextWordSums>(m, "NextWordSums", "What comes after the first words of a sentence, run by run.")
        .def_prop_ro("log_prefix", [](const NextWordSums& self) { return give(std::vector<double>(self.log_prefix)); },
                     nb::rv_policy::move, "Log-probability of the first words, by run.")
        .def_prop_ro("words", [](const NextWordSums& self) { return give(std::vector<double>(self.words)); }, nb::rv_policy::move,
                     "Probabilities of all words and of the end given the first words, run by run.")
        .def("tags", [](const NextWordSums& self, const Ints& words) {
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                found = self.tags(view(words));
            }
            return give(std::move(found));
        }, "words"_a.noconvert(), "Probabilities of words together with each tag, by run, word and tag.");
    // The class itself is bound with the parser.
    auto parser = nb::borrow<nb::class_<Parser>>(m.attr("TransitionParser"));
    parser.def("next_words", &next_word_sums, "batch"_a, "request"_a, "threads"_a = 1, nb::keep_alive<0, 1>(),
               "What comes after the words of one sentence, or of none.");
}

}  // namespace bistro::bind
