// The trainable franchise, its bases and hyper-parameters. Every call releases the GIL for its loop.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "hpyp/empty_dropper.hpp"
#include "hpyp/franchise_base.hpp"
#include "hpyp/hyper.hpp"
#include "hpyp/saved_state.hpp"
#include "hpyp/sequential.hpp"
#include "hpyp/sorted_resolver.hpp"
#include "hpyp/sorted_runs.hpp"
#include "stop/pause.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// Processes events in small groups of about a millisecond of work, and checks before each group whether to stop.
inline constexpr std::size_t kBlock = 4096;
template <class Each>
void in_blocks(std::span<const std::uint32_t> events, Each each) {
    for (std::size_t first = 0; first < events.size(); first += kBlock) {
        pause();
        each(events.subspan(first, std::min(kBlock, events.size() - first)));
    }
}

// All events are checked before the first of them creates an entry.
template <class RowOf>
void check_events(const Franchise& franchise, RowOf row_of, int length, const In<std::int32_t>& dishes) {
    const std::int32_t limit = franchise.base().dishes();
    for (std::size_t i = 0; i < dishes.shape(0); ++i) {
        const auto context = row_of(i);
        for (int k = 0; k < length; ++k)
            if (context(k) < 0) throw std::invalid_argument("a context element is negative");
        if (dishes.data()[i] < 0) throw std::invalid_argument("a dish is negative");
        if (dishes.data()[i] >= limit) throw std::invalid_argument("a dish is not among the dishes of the base");
    }
}

bool is_sorted(const InContexts& contexts) {
    const int width = static_cast<int>(contexts.shape(1));
    for (std::size_t i = 1; i < contexts.shape(0); ++i) {
        const ContextRow before = row(contexts, i - 1), now = row(contexts, i);
        int k = 0;
        while (k < width && before(k) == now(k)) ++k;
        if (k < width && now(k) < before(k)) return false;
    }
    return true;
}

Out<std::uint32_t> resolve(Franchise& franchise, const InContexts& contexts, const In<std::int32_t>& dishes) {
    if (contexts.shape(0) != dishes.shape(0)) throw std::invalid_argument("there must be as many contexts as dishes");
    LongArray<std::uint32_t> ids(dishes.shape(0));
    {
        nb::gil_scoped_release release;
        const int length = static_cast<int>(contexts.shape(1));
        check_events(franchise, [&](std::size_t i) { return row(contexts, i); }, length, dishes);
        if (franchise.is_empty() && is_sorted(contexts) && ids.size() >= static_cast<std::size_t>(franchise.base().dishes())) {
            SortedResolver entry_of(franchise, length);
            for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = entry_of(row(contexts, i), dishes.data()[i]);
        } else {
            std::vector<std::uint32_t> path;
            for (std::size_t i = 0; i < ids.size(); ++i)
                ids[i] = franchise.resolve(row(contexts, i), length, dishes.data()[i], path);
        }
        franchise.shrink_to_fit();
    }
    return give(std::move(ids));
}

using InRows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Resolves the events of several sorted lists, which are merged while they are read.
Out<std::uint32_t> resolve_runs(Franchise& franchise, const std::vector<std::pair<InRows, In<std::int32_t>>>& runs) {
    LongArray<std::uint32_t> ids;
    {
        nb::gil_scoped_release release;
        const int length = runs.empty() ? 0 : static_cast<int>(runs[0].first.shape(1));
        std::vector<SortedRun> lists;
        std::size_t total = 0;
        for (const auto& [contexts, dishes] : runs) {
            if (contexts.shape(0) != dishes.shape(0)) throw std::invalid_argument("there must be as many contexts as dishes");
            if (static_cast<int>(contexts.shape(1)) != length)
                throw std::invalid_argument("all contexts must have the same length");
            const std::int32_t* rows = contexts.data();
            const auto row_of = [=](std::size_t i) { return ContextRow{rows + i * static_cast<std::size_t>(length), 1}; };
            check_events(franchise, row_of, length, dishes);
            lists.push_back({contexts.data(), dishes.data(), dishes.shape(0)});
            total += dishes.shape(0);
        }
        ids.reserve(total);
        SortedResolver entry_of(franchise, length);
        for (MergedRuns merged(lists, length); !merged.is_over(); merged.advance()) {
            if (ids.size() % kBlock == 0) pause();
            ids.push_back(entry_of([row = merged.context()](int k) { return row[k]; }, merged.outcome()));
        }
        franchise.shrink_to_fit();
    }
    return give(std::move(ids));
}

Out<double> probabilities(const Franchise& franchise, const InContexts& contexts, const In<std::int32_t>& dishes) {
    if (contexts.shape(0) != dishes.shape(0)) throw std::invalid_argument("there must be as many contexts as dishes");
    std::vector<double> out(dishes.shape(0));
    {
        nb::gil_scoped_release release;
        const int length = static_cast<int>(contexts.shape(1));
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = franchise.probability(franchise.deepest_restaurant(row(contexts, i), length), dishes.data()[i]);
    }
    return give(std::move(out));
}

// (customers, tables, sizes): everything that is needed to resume, since the structure follows from the events.
auto state(const Franchise& franchise) {
    LongArray<std::int32_t> customers, tables, sizes;
    for (std::size_t i = 0; i < franchise.entries().size(); ++i) {
        const Entry& entry = franchise.entries()[i];
        customers.push_back(entry.customers);
        tables.push_back(entry.tables);
        if (entry.sizes == kNone) continue;
        for (const SizeCount& item : franchise.table_sizes()[entry.sizes])
            sizes.insert(sizes.end(), {static_cast<std::int32_t>(i), item.size, item.tables});
    }
    return std::make_tuple(give(std::move(customers)), give(std::move(tables)), give(std::move(sizes)));
}

// (parent, element) of all restaurants except the first, and (restaurant, dish) of all entries, in numerical order.
auto structure(const Franchise& franchise) {
    std::vector<std::uint32_t> restaurants, entries;
    for (std::size_t i = 1; i < franchise.restaurants().size(); ++i) {
        const Restaurant& r = franchise.restaurants()[i];
        restaurants.insert(restaurants.end(), {r.parent, static_cast<std::uint32_t>(r.element)});
    }
    for (const Entry& entry : franchise.entries())
        entries.insert(entries.end(), {entry.restaurant, static_cast<std::uint32_t>(entry.dish)});
    return std::make_tuple(give(std::move(restaurants)), give(std::move(entries)));
}

Out<double> entry_probabilities(const Franchise& franchise, const In<std::uint32_t>& events) {
    std::vector<double> out(events.shape(0));
    {
        nb::gil_scoped_release release;
        LongArray<double> all = franchise.entry_probabilities();
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = all.at(events.data()[i]);
    }
    return give(std::move(out));
}

double log_likelihood(const Franchise& franchise) {
    double sum = 0;
    const auto levels = level_likelihoods(franchise);
    for (int k = 0; k < franchise.levels(); ++k) sum += levels[k](franchise.discount_at(k), franchise.strength_at(k));
    if (franchise.base().learns()) return sum;
    for (const Entry& entry : franchise.entries())
        if (entry.parent == kNone && entry.tables > 0)
            sum += entry.tables * std::log(franchise.base().probability(entry.dish));
    return sum;
}

}  // namespace

void bind_hpyp(nb::module_& m) {
    m.def("random_bits", [](std::uint64_t seed, std::uint64_t purpose, std::uint64_t index, std::size_t n) {
        Stream stream(seed, purpose, index);
        std::vector<std::uint64_t> bits(n);
        for (auto& b : bits) b = stream.next();
        return give(std::move(bits));
    }, "seed"_a, "purpose"_a, "index"_a, "n"_a, "The first n 64-bit outputs of a stream.");
    m.def("log_gamma", &log_gamma, "x"_a);
    m.def("digamma", &digamma, "x"_a);

    nb::class_<Stream>(m, "Stream", "A counter-based random stream; see bistro.rng.")
        .def(nb::init<std::uint64_t, std::uint64_t, std::uint64_t>(), "seed"_a, "purpose"_a, "index"_a)
        .def("uniform", &Stream::uniform);

    m.def("slice_step", [](double x, nb::callable log_density, double width, double low, double high, Stream& rng) {
        if (!(width > 0)) throw std::invalid_argument("the width of a slice step must be positive");
        return slice_step(x, [&](double y) { return nb::cast<double>(log_density(y)); }, width, low, high, rng);
    }, "x"_a, "log_density"_a, nb::kw_only(), "width"_a, "low"_a, "high"_a, "rng"_a,
          "One step of slice sampling under any log density; the step that moves the hyper-parameters.");

    nb::class_<Base>(m, "Base", "A distribution over dishes below depth 0.")
        .def("probability", &Base::probability, "dish"_a)
        .def_prop_ro("dishes", &Base::dishes);
    nb::class_<UniformBase, Base>(m, "UniformBase").def(nb::init<std::int32_t>(), "dishes"_a);
    nb::class_<VectorBase, Base>(m, "VectorBase")
        .def(nb::init<std::vector<double>>(), "probabilities"_a)
        .def("assign", [](VectorBase& self, const In<double>& probabilities) {
            self.assign({probabilities.data(), probabilities.data() + probabilities.shape(0)});
        }, "probabilities"_a.noconvert(), "Other probabilities for the same dishes.");
    nb::class_<FranchiseBase, Base>(m, "FranchiseBase", "One restaurant of another franchise as a base.")
        .def(nb::init<std::shared_ptr<Franchise>, std::vector<std::int32_t>>(), "franchise"_a, "context"_a);

    nb::class_<HyperPrior>(m, "HyperPrior", "discount ~ Beta(a, b), strength ~ Gamma(shape, rate).")
        .def("__init__", [](HyperPrior* self, std::pair<double, double> discount, std::pair<double, double> strength) {
            new (self) HyperPrior{discount.first, discount.second, strength.first, strength.second};
        }, nb::kw_only(), "discount"_a, "strength"_a);

    nb::class_<LevelLikelihood>(m, "LevelLikelihood", "The seating likelihood of one level as a function of its parameters.")
        .def("__call__", &LevelLikelihood::operator(), "discount"_a, "strength"_a)
        .def("gradient", [](const LevelLikelihood& self, double d, double theta) {
            const Gradient g = self.gradient(d, theta);
            return std::make_tuple(g.value, g.by_discount, g.by_strength);
        }, "discount"_a, "strength"_a, "The value and its derivatives by discount and strength.")
        .def("slice", &slice_level, "discount"_a, "strength"_a, "prior"_a, nb::kw_only(), "dirichlet"_a, "rng"_a,
             nb::call_guard<nb::gil_scoped_release>(), "Both parameters after one slice-sampling step each.")
        .def("__add__", &LevelLikelihood::operator+, "other"_a, "The likelihood of two levels that share their parameters.");

    nb::class_<Franchise>(m, "Franchise", "A hierarchical Pitman-Yor process that learns.")
        .def("__init__", [](Franchise* self, std::shared_ptr<Base> base, int levels, const std::string& seating) {
            new (self) Franchise(std::move(base), levels, seating_from(seating));
        }, "base"_a, "levels"_a, "seating"_a = "gibbs")
        .def("resolve", &resolve, "contexts"_a.noconvert(), "dishes"_a.noconvert(),
             "The entries of events, made where they do not exist. Sorted events are resolved fastest.")
        .def("clear", [](Franchise& self) { EmptyDropper(self).clear(); }, "Forgets all restaurants and entries.")
        .def("resolve_runs", &resolve_runs, "runs"_a,
             "The entries of sorted lists of events, in the order of all of them together, for an empty franchise.")
        .def("add", [](Franchise& self, const In<std::uint32_t>& events, Stream& rng) {
            nb::gil_scoped_release release;
            in_blocks(view(events), [&](std::span<const std::uint32_t> some) {
                for (const std::uint32_t id : some) self.add(id, rng);
            });
        }, "events"_a.noconvert(), "rng"_a)
        .def("remove", [](Franchise& self, const In<std::uint32_t>& events, Stream& rng) {
            nb::gil_scoped_release release;
            in_blocks(view(events), [&](std::span<const std::uint32_t> some) {
                for (const std::uint32_t id : some) self.remove(id, rng);
            });
        }, "events"_a.noconvert(), "rng"_a)
        .def("sweep", [](Franchise& self, const In<std::uint32_t>& events, Stream& rng) {
            nb::gil_scoped_release release;
            in_blocks(view(events), [&](std::span<const std::uint32_t> some) { self.sweep(some, rng); });
        }, "events"_a.noconvert(), "rng"_a, "One Gibbs sweep: every event leaves and comes back.")
        .def("slice_hyperparameters", &slice_hyperparameters, "prior"_a, nb::kw_only(), "dirichlet"_a, "rng"_a,
             nb::call_guard<nb::gil_scoped_release>(), "One slice-sampling step for each parameter of each level.")
        .def("slice_sequentially", &slice_sequentially, "events"_a, "prior"_a, nb::kw_only(), "dirichlet"_a, "rng"_a,
             nb::call_guard<nb::gil_scoped_release>(), "The same under the probability of the events in a row.")
        .def("level_likelihoods", &level_likelihoods)
        .def("log_likelihood", &log_likelihood, "log p(seating, dishes), with the probabilities of a base that does not learn.")
        .def("probabilities", &probabilities, "contexts"_a.noconvert(), "dishes"_a.noconvert())
        .def("entry_probabilities", &entry_probabilities, "events"_a.noconvert(), "Of resolved events, all in one pass.")
        .def("set_parameters", &Franchise::set_parameters, "level"_a, "discount"_a, "strength"_a)
        .def("parameters", [](const Franchise& self) {
            std::vector<std::pair<double, double>> out;
            for (int k = 0; k < self.levels(); ++k) out.emplace_back(self.discount_at(k), self.strength_at(k));
            return out;
        }, "(discount, strength) of every level.")
        .def("state", &state, "Customers and tables of every entry, and (entry, size, tables) triples.")
        .def("structure", &structure, "Restaurants and entries, for `rebuild`.")
        .def("rebuild", [](Franchise& self, const In<std::uint32_t>& restaurants, const In<std::uint32_t>& entries) {
            self.rebuild(view(restaurants), view(entries));
        }, "restaurants"_a.noconvert(), "entries"_a.noconvert(), "Makes what `structure` gave, with the same numbers.")
        .def("restore", [](Franchise& self, const In<std::int32_t>& customers, const In<std::int32_t>& tables,
                           const In<std::int32_t>& sizes) {
            check_state(self, {view(customers), view(tables), view(sizes)});
            self.restore(view(customers), view(tables), view(sizes));
        },
             "customers"_a.noconvert(), "tables"_a.noconvert(), "sizes"_a.noconvert())
        .def("counts_by_level", [](const Franchise& self) {
            std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> out(self.levels());
            for (const Restaurant& r : self.restaurants()) {
                auto& [restaurants, customers, tables] = out[r.depth];
                ++restaurants;
                customers += r.customers;
                tables += r.tables;
            }
            return out;
        }, "(restaurants, customers, tables) of every level.")
        .def_prop_ro("num_entries", [](const Franchise& self) { return self.entries().size(); })
        .def_prop_ro("num_restaurants", [](const Franchise& self) { return self.restaurants().size(); })
        .def_prop_ro("levels", &Franchise::levels)
        .def_prop_ro("bytes", &Franchise::bytes, "Memory held, by capacity.");

    nb::class_<SequentialLikelihood>(m, "SequentialLikelihood", "The probability of events in a row, each predicted from those before it.")
        .def("__init__", [](SequentialLikelihood* self, const Franchise& franchise, const In<std::uint32_t>& events, Stream& rng) {
            for (const std::uint32_t id : view(events))
                if (id >= franchise.entries().size()) throw std::invalid_argument("there is no such event");
            new (self) SequentialLikelihood(franchise, view(events), rng);
        }, "franchise"_a, "events"_a.noconvert(), "rng"_a, nb::keep_alive<1, 2>())
        .def("__call__", [](const SequentialLikelihood& self, const std::vector<double>& discount, const std::vector<double>& strength) {
            const auto levels = static_cast<std::size_t>(self.franchise().levels());
            if (discount.size() != levels || strength.size() != levels)
                throw std::invalid_argument("there must be one value for each level");
            return self(discount, strength);
        }, "discount"_a, "strength"_a, "Natural logarithm, for the parameters of all levels.");
}

}  // namespace bistro::bind
