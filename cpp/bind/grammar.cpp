// Grammars of binary, unary and lexical rules: sums over all trees, the best tree, draws.
#include "bind/bind.hpp"
#include "bind/lattices.hpp"
#include "infinite/forest.hpp"
#include "infinite/rule_tree.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Column = In<std::int32_t>;

Out<double> log_inside(const Grammar& grammar, const Lattices& sentences, int threads) {
    std::vector<double> sums(sentences.all.size());
    {
        nb::gil_scoped_release release;
        in_parallel_each(sums.size(), threads, [&] {
            return [&, forest = RuleForest()](std::size_t i) mutable {
                forest.fill(grammar, sentences.all[i]);
                sums[i] = forest.log_total();
            };
        });
    }
    return give(std::move(sums));
}

nb::dict best(const Grammar& grammar, const Lattices& sentences, int threads) {
    TreeArrays arrays;
    {
        nb::gil_scoped_release release;
        std::vector<RuleTree> trees(sentences.all.size());
        in_parallel_each(trees.size(), threads, [&] {
            return [&, chart = RuleChart<MaxPlus>()](std::size_t i) mutable {
                trees[i] = best_rule_tree(grammar, sentences.all[i], chart);
            };
        });
        for (const RuleTree& tree : trees) arrays.add(tree);
    }
    nb::dict out;
    arrays.give_to(out);
    return out;
}

nb::dict draws(const Grammar& grammar, const Lattices& sentences, int number, std::uint64_t seed, std::uint64_t purpose, int threads) {
    if (number < 1) throw std::invalid_argument("at least one tree must be drawn");
    TreeArrays arrays;
    {
        nb::gil_scoped_release release;
        std::vector<std::vector<RuleTree>> trees(sentences.all.size());
        in_parallel_each(trees.size(), threads, [&] {
            return [&, forest = RuleForest()](std::size_t i) mutable {
                trees[i].resize(number);
                if (!forest.fill(grammar, sentences.all[i])) return;
                Stream rng(seed, purpose, i);
                for (RuleTree& tree : trees[i]) draw_tree(forest, rng, tree);
            };
        });
        for (const auto& of_sentence : trees)
            for (const RuleTree& tree : of_sentence) arrays.add(tree);
    }
    nb::dict out;
    arrays.give_to(out);
    return out;
}

}  // namespace

void bind_grammar(nb::module_& m) {
    nb::class_<Lattices>(m, "Lattices", "Sentences for charts of rules: words between positions.")
        .def("__init__", [](Lattices* self, const Column& lengths, const In<std::int64_t>& offsets, const Column& starts,
                            const Column& ends, const Column& words) {
            new (self) Lattices(Lattices::of_words(lengths, offsets, starts, ends, words));
        }, nb::kw_only(), "lengths"_a.noconvert(), "offsets"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert(), "words"_a.noconvert())
        .def_static("of_sentences", &Lattices::of_sentences, "offsets"_a.noconvert(), "words"_a.noconvert(),
                    "Words one after another; those of sentence i are words[offsets[i]:offsets[i + 1]].")
        .def("__len__", [](const Lattices& self) { return self.all.size(); });

    nb::class_<Grammar>(m, "RuleGrammar",
                        "Rules left -> first second (second -1: one child; first -1 - word: that child is a word) with their "
                        "log-probabilities. Unary rules that would close a cycle are left out, the least probable first.")
        .def("__init__", [](Grammar* self, int num_symbols, int num_words, int root, const Column& left, const Column& first,
                            const Column& second, const In<double>& log_prob) {
            new (self) Grammar(num_symbols, num_words, root, view(left), view(first), view(second), view(log_prob));
        }, nb::kw_only(), "num_symbols"_a, "num_words"_a, "root"_a, "left"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(),
             "log_prob"_a.noconvert())
        .def_prop_ro("left_out", [](const Grammar& self) {
            return give(std::vector<std::int32_t>(self.left_out().begin(), self.left_out().end()));
        }, nb::rv_policy::move, "Unary rules that no search uses.")
        .def("log_inside", &log_inside, "sentences"_a, "threads"_a = 1,
             "Log-probabilities of sentences, summed over all trees; -inf where there is none.")
        .def("best", &best, "sentences"_a, "threads"_a = 1,
             "The most probable tree of each sentence: its rules, parents first, left to right; none where there is no tree.")
        .def("draws", &draws, "sentences"_a, "number"_a, nb::kw_only(), "seed"_a, "purpose"_a, "threads"_a = 1,
             "Trees drawn from those of each sentence, all of one sentence before the next; log_prob is that of tree and words.");
}

}  // namespace bistro::bind
