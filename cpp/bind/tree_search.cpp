// Searches for trees under rules in contexts of any length: A*, and Metropolis and Hastings' chains with the tree of least risk.
#include "bind/bind.hpp"
#include "bind/lattices.hpp"
#include "infinite/astar.hpp"
#include "infinite/metropolis.hpp"
#include "infinite/span_risk.hpp"
#include "infinite/trie.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

void check(const Grammar& grammar, const RuleTrie& model) {
    if (grammar.rules() != model.num_rules()) throw std::invalid_argument("grammar and model differ in their number of rules");
}

// What a thread needs for one sentence after another.
struct Workspace {
    Workspace(const RuleTrie& model, HistoryKind kind) : nodes(model, kind) {}
    RuleForest forest;
    ContextForest<RuleTrie> nodes;
    RuleChart<MaxPlus> chart;
};

nb::dict astar(const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, HistoryKind kind, const AStarOptions& options,
               int threads) {
    check(grammar, model);
    TreeArrays trees;
    std::vector<std::uint8_t> complete;
    std::vector<std::int64_t> expansions;
    {
        nb::gil_scoped_release release;
        std::vector<AStar<RuleTrie>::Result> results(sentences.all.size());
        in_parallel_each(results.size(), threads, [&] {
            return [&, work = Workspace(model, kind)](std::size_t i) mutable {
                if (!work.forest.fill(grammar, sentences.all[i])) return;
                work.nodes.start(work.forest);
                results[i] = AStar(work.nodes, options).search();
            };
        });
        for (const auto& result : results) {
            trees.add(result.tree);
            complete.push_back(result.complete);
            expansions.push_back(result.expansions);
        }
    }
    nb::dict out;
    trees.give_to(out);
    out["complete"] = give(std::move(complete));
    out["expansions"] = give(std::move(expansions));
    return out;
}

// What a chain of one sentence leaves behind.
struct ChainResult {
    RuleTree least_risk, best;
    double accepted = 0, subtrees_accepted = 0;
    std::vector<std::pair<SpanItem, std::uint32_t>> counts;
    std::vector<std::pair<RuleTree, std::uint32_t>> visited;
};

struct Wanted {
    bool counts, visited;
};

// Sentence i has the stream of the number first + i.
struct Draws {
    std::uint64_t seed, purpose, first;
};

void run_chain(Workspace& work, const ChainOptions& options, Wanted wanted, Stream& rng, std::vector<std::uint32_t>& counts,
               ChainResult& result) {
    TreeChain<RuleTrie> chain(work.nodes, rng);
    std::vector<std::uint32_t> tree;
    std::uint32_t times = 0;
    auto count = [&] {
        counts.resize(work.forest.num_items(), 0);
        for (const std::uint32_t step : tree) counts[work.nodes.node(work.nodes.step(step).node).item] += times;
        RuleTree made = work.nodes.tree(tree);
        if (wanted.visited) result.visited.emplace_back(made, times);
        if (made.log_prob > result.best.log_prob) result.best = std::move(made);
    };
    chain.run(options, [&](const std::vector<std::uint32_t>& current, bool changed) {
        if (changed) {
            if (times > 0) count();
            tree = current;
            times = 0;
        }
        ++times;
    });
    count();
    result.accepted = static_cast<double>(chain.accepted()) / static_cast<double>(chain.proposed());
    if (chain.subtrees_proposed() > 0)
        result.subtrees_accepted = static_cast<double>(chain.subtrees_accepted()) / static_cast<double>(chain.subtrees_proposed());
}

void finish(Workspace& work, const RuleTrie& model, const RuleWeights& ties, const Lattice& lattice, bool of_rules, double cost,
            Wanted wanted, const std::vector<std::uint32_t>& counts, ChainResult& result) {
    result.least_risk.rules = least_risk_rules(ties, lattice, {&work.forest, &counts, cost}, work.chart);
    result.least_risk.log_prob = log_prob_of(model, work.forest.grammar(), result.least_risk.rules, of_rules);
    if (!wanted.counts) return;
    for (std::uint32_t item = 0; item < counts.size(); ++item)
        if (counts[item] > 0) result.counts.emplace_back(work.forest.item(item), counts[item]);
}

struct ChainArrays {
    TreeArrays least_risk, best, visited;
    std::vector<double> accepted, subtrees_accepted;
    std::vector<std::int64_t> counts_begin{0}, visited_begin{0};
    std::vector<std::int32_t> symbol, start, end;
    std::vector<std::uint32_t> count, times;

    void add(const ChainResult& result) {
        least_risk.add(result.least_risk);
        best.add(result.best);
        accepted.push_back(result.accepted);
        subtrees_accepted.push_back(result.subtrees_accepted);
        for (const auto& [item, n] : result.counts) {
            symbol.push_back(item.symbol);
            start.push_back(item.start);
            end.push_back(item.end);
            count.push_back(n);
        }
        counts_begin.push_back(static_cast<std::int64_t>(count.size()));
        for (const auto& [tree, n] : result.visited) {
            visited.add(tree);
            times.push_back(n);
        }
        visited_begin.push_back(static_cast<std::int64_t>(times.size()));
    }

    nb::dict give_all(Wanted wanted) {
        nb::dict out, most_probable;
        least_risk.give_to(out);
        best.give_to(most_probable);
        out["best"] = most_probable;
        out["accepted"] = give(std::move(accepted));
        out["subtrees_accepted"] = give(std::move(subtrees_accepted));
        if (wanted.counts)
            out["counts"] = nb::make_tuple(give(std::move(counts_begin)), give(std::move(symbol)), give(std::move(start)),
                                           give(std::move(end)), give(std::move(count)));
        if (wanted.visited) {
            nb::dict trees;
            visited.give_to(trees);
            trees["begin"] = give(std::move(visited_begin));
            trees["times"] = give(std::move(times));
            out["visited"] = trees;
        }
        return out;
    }
};

nb::dict chains(const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, HistoryKind kind, const ChainOptions& options,
                const Draws& draws, double node_cost, Wanted wanted, int threads) {
    check(grammar, model);
    ChainArrays arrays;
    {
        nb::gil_scoped_release release;
        const RuleWeights ties = tie_breakers(grammar);
        const double cost = node_cost * (options.samples - options.burn_in);
        std::vector<ChainResult> results(sentences.all.size());
        in_parallel_each(results.size(), threads, [&] {
            return [&, work = Workspace(model, kind)](std::size_t i) mutable {
                if (!work.forest.fill(grammar, sentences.all[i])) return;
                work.nodes.start(work.forest);
                Stream rng(draws.seed, draws.purpose, draws.first + i);
                std::vector<std::uint32_t> counts;
                run_chain(work, options, wanted, rng, counts, results[i]);
                finish(work, model, ties, sentences.all[i], kind.of_rules, cost, wanted, counts, results[i]);
            };
        });
        for (const ChainResult& result : results) arrays.add(result);
    }
    return arrays.give_all(wanted);
}

}  // namespace

void bind_tree_search(nb::module_& m) {
    m.def("search_trees", [](const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, bool contexts_of_rules,
                             double frontier, std::int64_t beam, std::int64_t completions, std::int64_t expansions, bool forgetting,
                             int threads) {
        if (beam < 1 || completions < 1 || expansions < 1) throw std::invalid_argument("sizes of a search must be at least 1");
        return astar(grammar, model, sentences, {contexts_of_rules, forgetting}, {frontier, beam, completions, expansions}, threads);
    }, "grammar"_a, "model"_a, "sentences"_a, "contexts_of_rules"_a, "frontier"_a, "beam"_a, "completions"_a, "expansions"_a,
          "forgetting"_a = true, "threads"_a = 1,
          "Trees by A*; `frontier` is how much of what else is open counts, 0: local frontier, 1: full frontier. `complete` tells where the search came to an end; elsewhere the tree took the best-scored rule at every node. "
          "A sentence without a tree has no rules.");

    m.def("draw_trees", [](const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, bool contexts_of_rules, int samples,
                           int burn_in, int subtrees, std::uint64_t seed, std::uint64_t purpose, std::uint64_t first, double node_cost,
                           bool counts, bool visited, bool forgetting, int threads) {
        if (samples < 1 || burn_in < 0 || burn_in >= samples || subtrees < 0)
            throw std::invalid_argument("samples must be at least 1, and more than burn_in");
        return chains(grammar, model, sentences, {contexts_of_rules, forgetting}, {samples, burn_in, subtrees}, {seed, purpose, first},
                      node_cost, {counts, visited}, threads);
    }, "grammar"_a, "model"_a, "sentences"_a, "contexts_of_rules"_a, "samples"_a, "burn_in"_a, "subtrees"_a, "seed"_a, "purpose"_a,
          "first"_a = 0, "node_cost"_a = 0.5, "counts"_a = false, "visited"_a = false, "forgetting"_a = true, "threads"_a = 1,
          "Trees drawn by Metropolis and Hastings' rule, the grammar proposing; sentence i has the stream of number first + i. The "
          "tree of least risk of each sentence (a node costs `node_cost` times what one that was drawn every time gains), the most "
          "probable one that was drawn (`best`), shares of accepted proposals, and by request the counts of (symbol, start, end) and "
          "the trees that were visited. A sentence without a tree has no rules.");
}

}  // namespace bistro::bind
