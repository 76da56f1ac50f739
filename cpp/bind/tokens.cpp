// Finding words and sentences in running text.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/frozen_holder.hpp"
#include "tokens/boundaries.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

auto boundaries(const Automaton& self, const In<std::int32_t>& text, const In<std::uint8_t>& allowed, const In<std::int32_t>& before,
                std::int32_t after, double least_event, double least_share, std::int32_t most) {
    if (text.shape(0) != allowed.shape(0)) throw std::invalid_argument("every character must have its allowed events");
    std::vector<float> out(text.shape(0) * kHiddenEvents, 0.0f);
    double log_total = 0;
    {
        nb::gil_scoped_release release;
        std::uint32_t state = 0;
        for (const std::int32_t symbol : view(before)) state = self.step(state, static_cast<std::uint32_t>(symbol)).state;
        Boundaries finder(self, {least_event, least_share, static_cast<std::size_t>(most)});
        log_total = finder.run(view(text), view(allowed), state, static_cast<std::uint32_t>(after), out.data());
    }
    return std::make_tuple(give(std::move(out)), log_total);
}

}  // namespace

void bind_tokens(nb::module_& m) {
    nb::class_<Automaton>(m, "Automaton", "A frozen n-gram model of characters that reads a text symbol by symbol.")
        .def("__init__", [](Automaton* self, const FrozenHolder& frozen, std::array<std::uint32_t, kHiddenEvents> hidden) {
            nb::gil_scoped_release release;
            new (self) Automaton(frozen.frozen, hidden);
        }, "frozen"_a, "hidden"_a, nb::keep_alive<1, 2>())
        .def("boundaries", &boundaries, "text"_a.noconvert(), "allowed"_a.noconvert(), nb::kw_only(), "before"_a.noconvert(), "after"_a,
             "least_event"_a, "least_share"_a, "most"_a,
             "(probability of each hidden event after each character, log p of the text)");
}

}  // namespace bistro::bind
