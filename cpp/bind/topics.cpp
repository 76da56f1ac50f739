// Syntactic topics: the sampler of states.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "topics/sampler.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

Out<double> draws(const std::vector<double>& parameters, std::size_t n, Stream& rng,
                  double (*draw)(const std::vector<double>&, Stream&)) {
    std::vector<double> out(n);
    for (double& x : out) x = draw(parameters, rng);
    return give(std::move(out));
}

}  // namespace

void bind_topics(nb::module_& m) {
    m.def("gamma_draws", [](double shape, std::size_t n, Stream& rng) {
        if (!(shape > 0)) throw std::invalid_argument("the shape of a gamma law must be above 0");
        return draws({shape}, n, rng, [](const auto& p, Stream& r) { return std::exp(draw_log_gamma(p[0], r)); });
    }, "shape"_a, "n"_a, "rng"_a, "Numbers of a Gamma(shape, 1) law.");
    m.def("beta_draws", [](double a, double b, std::size_t n, Stream& rng) {
        if (!(a > 0 && b > 0)) throw std::invalid_argument("the parameters of a beta law must be above 0");
        return draws({a, b}, n, rng, [](const auto& p, Stream& r) { return draw_beta(p[0], p[1], r); });
    }, "a"_a, "b"_a, "n"_a, "rng"_a, "Numbers of a Beta(a, b) law.");

    nb::class_<TopicSampler>(m, "TopicSampler", "Collapsed Gibbs sampling of the states between words and their parents.")
        .def("__init__", [](TopicSampler* self, const In<std::int32_t>& parents, const In<std::int32_t>& words,
                            const In<std::int32_t>& stops, std::int32_t num_parents, std::int32_t num_words,
                            std::int32_t slots, bool open, double strength, double smoothing, double gamma) {
            new (self) TopicSampler(view(parents), view(words), view(stops), num_parents, num_words, slots, open,
                                    {strength, smoothing, gamma});
        }, "parents"_a.noconvert(), "words"_a.noconvert(), "stops"_a.noconvert(), nb::kw_only(), "num_parents"_a, "num_words"_a, "slots"_a, "open"_a,
             "strength"_a, "smoothing"_a, "gamma"_a)
        .def("seat", [](TopicSampler& self, Stream& rng) {
            nb::gil_scoped_release release;
            self.seat(rng);
        }, "rng"_a, "Draws a state for every token that has none.")
        .def("sweep", [](TopicSampler& self, Stream& rng) {
            nb::gil_scoped_release release;
            self.sweep(rng);
        }, "rng"_a, "One Gibbs sweep over all tokens.")
        .def("draw_weights", [](TopicSampler& self, Stream& rng) {
            nb::gil_scoped_release release;
            self.draw_weights(rng);
        }, "rng"_a)
        .def("draw_parameters", [](TopicSampler& self, double shape, double rate, Stream& rng) {
            nb::gil_scoped_release release;
            self.draw_parameters(shape, rate, rng);
        }, "shape"_a, "rate"_a, "rng"_a, "One slice step each for strength, smoothing and gamma; after draw_weights.")
        .def("log_joint", [](const TopicSampler& self) {
            nb::gil_scoped_release release;
            return self.log_joint();
        }, "log p(states, stops, words) given weights and parameters.")
        .def("restore", [](TopicSampler& self, const In<std::int32_t>& states, const In<double>& weights, double unseen,
                           double stop_weight, double strength, double smoothing, double gamma) {
            self.restore(view(states), view(weights), unseen, stop_weight, {strength, smoothing, gamma});
        }, "states"_a.noconvert(), "weights"_a.noconvert(), nb::kw_only(), "unseen"_a, "stop_weight"_a,
             "strength"_a, "smoothing"_a, "gamma"_a)
        .def_prop_ro("states", [](const TopicSampler& self) { return give(std::vector<std::int32_t>(self.states())); },
                     nb::rv_policy::automatic)
        .def_prop_ro("weights", [](const TopicSampler& self) { return give(std::vector<double>(self.weights())); },
                     nb::rv_policy::automatic)
        .def_prop_ro("unseen", &TopicSampler::unseen, "The weight of all states not yet seen.")
        .def_prop_ro("stops", [](const TopicSampler& self) { return give(std::vector<std::int32_t>(self.stops())); },
                     nb::rv_policy::automatic, "How often each parent stops; empty without stops.")
        .def_prop_ro("stop_weight", &TopicSampler::stop_weight)
        .def_prop_ro("slots", &TopicSampler::slots)
        .def_prop_ro("live", &TopicSampler::live, "How many states have a word.")
        .def_prop_ro("parameters", [](const TopicSampler& self) {
            const TopicParameters& p = self.parameters();
            return std::make_tuple(p.strength, p.smoothing, p.gamma);
        }, "(strength, smoothing, gamma).");
}

}  // namespace bistro::bind
