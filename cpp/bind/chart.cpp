// The chart over all projective trees, for weights of any kind.
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "parse/forest.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Steps = nb::ndarray<const double, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

struct TreeChart {
    ArcWeights weights;
    std::unique_ptr<BestTrees> trees;

    TreeChart(const In<std::int32_t>& positions, const In<std::int32_t>& kinds, const Matrix& pairs, const Steps& steps) {
        const auto nodes = positions.shape(0), kind_count = steps.shape(2);
        const auto at = view(positions), of = view(kinds);
        bool good = nodes >= 2 && at[0] == 0 && at[1] == 1 && kinds.shape(0) == nodes && pairs.shape(0) == nodes &&
                    pairs.shape(1) == nodes && steps.shape(0) == nodes && steps.shape(1) == 2 && steps.shape(3) == kind_count;
        for (std::size_t i = 1; good && i < nodes; ++i)
            good = at[i] >= at[i - 1] && at[i] <= at[i - 1] + 1 && at[i] > 0 && of[i] > 0 && of[i] < static_cast<int>(kind_count);
        if (!good) throw std::invalid_argument("nodes, kinds and weights of a chart do not match");
        weights.reset({at.begin(), at.end()}, static_cast<int>(kind_count), 0.0);
        weights.kind.assign(of.begin(), of.end());
        weights.pair.assign(pairs.data(), pairs.data() + pairs.size());
        weights.step.assign(steps.data(), steps.data() + steps.size());
        nb::gil_scoped_release release;
        trees = std::make_unique<BestTrees>(weights);
        if (trees->none()) throw std::invalid_argument("there is no tree with a weight");
    }

    SumOfTrees sums(double temperature) const { return {weights, trees->best(), temperature}; }

    nb::tuple give_tree(ChartTree tree, double score) const {
        return nb::make_tuple(give(std::move(tree.node)), give(std::move(tree.head)), score);
    }

    double score(const ChartTree& tree) const {
        double sum = 0;
        for (const double x : weights_of(weights, tree)) sum += x;
        return sum;
    }
};

}  // namespace

void bind_chart(nb::module_& m) {
    nb::class_<TreeChart>(m, "TreeChart",
                          "All projective trees over nodes (candidates of words, node 0 the root) with logarithms of weights: pairs "
                          "by [head][child], steps by [head][side][kind of the child, 0: stop][kind of the sibling before, 0: none].")
        .def(nb::init<const In<std::int32_t>&, const In<std::int32_t>&, const Matrix&, const Steps&>(), nb::kw_only(),
             "positions"_a.noconvert(), "kinds"_a.noconvert(), "pairs"_a.noconvert(), "steps"_a.noconvert())
        .def("best", [](const TreeChart& self) { return self.give_tree(self.trees->best(), self.trees->score()); },
             "(node of each word, node of its head, logarithm of the weight) of the best tree.")
        .def("ranked", [](const TreeChart& self, int most) {
            nb::list out;
            KBest ranked = self.trees->ranked();
            for (int rank = 0; rank < most; ++rank) {
                auto found = ranked.tree(rank);
                if (!found) break;
                out.append(self.give_tree(std::move(found->tree), found->score));
            }
            return out;
        }, "most"_a, "The best trees in order, as `best` gives them.")
        .def("log_total", [](const TreeChart& self, double temperature) { return self.sums(temperature).log_total(); },
             "temperature"_a = 1.0)
        .def("arc_probabilities", [](const TreeChart& self, double temperature) {
            return give(self.sums(temperature).probabilities());
        }, "temperature"_a = 1.0, "By [head][child], flat.")
        .def("samples", [](const TreeChart& self, int number, Stream& rng, double temperature) {
            nb::list out;
            const SumOfTrees sums(self.weights, self.trees->best(), temperature);
            for (int i = 0; i < number; ++i) {
                ChartTree tree = sums.sample(rng);
                const double score = self.score(tree);
                out.append(self.give_tree(std::move(tree), score));
            }
            return out;
        }, "number"_a, "rng"_a, "temperature"_a = 1.0, "Trees drawn by their weights, as `best` gives them.");
}

}  // namespace bistro::bind
