// Processes that are observed event by event: a franchise of fixed depth and the sequence memoizer. Every call releases the
// GIL for its loop.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "process/memoizer_likelihood.hpp"
#include "process/memoizer_state.hpp"
#include "process/online.hpp"
#include "process/spelled_base.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

Sequences sequences(const In<std::int32_t>& elements, const In<std::int64_t>& offsets, bool last_only, std::int64_t given) {
    return {view(elements), view(offsets), last_only, given};
}

// The methods that all processes have in common.
template <class Process>
void bind_events(nb::class_<Process>& process) {
    process
        .def("observe", [](Process& self, const In<std::int32_t>& elements, const In<std::int64_t>& offsets, bool last_only,
                           std::int64_t given, Stream& rng) {
            std::vector<double> out;
            {
                nb::gil_scoped_release release;
                out = self.observe(sequences(elements, offsets, last_only, given), rng);
            }
            return give(std::move(out));
        }, "elements"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "last_only"_a, "given"_a = 0, "rng"_a,
             "Observe events; return the probability of each just before it was observed.")
        .def("forget", [](Process& self, const In<std::int32_t>& elements, const In<std::int64_t>& offsets, bool last_only,
                          std::int64_t given, Stream& rng) {
            nb::gil_scoped_release release;
            self.forget(sequences(elements, offsets, last_only, given), rng);
        }, "elements"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "last_only"_a, "given"_a = 0, "rng"_a)
        .def("probabilities", [](const Process& self, const In<std::int32_t>& elements, const In<std::int64_t>& offsets,
                                 bool last_only, std::int64_t given) {
            std::vector<double> out;
            {
                nb::gil_scoped_release release;
                const Sequences events = sequences(elements, offsets, last_only, given);
                events.check(std::int64_t{1} << 31);
                out = self.probabilities(events);
            }
            return give(std::move(out));
        }, "elements"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "last_only"_a, "given"_a = 0,
             "Return the probability of every event.")
        .def("distribution", [](const Process& self, const In<std::int32_t>& context) {
            return give(self.distribution(view(context)));
        }, "context"_a.noconvert(), "Return the probability of every outcome.")
        .def("base_weight", [](const Process& self, const In<std::int32_t>& context) { return self.base_weight(view(context)); },
             "context"_a.noconvert(), "Return the share of the base in the predictive distribution.")
        .def("tables", [](const Process& self, const In<std::int32_t>& context) { return give(self.tables(view(context))); },
             "context"_a.noconvert(), "Return (outcome, size, tables) triples of the restaurant of a context.")
        .def("sweep", &Process::sweep, "rng"_a, nb::call_guard<nb::gil_scoped_release>(),
             "One Gibbs sweep over all observed events.")
        .def("empty", &Process::empty, "rng"_a, nb::call_guard<nb::gil_scoped_release>(), "Forget all events.");
}

void bind_memoizer(nb::module_& m) {
    nb::class_<DiscountLearner>(m, "DiscountLearner", "Discounts that follow the gradient of every event's log-probability.")
        .def(nb::init<double, int>(), "rate"_a, "levels"_a)
        .def("state", [](const DiscountLearner& self) { return give(self.state()); })
        .def("restore", [](DiscountLearner& self, const In<double>& state) {
            self.restore({state.data(), state.data() + state.shape(0)});
        }, "state"_a.noconvert());

    nb::class_<Memoizer> memoizer(m, "Memoizer", "A process with contexts of any length: the sequence memoizer.");
    memoizer.def("__init__", [](Memoizer* self, std::shared_ptr<Base> base, std::vector<double> discount, double strength,
                                const std::string& seating) {
        new (self) Memoizer(std::move(base), std::move(discount), strength, seating_from(seating));
    }, "base"_a, "discount"_a, "strength"_a, "seating"_a = "gibbs");
    bind_events(memoizer);
    memoizer
        .def("observe_and_learn", [](Memoizer& self, const In<std::int32_t>& elements, const In<std::int64_t>& offsets, bool last_only,
                                     std::int64_t given, Stream& rng, DiscountLearner& learner) {
            std::vector<double> out;
            {
                nb::gil_scoped_release release;
                out = self.observe(sequences(elements, offsets, last_only, given), rng, &learner);
            }
            return give(std::move(out));
        }, "elements"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(), "last_only"_a, "given"_a = 0, "rng"_a, "learner"_a,
             "The same as `observe`; the hyper-parameters move after each event.")
        .def("parameters", [](const Memoizer& self) {
            return std::pair(self.parameters().discounts(), self.parameters().alpha());
        }, "Discounts by the length of the context, and the strength of the empty one.")
        .def("set_parameters", &Memoizer::set_parameters, "discount"_a, "strength"_a)
        .def("counts_by_level", [](const Memoizer& self) {
            std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> out(self.parameters().levels());
            for (const ContextNode& node : self.tree().nodes()) {
                auto& [restaurants, customers, tables] = out[self.parameters().index(node.depth)];
                ++restaurants, customers += node.customers, tables += node.tables;
            }
            for (const ContextLeaf& leaf : self.tree().leaves())
                if (!leaf.vacant()) {
                    auto& [restaurants, customers, tables] = out[self.parameters().index(leaf.length())];
                    ++restaurants, ++customers, ++tables;
                }
            return out;
        }, "(restaurants, customers, tables) by the length of the context.")
        .def("state", [](const Memoizer& self) {
            MemoizerState state = saved_state(self);
            return std::make_tuple(give(std::move(state.text)), give(std::move(state.nodes)), give(std::move(state.leaves)),
                                   give(std::move(state.children)), give(std::move(state.seats)), give(std::move(state.sizes)));
        }, "Text, nodes, leaves, children, seats and table sizes, for `restore`.")
        .def("restore", [](Memoizer& self, const In<std::int32_t>& text, const In<std::uint32_t>& nodes, const In<std::int32_t>& leaves,
                           const In<std::uint32_t>& children, const In<std::int32_t>& seats, const In<std::int32_t>& sizes) {
            MemoizerReader(self, {view(text), view(nodes), view(leaves), view(children), view(seats), view(sizes)});
        }, "text"_a.noconvert(), "nodes"_a.noconvert(), "leaves"_a.noconvert(), "children"_a.noconvert(), "seats"_a.noconvert(),
             "sizes"_a.noconvert(), "Make what `state` gave, in a memoizer that has observed nothing.")
        .def_prop_ro("num_nodes", [](const Memoizer& self) { return self.tree().nodes().size(); })
        .def_prop_ro("num_leaves", [](const Memoizer& self) { return self.tree().leaves().size(); })
        .def_prop_ro("bytes", &Memoizer::bytes, "Memory held, by capacity.");

    nb::class_<MemoizerLikelihood>(m, "MemoizerLikelihood", "log p(seating, outcomes) of a memoizer as a function of its parameters.")
        .def(nb::init<const Memoizer&>(), "memoizer"_a)
        .def("__call__", [](const MemoizerLikelihood& self, std::vector<double> discount, double strength) {
            return self(ChainDiscounts(std::move(discount), strength));
        }, "discount"_a, "strength"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("gradient", [](const MemoizerLikelihood& self, std::vector<double> discount, double strength) {
            return self.gradient(ChainDiscounts(std::move(discount), strength));
        }, "discount"_a, "strength"_a,
             "The value, and its derivatives by the logarithms of all discounts and, last, of the strength.");

    nb::class_<MemoizerBase, Base>(m, "MemoizerBase", "The empty context of a memoizer as a base.")
        .def(nb::init<std::shared_ptr<Memoizer>>(), "memoizer"_a);
}

}  // namespace

void bind_process(nb::module_& m) {
    nb::class_<SpelledBase, Base>(m, "SpelledBase", "A base over strings, spelled by a franchise of characters.")
        .def(nb::init<std::shared_ptr<Franchise>, std::int32_t>(), "characters"_a, "end"_a)
        .def("append", [](SpelledBase& self, const In<std::int32_t>& word) { return self.append(view(word)); },
             "word"_a.noconvert(), "Number a new outcome.")
        .def("probability_of_word", [](const SpelledBase& self, const In<std::int32_t>& word) {
            return self.probability_of_word(view(word));
        }, "word"_a.noconvert());

    nb::class_<OnlineFranchise> online(m, "OnlineFranchise", "A franchise that is observed and forgotten event by event.");
    online.def(nb::init<std::shared_ptr<Franchise>>(), "franchise"_a);
    bind_events(online);
    online.def("observed", [](const OnlineFranchise& self) { return give(self.observed()); }, "Number of events of every entry.")
        .def("restore_observed", [](OnlineFranchise& self, const In<std::int32_t>& observed) {
            self.restore_observed(view(observed));
        }, "observed"_a.noconvert())
        .def_prop_ro("franchise", &OnlineFranchise::franchise);
    bind_memoizer(m);
}

}  // namespace bistro::bind
