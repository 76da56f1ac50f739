// A record of the particle search: every derivation with its particles and weight, before and after each selection.
#include <nanobind/stl/string.h>

#include "bind/bind.hpp"
#include "bind/results.hpp"
#include "bind/transition.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// Concatenated sets of derivations.
struct Record {
    std::vector<std::vector<Derivation>> sets;

    nb::dict give_all(const States& states) {
        std::vector<std::int64_t> set_ends, step_ends, particles;
        std::vector<double> log_weight, log_importance;
        std::vector<std::int16_t> steps;
        for (const auto& derivations : sets) {
            for (const Derivation& d : derivations) {
                particles.push_back(d.particles);
                log_weight.push_back(d.log_weight);
                log_importance.push_back(d.log_importance);
                add_steps(states, d.state, steps);
                step_ends.push_back(static_cast<std::int64_t>(steps.size() / 3));
            }
            set_ends.push_back(static_cast<std::int64_t>(particles.size()));
        }
        nb::dict out;
        out["set_ends"] = give(std::move(set_ends));
        out["particles"] = give(std::move(particles));
        out["log_weight"] = give(std::move(log_weight));
        out["log_importance"] = give(std::move(log_importance));
        out["steps"] = give(std::move(steps));
        out["step_ends"] = give(std::move(step_ends));
        return out;
    }

    static void add_steps(const States& states, std::uint32_t last, std::vector<std::int16_t>& steps) {
        std::vector<std::uint32_t> ids;
        for (std::uint32_t id = last; states[id].action != Action::start; id = states[id].previous) ids.push_back(id);
        for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
            const State& s = states[*id];
            const bool shifts = s.action == Action::shift, is_arc = s.action == Action::left_arc || s.action == Action::right_arc;
            steps.push_back(static_cast<std::int16_t>(s.action));
            steps.push_back(shifts ? s.tag : std::int16_t{-1});
            steps.push_back(is_arc ? s.label : std::int16_t{-1});
        }
    }
};

// A policy whose selections are recorded.
template <class Policy>
struct Recorded : Policy {
    Record* record;

    void select(std::vector<Derivation>& derivations) {
        record->sets.push_back(derivations);
        Policy::select(derivations);
        record->sets.push_back(derivations);
    }
};

template <class Policy>
nb::dict recorded(const Parser& parser, const Batch& batch, const ParseRequest& request, const Policy& policy) {
    Record record;
    const TransitionModel<Frozen> model = request.searched(parser.unpaced);
    Search<Frozen, Recorded<Policy>> search(model, {policy, &record}, request.search);
    Sentence sentence = batch.sentence(0);
    sentence.prepare();
    record.sets.push_back(search.run(sentence));
    return record.give_all(search.states());
}

nb::dict particles_of(const Parser& parser, const Batch& batch, const ParseRequest& request, const std::string& draws, Stream& rng) {
    batch.check(parser.model.system);
    if (batch.size() != 1) throw std::invalid_argument("only one sentence can be searched at a time");
    if (draws == "independent") return recorded(parser, batch, request, DrawingPolicy{request.size, &rng});
    if (draws == "systematic") return recorded(parser, batch, request, SystematicPolicy{request.size, &rng});
    if (draws != "none") throw std::invalid_argument("draws must be none, independent or systematic");
    return recorded(parser, batch, request, ParticlePolicy{request.size, request.by_weight});
}

}  // namespace

void bind_particles(nb::module_& m) {
    // The class itself is bound with the parser.
    auto parser = nb::borrow<nb::class_<Parser>>(m.attr("TransitionParser"));
    parser.def("particles", &particles_of, "batch"_a, "request"_a, nb::kw_only(), "draws"_a, "rng"_a,
               "The derivations of one sentence before and after the selection that follows each word, and the complete ones last: "
               "particles, weights and (action, tag, label) of all steps. Particles are divided, or drawn from the stream.");
}

}  // namespace bistro::bind
