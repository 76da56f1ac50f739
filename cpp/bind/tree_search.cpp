// Searches for trees under rules in contexts of any length: A*, and Metropolis-Hastings chains with the minimum-risk tree.
#include <nanobind/stl/string.h>

#include "bind/bind.hpp"
#include "bind/lattices.hpp"
#include "infinite/astar_nodes.hpp"
#include "infinite/astar_queue.hpp"
#include "infinite/metropolis.hpp"
#include "infinite/span_risk.hpp"
#include "infinite/translated_model.hpp"
#include "infinite/trie.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

void check(const Grammar& grammar, const RuleTrie& model) {
    if (grammar.rules() != model.num_rules())
        throw std::invalid_argument("the grammar and the model have different numbers of rules");
}

// A grammar that is finer than the model's, with the model's symbol or rule for each of its symbols and rules.
struct FinerGrammar {
    const Grammar* grammar;
    Translation meaning;
};

// Calls search(grammar, model, meaning) with the grammar to search, the model in terms of that grammar, and the meaning of
// its numbers.
template <class Search>
void with_grammar(const Grammar& grammar, const FinerGrammar* finer, const RuleTrie& model, bool contexts_of_rules, const Search& search) {
    if (finer == nullptr) return search(grammar, model, Untranslated{});
    search(*finer->grammar, TranslatedModel<RuleTrie>(model, finer->meaning, contexts_of_rules), finer->meaning);
}

template <class Meaning>
void translate(RuleTree& tree, const Meaning& meaning) {
    for (std::int32_t& rule : tree.rules) rule = meaning.rule(rule);
}

// The working space of a thread, which is reused for all of its sentences.
template <RuleModel Model>
struct Workspace {
    Workspace(const Model& model, HistoryKind kind) : nodes(model, kind) {}
    RuleForest forest;
    ContextForest<Model> nodes;
    RuleChart<MaxPlus> chart;
    SpanCounts counts;
};

// The variant of A*: a search per node, or partial trees in one queue.
struct AStarKind {
    bool nodes;
    QueueKind queue;
};

AStarKind astar_kind(const std::string& agenda, bool everywhere) {
    if (agenda == "nodes") return {true, {}};
    if (agenda == "full" || agenda == "local") return {false, {agenda == "local", everywhere}};
    throw std::invalid_argument("the agenda of A* must be nodes, full or local");
}

template <RuleModel Model>
AStarResult astar_tree(ContextForest<Model>& nodes, const AStarKind& kind, const AStarOptions& options) {
    return kind.nodes ? NodeAStar(nodes, options).search() : QueueAStar(nodes, kind.queue, options).search();
}

nb::dict astar(const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, HistoryKind kind, const AStarKind& which,
               const AStarOptions& options, const FinerGrammar* finer, int threads) {
    check(grammar, model);
    TreeArrays trees;
    std::vector<std::uint8_t> complete;
    std::vector<std::int64_t> expansions;
    {
        nb::gil_scoped_release release;
        std::vector<AStarResult> results(sentences.all.size());
        with_grammar(grammar, finer, model, kind.of_rules, [&](const Grammar& searched, const auto& seen, const auto& meaning) {
            in_parallel_each(results.size(), threads, [&] {
                return [&, work = Workspace(seen, kind)](std::size_t i) mutable {
                    if (!work.forest.fill(searched, sentences.all[i])) return;
                    work.nodes.start(work.forest);
                    results[i] = astar_tree(work.nodes, which, options);
                    translate(results[i].tree, meaning);
                };
            });
        });
        for (const AStarResult& result : results) {
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

// The result of a chain for one sentence.
struct ChainResult {
    RuleTree least_risk, best;
    double accepted = 0, subtrees_accepted = 0;
    std::vector<std::pair<SpanItem, std::uint32_t>> counts;
    std::vector<std::pair<RuleTree, std::uint32_t>> visited;
};

struct Wanted {
    bool counts, visited;
};

// Sentence i uses the random stream with the index first + i.
struct Draws {
    std::uint64_t seed, purpose, first;
};

template <RuleModel Model, class Meaning>
void run_chain(Workspace<Model>& work, const Meaning& meaning, const ChainOptions& options, Wanted wanted, Stream& rng,
               ChainResult& result) {
    TreeChain<Model> chain(work.nodes, rng);
    std::vector<std::uint32_t> tree;
    std::uint32_t times = 0;
    auto count = [&] {
        for (const std::uint32_t step : tree) {
            SpanItem item = work.forest.item(work.nodes.node(work.nodes.step(step).node).item);
            item.symbol = meaning.symbol(item.symbol);
            work.counts.add(item, times);
        }
        RuleTree made = work.nodes.tree(tree);
        translate(made, meaning);
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

// The model's own grammar, in which the minimum-risk tree is searched.
struct RiskOf {
    const Grammar& grammar;
    const RuleTrie& model;
    bool contexts_of_rules;
    const RuleWeights& ties;
    double cost;

    void finish(const Lattice& lattice, const SpanCounts& counts, RuleChart<MaxPlus>& chart, bool give_counts, ChainResult& result) const {
        result.least_risk.rules = least_risk_rules(grammar, ties, lattice, {&counts, cost}, chart);
        result.least_risk.log_prob = log_prob_of(model, grammar, result.least_risk.rules, contexts_of_rules);
        if (!give_counts) return;
        for (const SpanCounts::Record& record : counts.all()) result.counts.emplace_back(record.item, record.count);
    }
};

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
                const Draws& draws, double node_cost, Wanted wanted, const FinerGrammar* finer, int threads) {
    check(grammar, model);
    ChainArrays arrays;
    {
        nb::gil_scoped_release release;
        const RuleWeights ties = tie_breakers(grammar);
        const RiskOf risk{grammar, model, kind.of_rules, ties, node_cost * (options.samples - options.burn_in)};
        std::vector<ChainResult> results(sentences.all.size());
        with_grammar(grammar, finer, model, kind.of_rules, [&](const Grammar& searched, const auto& seen, const auto& meaning) {
            in_parallel_each(results.size(), threads, [&] {
                return [&, work = Workspace(seen, kind)](std::size_t i) mutable {
                    if (!work.forest.fill(searched, sentences.all[i])) return;
                    work.nodes.start(work.forest);
                    work.counts.clear();
                    Stream rng(draws.seed, draws.purpose, draws.first + i);
                    run_chain(work, meaning, options, wanted, rng, results[i]);
                    risk.finish(sentences.all[i], work.counts, work.chart, wanted.counts, results[i]);
                };
            });
        });
        for (const ChainResult& result : results) arrays.add(result);
    }
    return arrays.give_all(wanted);
}

}  // namespace

void bind_tree_search(nb::module_& m) {
    nb::class_<FinerGrammar>(m, "FinerGrammar", "A grammar whose symbols and rules are copies of those of another one.")
        .def("__init__", [](FinerGrammar* self, const Grammar& finer, const Grammar& coarser, const In<std::int32_t>& symbol_of,
                            const In<std::int32_t>& rule_of) {
            Translation meaning{{view(symbol_of).begin(), view(symbol_of).end()}, {view(rule_of).begin(), view(rule_of).end()}};
            meaning.check(finer, coarser);
            new (self) FinerGrammar{&finer, std::move(meaning)};
        }, "finer"_a, "coarser"_a, nb::kw_only(), "symbol_of"_a.noconvert(), "rule_of"_a.noconvert(), nb::keep_alive<1, 2>());

    m.def("search_trees", [](const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, bool contexts_of_rules,
                             const std::string& agenda, bool everywhere, std::int64_t beam, std::int64_t completions,
                             std::int64_t expansions, const FinerGrammar* finer, bool forgetting, int threads) {
        if (beam < 1 || completions < 1 || expansions < 1) throw std::invalid_argument("sizes of a search must be at least 1");
        return astar(grammar, model, sentences, {contexts_of_rules, forgetting}, astar_kind(agenda, everywhere),
                     {beam, completions, expansions}, finer, threads);
    }, "grammar"_a, "model"_a, "sentences"_a, nb::kw_only(), "contexts_of_rules"_a, "agenda"_a, "everywhere"_a = false, "beam"_a,
          "completions"_a, "expansions"_a, "finer"_a = nb::none(), "forgetting"_a = true, "threads"_a = 1,
          "Trees by A*, the grammar (or a finer one) guessing. `agenda`: partial trees in one queue of `beam`, valued by all open nodes (full) "
          "or by the children of the last rule (local), whose leftmost open node is rewritten, or every one with `everywhere`; or each node "
          "searched for itself (nodes), `beam` ways of it. `complete` says where the search came to an end; elsewhere the tree takes the "
          "best-scored rule at every node. A sentence without a tree has no rules.");

    m.def("draw_trees", [](const Grammar& grammar, const RuleTrie& model, const Lattices& sentences, bool contexts_of_rules, int samples,
                           int burn_in, int subtrees, std::uint64_t seed, std::uint64_t purpose, std::uint64_t first, double node_cost,
                           bool counts, bool visited, const FinerGrammar* finer, bool forgetting, int threads) {
        if (samples < 1 || burn_in < 0 || burn_in >= samples || subtrees < 0)
            throw std::invalid_argument("samples must be at least 1 and greater than burn_in");
        return chains(grammar, model, sentences, {contexts_of_rules, forgetting}, {samples, burn_in, subtrees}, {seed, purpose, first},
                      node_cost, {counts, visited}, finer, threads);
    }, "grammar"_a, "model"_a, "sentences"_a, nb::kw_only(), "contexts_of_rules"_a, "samples"_a, "burn_in"_a, "subtrees"_a, "seed"_a,
          "purpose"_a, "first"_a, "node_cost"_a, "counts"_a = false, "visited"_a = false, "finer"_a = nb::none(), "forgetting"_a = true,
          "threads"_a = 1,
          "Trees drawn by Metropolis and Hastings' rule, the grammar (or a finer one) proposing; sentence i has the stream of number first + i. The "
          "tree of least risk of each sentence (a node costs `node_cost` times what one that was drawn every time gains), the most "
          "probable one that was drawn (`best`), shares of accepted proposals, and by request the counts of (symbol, start, end) and "
          "the trees that were visited. A sentence without a tree has no rules.");
}

}  // namespace bistro::bind
