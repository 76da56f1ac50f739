// Processes that are observed event by event: a franchise of fixed depth. Every call releases the GIL for its loop.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "process/online.hpp"
#include "process/spelled_base.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

Sequences sequences(const In<std::int32_t>& elements, const In<std::int64_t>& offsets, bool last_only, std::int64_t given) {
    return {view(elements), view(offsets), last_only, given};
}

// What every process can do, whatever its restaurants look like.
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
             "One Gibbs sweep over all observed events.");
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
}

}  // namespace bistro::bind
