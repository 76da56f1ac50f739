// The frozen franchise: built from samples of a trainable franchise, or opened over the arrays of a model file.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/frozen_holder.hpp"
#include "hpyp/fan.hpp"
#include "hpyp/freeze.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

nb::dict frozen_arrays(const Franchise& franchise, const PredictiveSum& sum) {
    FrozenArrays arrays;
    {
        nb::gil_scoped_release release;
        arrays = freeze(franchise, sum);
    }
    nb::dict out;
    out["child_begin"] = give(std::move(arrays.child_begin));
    out["element"] = give(std::move(arrays.element));
    out["entry_begin"] = give(std::move(arrays.entry_begin));
    out["backoff"] = give(std::move(arrays.backoff));
    out["dish"] = give(std::move(arrays.dish));
    out["probability"] = give(std::move(arrays.probability));
    out["base"] = give(std::move(arrays.base));
    return out;
}

Out<double> log_probabilities(const FrozenHolder& self, const InContexts& contexts, const In<std::int32_t>& dishes) {
    if (contexts.shape(0) != dishes.shape(0)) throw std::invalid_argument("there must be as many contexts as dishes");
    std::vector<double> out(dishes.shape(0));
    {
        nb::gil_scoped_release release;
        const int length = static_cast<int>(contexts.shape(1));
        std::vector<std::uint32_t> path(length + 1);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const int depth = self.frozen.descend(row(contexts, i), length, path.data());
            out[i] = std::log(
                self.frozen.probability_on_path(path.data(), depth, static_cast<std::uint32_t>(dishes.data()[i])));
        }
    }
    return give(std::move(out));
}

// A row of `width` values for each context and dish.
Out<double> fan_probabilities(const FrozenHolder& self, const InContexts& contexts, const In<std::int32_t>& dishes,
                              std::int32_t width, std::size_t most_bytes, const std::vector<std::int32_t>& groups) {
    if (contexts.shape(0) != dishes.shape(0)) throw std::invalid_argument("there must be as many contexts as dishes");
    if (contexts.shape(1) < 1 || width < 1) throw std::invalid_argument("contexts need a first element that has a value");
    const std::size_t first = groups.empty() ? 1 : 2;
    if (contexts.shape(1) < first || (first == 2 && groups.size() != static_cast<std::size_t>(width)))
        throw std::invalid_argument("every first element must have a group, and contexts begin with it");
    std::vector<double> out(dishes.shape(0) * static_cast<std::size_t>(width));
    {
        nb::gil_scoped_release release;
        Fan fan(self.frozen, width, groups, most_bytes);
        for (std::size_t i = 0; i < dishes.shape(0); ++i)
            fan.probabilities(static_cast<std::uint32_t>(dishes.data()[i]), row(contexts, i),
                              static_cast<int>(contexts.shape(1)), out.data() + i * static_cast<std::size_t>(width));
    }
    return give(std::move(out));
}

Out<double> distribution(const FrozenHolder& self, const In<std::int32_t>& context) {
    std::vector<double> out(self.frozen.dishes);
    {
        nb::gil_scoped_release release;
        const int length = static_cast<int>(context.shape(0));
        std::vector<std::uint32_t> path(length + 1);
        const int depth = self.frozen.descend([&](int k) { return context.data()[k]; }, length, path.data());
        self.frozen.distribution(path.data(), depth, out.data());
    }
    return give(std::move(out));
}

// (dishes, probabilities): the `most` best of every context, best first, padded with -1 and 0.
auto most_probable(const FrozenHolder& self, const InContexts& contexts, std::int32_t most) {
    if (most < 1) throw std::invalid_argument("at least one dish must be requested");
    const auto k = static_cast<std::size_t>(most);
    std::vector<std::int32_t> dishes(contexts.shape(0) * k, -1);
    std::vector<double> probabilities(contexts.shape(0) * k, 0.0);
    {
        nb::gil_scoped_release release;
        const int length = static_cast<int>(contexts.shape(1));
        std::vector<std::uint32_t> path(length + 1);
        std::vector<std::uint8_t> seen(static_cast<std::size_t>(self.frozen.dishes), 0);
        std::vector<Frozen::Ranked> ranked;
        for (std::size_t i = 0; i < contexts.shape(0); ++i) {
            const int depth = self.frozen.descend(row(contexts, i), length, path.data());
            self.frozen.most_probable(path.data(), depth, k, seen, ranked);
            for (std::size_t j = 0; j < ranked.size(); ++j) {
                dishes[i * k + j] = static_cast<std::int32_t>(ranked[j].dish);
                probabilities[i * k + j] = ranked[j].probability;
            }
        }
    }
    return std::make_tuple(give(std::move(dishes)), give(std::move(probabilities)));
}

// Draws dishes, each in the context of the previous dishes (nearest first), until `end` or the length limit.
Out<std::int32_t> sample_sequence(const FrozenHolder& self, const In<std::int32_t>& start, std::int32_t end,
                                  std::int64_t max_length, Stream& rng) {
    std::vector<std::int32_t> out;
    {
        nb::gil_scoped_release release;
        std::vector<std::int32_t> context(start.data(), start.data() + start.shape(0));
        const int length = static_cast<int>(context.size());
        std::vector<std::uint32_t> path(length + 1);
        while (static_cast<std::int64_t>(out.size()) < max_length) {
            const int depth = self.frozen.descend([&](int k) { return context[k]; }, length, path.data());
            const auto dish = static_cast<std::int32_t>(self.frozen.sample(path.data(), depth, rng));
            if (dish == end) break;
            out.push_back(dish);
            if (length == 0) continue;
            context.insert(context.begin(), dish);
            context.pop_back();
        }
    }
    return give(std::move(out));
}

}  // namespace

void bind_frozen(nb::module_& m) {
    nb::class_<PredictiveSum>(m, "PredictiveSum", "Predictive probabilities summed over samples of the seating.")
        .def(nb::init<>())
        .def("add", &PredictiveSum::add, "franchise"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_ro("samples", &PredictiveSum::samples)
        .def("state", [](const PredictiveSum& self) {
            return nb::make_tuple(give(self.probability), give(self.backoff), self.samples);
        })
        .def("restore", [](PredictiveSum& self, const In<double>& probability, const In<double>& backoff, std::int32_t samples) {
            self.probability.assign(probability.data(), probability.data() + probability.shape(0));
            self.backoff.assign(backoff.data(), backoff.data() + backoff.shape(0));
            self.samples = samples;
        }, "probability"_a.noconvert(), "backoff"_a.noconvert(), "samples"_a)
        .def("freeze", [](const PredictiveSum& self, const Franchise& franchise) { return frozen_arrays(franchise, self); },
             "franchise"_a, "The arrays of the frozen form, by name.");

    nb::class_<FrozenHolder>(m, "Frozen", "A franchise that no longer learns: read-only arrays, shared between threads.")
        .def(nb::init<In<std::uint32_t>, In<std::uint32_t>, In<std::uint32_t>, In<float>, In<std::uint32_t>, In<float>,
                      In<double>, std::int32_t>(),
             nb::kw_only(), "child_begin"_a.noconvert(), "element"_a.noconvert(), "entry_begin"_a.noconvert(), "backoff"_a.noconvert(),
             "dish"_a.noconvert(), "probability"_a.noconvert(), "base"_a.noconvert(), "dishes"_a)
        .def("log_probabilities", &log_probabilities, "contexts"_a.noconvert(), "dishes"_a.noconvert(),
             "Natural logarithms of p(dish | context), a row of contexts each.")
        .def("fan_probabilities", &fan_probabilities, "contexts"_a.noconvert(), "dishes"_a.noconvert(), nb::kw_only(),
             "width"_a, "most_bytes"_a, "groups"_a = std::vector<std::int32_t>(),
             "p(dish | v, the rest of the context) for every first element v below `width`, row after row.")
        .def("distribution", &distribution, "context"_a.noconvert(), "p(. | context) over all dishes.")
        .def("most_probable", &most_probable, "contexts"_a.noconvert(), "most"_a,
             "(dishes, probabilities): the most probable dishes in each context, best first, row after row.")
        .def("sample_sequence", &sample_sequence, "start"_a.noconvert(), nb::kw_only(), "end"_a, "max_length"_a, "rng"_a)
        .def_prop_ro("dishes", [](const FrozenHolder& self) { return self.frozen.dishes; });
}

}  // namespace bistro::bind
