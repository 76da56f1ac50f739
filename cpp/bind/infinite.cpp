// Unbounded contexts: the suffix trie that counts events, and the frozen trie that answers queries.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "infinite/freeze_trie.hpp"
#include "infinite/left_out.hpp"
#include "infinite/rule_base.hpp"
#include "infinite/trie.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Contexts = DerivationList;  // elements in the place of rules

Contexts contexts_of(const In<std::int32_t>& elements, const In<std::int64_t>& offsets, std::size_t rows) {
    const Contexts contexts{view(elements), view(offsets)};
    contexts.check();
    if (contexts.size() != rows) throw std::invalid_argument("as many contexts as rules are needed");
    return contexts;
}

ContextTrie trie_of_events(const In<std::int32_t>& elements, const In<std::int64_t>& offsets, const In<std::int32_t>& rules,
                           std::int32_t depth, std::optional<In<std::int32_t>> blocks) {
    const Contexts contexts = contexts_of(elements, offsets, rules.shape(0));
    if (blocks && blocks->shape(0) != rules.shape(0)) throw std::invalid_argument("as many blocks as rules are needed");
    nb::gil_scoped_release release;
    Spines spines;
    std::vector<RuleEvent> events;
    for (std::size_t i = 0; i < contexts.size(); ++i) events.push_back({spines.of(contexts[i]), rules.data()[i], blocks ? blocks->data()[i] : 0});
    return ContextTrie(std::move(spines), std::move(events), depth);
}

LevelParameters parameters_of(const In<double>& discount, const In<double>& strength) {
    const auto d = view(discount), c = view(strength);
    return LevelParameters({d.begin(), d.end()}, {c.begin(), c.end()});
}

nb::dict frozen_arrays(const ContextTrie& trie, const In<double>& base, const In<double>& discount, const In<double>& strength) {
    TrieArrays arrays;
    {
        nb::gil_scoped_release release;
        arrays = freeze(trie, parameters_of(discount, strength), view(base));
    }
    nb::dict out;
    FrozenArrays& frozen = arrays.restaurants;
    out["child_begin"] = give(std::move(frozen.child_begin));
    out["element"] = give(std::move(frozen.element));
    out["entry_begin"] = give(std::move(frozen.entry_begin));
    out["backoff"] = give(std::move(frozen.backoff));
    out["dish"] = give(std::move(frozen.dish));
    out["probability"] = give(std::move(frozen.probability));
    out["length"] = give(std::move(arrays.length));
    out["label"] = give(std::move(arrays.label));
    out["link_next"] = give(std::move(arrays.link_next));
    out["link_element"] = give(std::move(arrays.link_element));
    return out;
}

// Finds the places of many contexts at once.
std::vector<Place> places(const RuleTrie& trie, const Contexts& contexts) {
    std::vector<Place> out(contexts.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (const std::int32_t element : contexts[i])
            if (element < 0) throw std::invalid_argument("a context element is negative");
        out[i] = trie.locate(contexts[i]);
    }
    return out;
}

Out<double> probabilities(const RuleTrie& trie, const In<std::int32_t>& elements, const In<std::int64_t>& offsets,
                          const In<std::int32_t>& rules) {
    const Contexts contexts = contexts_of(elements, offsets, rules.shape(0));
    std::vector<double> out(rules.shape(0));
    {
        nb::gil_scoped_release release;
        const std::vector<Place> where = places(trie, contexts);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::int32_t rule = rules.data()[i];
            if (rule < 0 || rule >= trie.num_rules()) throw std::invalid_argument("there is no such rule");
            out[i] = trie.probability(where[i], rule);
        }
    }
    return give(std::move(out));
}

Out<std::int32_t> depths(const RuleTrie& trie, const In<std::int32_t>& elements, const In<std::int64_t>& offsets) {
    const Contexts contexts = contexts_of(elements, offsets, offsets.shape(0) - 1);
    std::vector<std::int32_t> out;
    for (const Place& place : places(trie, contexts)) out.push_back(place.depth);
    return give(std::move(out));
}

Out<double> log_probabilities(const RuleTrie& trie, const In<std::int32_t>& left, const In<std::int32_t>& first,
                              const In<std::int32_t>& second, const In<std::int32_t>& trees, const In<std::int64_t>& offsets, bool by_rules) {
    const RuleColumns rules{view(left), view(first), view(second)};
    const DerivationList list{view(trees), view(offsets)};
    rules.check();
    list.check();
    if (rules.size() != trie.num_rules()) throw std::invalid_argument("the trie belongs to another table of rules");
    std::vector<double> out(list.size(), 0.0);
    {
        nb::gil_scoped_release release;
        ContextWalk walk(rules, by_rules);
        for (std::size_t i = 0; i < out.size(); ++i)
            walk(list[i], [&](std::span<const std::int32_t> context, std::int32_t rule) {
                out[i] += std::log(trie.probability(trie.locate(context), rule));
            });
    }
    return give(std::move(out));
}

// Resolves events in a franchise whose contexts differ in length.
Out<std::uint32_t> resolve_contexts(Franchise& franchise, const In<std::int32_t>& elements, const In<std::int64_t>& offsets,
                                    const In<std::int32_t>& rules) {
    const Contexts contexts = contexts_of(elements, offsets, rules.shape(0));
    std::vector<std::uint32_t> ids(rules.shape(0));
    std::vector<std::uint32_t> path;
    for (const std::int32_t element : view(elements))
        if (element < 0) throw std::invalid_argument("a context element is negative");
    for (const std::int32_t rule : view(rules))
        if (rule < 0 || rule >= franchise.base().dishes()) throw std::invalid_argument("there is no such rule");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto context = contexts[i];
        ids[i] = franchise.resolve([&](int k) { return context[static_cast<std::size_t>(k)]; }, static_cast<int>(context.size()),
                                   rules.data()[i], path);
    }
    franchise.shrink_to_fit();
    return give(std::move(ids));
}

// (elements, offsets, rules): the context of every node of all trees, cut to `depth` elements if that is not negative.
auto tree_events(const In<std::int32_t>& left, const In<std::int32_t>& first, const In<std::int32_t>& second,
                 const In<std::int32_t>& trees, const In<std::int64_t>& offsets, bool by_rules, std::int32_t depth) {
    const RuleColumns rules{view(left), view(first), view(second)};
    const DerivationList list{view(trees), view(offsets)};
    rules.check();
    list.check();
    std::vector<std::int32_t> elements, dishes;
    std::vector<std::int64_t> begins{0};
    ContextWalk walk(rules, by_rules);
    for (std::size_t i = 0; i < list.size(); ++i)
        walk(list[i], [&](std::span<const std::int32_t> context, std::int32_t rule) {
            const std::size_t seen = depth < 0 ? context.size() : std::min(context.size(), static_cast<std::size_t>(depth));
            elements.insert(elements.end(), context.begin(), context.begin() + static_cast<std::ptrdiff_t>(seen));
            begins.push_back(static_cast<std::int64_t>(elements.size()));
            dishes.push_back(rule);
        });
    return std::make_tuple(give(std::move(elements)), give(std::move(begins)), give(std::move(dishes)));
}

void bind_context_trie(nb::module_& m) {
    nb::class_<ContextTrie>(m, "ContextTrie", "Rules in contexts of any length, counted, with minimal seating.")
        .def_static("of_events", &trie_of_events, "elements"_a.noconvert(), "offsets"_a.noconvert(), "rules"_a.noconvert(),
                    nb::kw_only(), "depth"_a, "blocks"_a.noconvert() = nb::none(),
                    "Context i is elements[offsets[i]:offsets[i + 1]], nearest first, cut to `depth` unless that is negative.")
        .def_static("of_trees", [](const In<std::int32_t>& left, const In<std::int32_t>& first, const In<std::int32_t>& second,
                                   const In<std::int32_t>& trees, const In<std::int64_t>& offsets, bool by_rules, std::int32_t depth,
                                   std::int32_t blocks) {
            nb::gil_scoped_release release;
            return trie_of_trees({view(left), view(first), view(second)}, {view(trees), view(offsets)}, by_rules, depth, blocks);
        }, nb::kw_only(), "left"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "trees"_a.noconvert(), "offsets"_a.noconvert(),
                    "by_rules"_a, "depth"_a, "blocks"_a, "Neighbouring trees are in one of so many blocks.")
        .def("level_likelihoods", [](const ContextTrie& self, int levels) {
            if (levels < 1) throw std::invalid_argument("there must be at least one level");
            return self.level_likelihoods(levels);
        }, "levels"_a, "Of contexts of length 1, 2, ...; the last is that of all longer ones too.")
        .def("freeze", &frozen_arrays, "base"_a.noconvert(), "discount"_a.noconvert(), "strength"_a.noconvert(),
             "The arrays of a RuleTrie, but for these three.")
        .def_prop_ro("depth", &ContextTrie::depth, "Length of the longest context.")
        .def_prop_ro("num_events", &ContextTrie::num_events)
        .def_prop_ro("num_nodes", [](const ContextTrie& self) { return self.nodes().size(); })
        .def_prop_ro("num_entries", [](const ContextTrie& self) { return self.served().size(); })
        .def_prop_ro("plain_size", &ContextTrie::plain_size, "(contexts, rules in them) if all were stored.");
}

void bind_left_out(nb::module_& m) {
    nb::class_<LeftOut>(m, "LeftOut", "How well events are predicted from all blocks but their own.")
        .def("__init__", [](LeftOut* self, const ContextTrie& trie, std::int32_t blocks, const In<double>& base) {
            nb::gil_scoped_release release;
            new (self) LeftOut(trie, blocks, view(base));
        }, "trie"_a, "blocks"_a, "base"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("gradient", [](const LeftOut& self, const In<double>& discount, const In<double>& strength) {
            LeftOut::Result result;
            {
                nb::gil_scoped_release release;
                result = self(parameters_of(discount, strength));
            }
            return std::make_tuple(result.value, give(std::move(result.by_discount)), give(std::move(result.by_strength)));
        }, "discount"_a.noconvert(), "strength"_a.noconvert(), "Σ log P, and its derivatives by the parameters of every level.")
        .def_prop_ro("num_terms", &LeftOut::num_terms)
        .def_prop_ro("num_steps", &LeftOut::num_steps)
        .def_prop_ro("num_events", &LeftOut::num_events, "Events that can be predicted: other blocks have their rule too.");
}

void bind_rule_trie(nb::module_& m) {
    nb::class_<RuleTrie>(m, "RuleTrie", "The suffix trie when it no longer learns.")
        .def("__init__", [](RuleTrie* self, const In<std::uint32_t>& child_begin, const In<std::uint32_t>& element,
                            const In<std::uint32_t>& entry_begin, const In<float>& backoff, const In<std::uint32_t>& dish,
                            const In<float>& probability, const In<std::uint32_t>& length, const In<std::uint32_t>& label,
                            const In<std::uint32_t>& link_next, const In<std::uint32_t>& link_element, const In<double>& base,
                            const In<double>& discount, const In<double>& strength, std::int32_t depth) {
            nb::gil_scoped_release release;
            const Frozen frozen{view(child_begin), view(element), view(entry_begin), view(backoff), view(dish),
                                view(probability), view(base), static_cast<std::int32_t>(base.shape(0))};
            new (self) RuleTrie({frozen, view(length), view(label), view(link_next), view(link_element)},
                                parameters_of(discount, strength), depth);
        }, nb::kw_only(), "child_begin"_a.noconvert(), "element"_a.noconvert(), "entry_begin"_a.noconvert(), "backoff"_a.noconvert(),
             "dish"_a.noconvert(), "probability"_a.noconvert(), "length"_a.noconvert(), "label"_a.noconvert(), "link_next"_a.noconvert(),
             "link_element"_a.noconvert(), "base"_a.noconvert(), "discount"_a.noconvert(), "strength"_a.noconvert(), "depth"_a)
        .def("probabilities", &probabilities, "elements"_a.noconvert(), "offsets"_a.noconvert(), "rules"_a.noconvert(),
             "P(rule | context) for each rule in its context.")
        .def("log_probabilities", &log_probabilities, nb::kw_only(), "left"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(),
             "trees"_a.noconvert(), "offsets"_a.noconvert(), "by_rules"_a, "log P(T) of every tree.")
        .def("depths", &depths, "elements"_a.noconvert(), "offsets"_a.noconvert(), "How much of each context the trie knows.")
        .def_prop_ro("num_nodes", &RuleTrie::num_nodes)
        .def_prop_ro("depth_bound", &RuleTrie::depth_bound)
        .def_prop_ro("bytes", &RuleTrie::bytes);
}

}  // namespace

void bind_infinite(nb::module_& m) {
    nb::class_<RuleBase, Base>(m, "RuleBase", "H(rule | left side), by rule.").def(nb::init<std::vector<double>>(), "probabilities"_a);
    m.def("resolve_contexts", &resolve_contexts, "franchise"_a, "elements"_a.noconvert(), "offsets"_a.noconvert(), "rules"_a.noconvert(),
          "The entries of events in a franchise, whose contexts may differ in length.");
    m.def("tree_events", &tree_events, nb::kw_only(), "left"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(),
          "trees"_a.noconvert(), "offsets"_a.noconvert(), "by_rules"_a, "depth"_a, "Contexts, where each begins, and rules, of all nodes of trees.");
    bind_context_trie(m);
    bind_left_out(m);
    bind_rule_trie(m);
}

}  // namespace bistro::bind
