// The analyses that a search keeps after each word of a sentence, and the steps of one derivation.
#include "parse/following.hpp"

#include "bind/bind.hpp"
#include "bind/score_request.hpp"
#include "bind/texts.hpp"
#include "bind/transition.hpp"
#include "parse/derivation_steps.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// Concatenated steps. The trees of a step have as many words as have been generated so far.
struct ReadingArrays {
    PrefixArrays figures;
    std::vector<std::int64_t> alive, shown_begin{0}, ids, parents;
    std::vector<double> entropy, probabilities;
    std::vector<std::int32_t> heads, labels, tags;

    void add(const ReadingStep& step, std::size_t words) {
        alive.push_back(step.alive);
        entropy.push_back(step.entropy);
        for (const LiveAnalysis& live : step.shown) {
            ids.push_back(live.id);
            parents.push_back(live.parent);
            probabilities.push_back(live.tree.posterior);
            auto append = [&](std::vector<std::int32_t>& to, const std::vector<std::int32_t>& from) {
                to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(words));
            };
            append(heads, live.tree.heads), append(labels, live.tree.labels), append(tags, live.tree.tags);
        }
        shown_begin.push_back(static_cast<std::int64_t>(ids.size()));
    }

    nb::dict give_all() {
        nb::dict out = figures.give_all();
        out["alive"] = give(std::move(alive));
        out["entropy"] = give(std::move(entropy));
        out["shown_begin"] = give(std::move(shown_begin));
        out["ids"] = give(std::move(ids));
        out["parents"] = give(std::move(parents));
        out["probabilities"] = give(std::move(probabilities));
        out["heads"] = give(std::move(heads));
        out["labels"] = give(std::move(labels));
        out["tags"] = give(std::move(tags));
        return out;
    }
};

nb::dict follow(const Parser& parser, const Batch& batch, const ScoreRequest& request, std::size_t most) {
    if (request.draws) throw std::invalid_argument("analyses can be followed only by a search");
    ReadingArrays found;
    {
        nb::gil_scoped_release release;
        batch.check(parser.model.system);
        if (batch.size() != 1) throw std::invalid_argument("only one sentence can be followed at a time");
        const TransitionModel<Frozen>& model = parser.model;
        const ParticlePolicy policy{request.size, true};
        Search<Frozen, ParticlePolicy> search(model, policy, request.options());
        Sentence sentence = batch.sentence(0);
        sentence.prepare();
        Follower<Frozen> follower(model, search.states(), sentence, most);
        auto watch = [&](const std::vector<Derivation>& derivations) { follower.watch(derivations); };
        for (const PrefixFigures& row : prefix_figures(search, policy, sentence, watch)) found.figures.add(row);
        std::size_t words = 0;
        for (const ReadingStep& step : follower.steps()) found.add(step, words = std::min(words + 1, sentence.words.size()));
    }
    return found.give_all();
}

// The most probable derivation of a sentence whose tags and tree are known. `elements` is stored row by row.
nb::dict best_derivation(const Parser& parser, const Batch& batch) {
    std::vector<std::int32_t> actions, words, labels, tags, possible, elements;
    double log_prob = 0, log_tree = 0;
    {
        nb::gil_scoped_release release;
        batch.check(parser.model.system);
        if (batch.size() != 1) throw std::invalid_argument("only one sentence can be followed at a time");
        Sentence sentence = batch.sentence(0);
        sentence.prepare();
        Search<Frozen, BeamPolicy> search(parser.model, BeamPolicy{kDerivationsOfATree}, {});
        const auto& finals = search.run(sentence);
        if (finals.empty()) throw std::invalid_argument("the tree has no derivation");
        log_prob = finals[0].log_weight, log_tree = log_sum(finals);
        for (const DerivationStep& step : steps_of(parser.model, search.states(), finals[0].state, sentence)) {
            actions.push_back(static_cast<std::int32_t>(step.action));
            words.push_back(step.word), labels.push_back(step.label), tags.push_back(step.tag);
            const Choices& c = step.possible;
            possible.insert(possible.end(), {c.shift, c.left_arc, c.right_arc, c.end});
            elements.insert(elements.end(), step.elements.begin(), step.elements.end());
        }
    }
    nb::dict out;
    out["actions"] = give(std::move(actions));
    out["words"] = give(std::move(words));
    out["labels"] = give(std::move(labels));
    out["tags"] = give(std::move(tags));
    out["possible"] = give(std::move(possible));
    out["elements"] = give(std::move(elements));
    out["log_prob"] = log_prob;
    out["log_tree"] = log_tree;
    return out;
}

}  // namespace

void bind_following(nb::module_& m) {
    // The class itself is bound with the parser.
    auto parser = nb::borrow<nb::class_<Parser>>(m.attr("TransitionParser"));
    parser.def("follow", &follow, "batch"_a, "request"_a, "most"_a,
               "The likeliest analyses after each word of one sentence, and the figures of `score`.");
    parser.def("best_derivation", &best_derivation, "batch"_a,
               "The steps of the likeliest derivation of a given tree, with what could be seen before each.");
}

}  // namespace bistro::bind
