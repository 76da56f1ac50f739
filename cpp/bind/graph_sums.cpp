// The transition model as a language model, by sums over a graph of stacks.
#include "parse/graph_sums.hpp"

#include <memory>
#include <stdexcept>

#include "bind/bind.hpp"
#include "bind/score_request.hpp"
#include "bind/texts.hpp"
#include "bind/transition.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// One row of figures per word and end of sentence, in `repeats` consecutive blocks, and the errors of the prefixes.
nb::dict graph_scores(const Parser& parser, const Batch& batch, const ScoreRequest& request, int threads) {
    PrefixArrays found;
    std::vector<float> noise;
    {
        nb::gil_scoped_release release;
        batch.check(parser.model.system);
        const std::size_t n = batch.size();
        std::vector<std::vector<GraphFigures>> results(n * static_cast<std::size_t>(request.repeats));
        in_parallel_each(results.size(), threads, [&] {
            auto sums = std::make_shared<GraphSums>(parser.model, request.options(), GraphSize(static_cast<double>(request.size)));
            return [&, sums](std::size_t at) {
                const auto repeats = static_cast<std::size_t>(request.repeats);
                const std::size_t number = at / repeats, run = at % repeats;
                Sentence sentence = batch.sentence(number);
                sentence.prepare();
                const std::uint64_t all = request.total > 0 ? request.total : n;
                Stream rng(request.seed, request.purpose, run * all + request.first + number);
                results[run * n + number] = sums->run(sentence, rng);
            };
        });
        for (const auto& rows : results)
            for (const GraphFigures& row : rows) {
                found.add(row.figures);
                noise.insert(noise.end(), row.noise.begin(), row.noise.end());
            }
    }
    nb::dict out = found.give_all();
    out["noise"] = give(std::move(noise));
    return out;
}

// Thins weights once. Returns the indices, factors and errors of the weights that are kept.
nb::tuple thinned(const In<double>& weights, const In<double>& variances, double flatness, double limit, double most,
                  Stream& rng) {
    Thinning thinning;
    const std::span<const double> all = view(weights);
    const std::span<const double> before = view(variances);
    if (before.size() != all.size()) throw std::invalid_argument("there must be as many variances as weights");
    double whole = 0;
    for (const double w : all) whole += w;
    std::vector<std::int64_t> indices;
    std::vector<double> factors;
    std::vector<float> noise;
    const auto variance = [&](std::uint32_t i) { return before[i]; };
    for (const Thinning::Kept& kept : thinning.thin(all, whole, {flatness, limit, most}, rng, variance)) {
        indices.push_back(kept.index);
        factors.push_back(kept.factor);
        noise.insert(noise.end(), kept.noise.begin(), kept.noise.end());
    }
    return nb::make_tuple(give(std::move(indices)), give(std::move(factors)), give(std::move(noise)));
}

}  // namespace

void bind_graph_sums(nb::module_& m) {
    m.def("thinned", &thinned, "weights"_a.noconvert(), "variances"_a.noconvert(), nb::kw_only(), "flatness"_a, "limit"_a, "most"_a, "rng"_a,
          "Which of the weights are kept at random, how often each counts, and copies of its relative error, where the weights have "
          "relative errors of these variances already.");
    // The class itself is bound with the parser.
    auto parser = nb::borrow<nb::class_<Parser>>(m.attr("TransitionParser"));
    parser.def("graph_scores", &graph_scores, "batch"_a, "request"_a, "threads"_a = 1,
               "Log-probabilities of all prefixes, sentence ends included, means over derivations (nats), and relative errors in copies.");
}

}  // namespace bistro::bind
