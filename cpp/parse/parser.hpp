// Parsing one sentence with everything that can be asked of it, and many sentences side by side.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include "files/helpers.hpp"
#include "parse/minimum_risk.hpp"
#include "parse/posterior.hpp"
#include "parse/search.hpp"

namespace bistro {

// What any parser returns for a sentence.
struct OutputRequest {
    int best;              // most probable trees, or none
    int samples;
    bool marginals;        // of heads, of labels and of tags
    bool minimum_risk;     // the first tree is the one of least risk
    bool arc_marginals;    // of heads with labels, and of tags
    double temperature;    // of marginals, samples and least risk
    std::uint64_t seed, purpose;
};

struct ParseRequest : OutputRequest {
    bool use_beam;
    std::int64_t size;  // particles, or the width of the beam
    bool by_weight;     // how particles are shared out after each word
    bool by_derivation; // derivations are ranked, each with its labels; or trees, which sum over derivations and labels
    SearchOptions search;

    // The model in which labels belong to derivations, if those are ranked.
    template <class Franchise>
    TransitionModel<Franchise> searched(TransitionModel<Franchise> model) const {
        model.labels_in_contexts |= by_derivation;
        return model;
    }
};

struct SentenceResult {
    std::vector<Parse> parses;  // the best first, then the samples
    Marginals marginals;
    LabelledArcs arcs;
    double log_total = 0;       // natural logarithm of the summed probability of all derivations found
    bool relaxed = false;       // the evidence on heads could not be met and was dropped
};

// The chart of least risk takes time and memory that grow with the cube and the square of the length. A longer sentence, which
// is a list or a mistake, gets its most probable tree.
inline constexpr std::int32_t kLongestForRisk = 1000;

// Derivations of one tree differ only in when left arcs are made: few of them hold its probability.
inline constexpr std::size_t kDerivationsOfATree = 8;

// Replaces heads, labels and tags of a parse by those of least risk; tells whether it is another tree now.
template <class Franchise>
bool take_least_risk(Parse& parse, const Posterior<Franchise>& posterior, const Marginals& marginals,
                     const TransitionModel<Franchise>& model) {
    const Parse before = parse;
    parse.heads = least_risk_heads(marginals.heads, model.system.single_root);
    if (model.labelled) parse.labels = posterior.labels_for(parse.heads);
    for (std::size_t i = 0; i < parse.tags.size(); ++i)
        parse.tags[i] = std::max_element(marginals.tags[i].begin(), marginals.tags[i].end(), [](const auto& a, const auto& b) {
                            return a.second != b.second ? a.second < b.second : a.first > b.first;
                        })->first;
    return parse.heads != before.heads || parse.tags != before.tags || parse.labels != before.labels;
}

// Parses sentences one after the other. Its searches outlast a sentence, because what they have looked up serves the next one.
template <class Franchise>
class SentenceParser {
public:
    SentenceParser(const TransitionModel<Franchise>& model, const ParseRequest& request)
        : model_(model), request_(request), particles_(model, particle_policy(), request.search),
          beam_(model, BeamPolicy{static_cast<std::size_t>(request.size)}, request.search),
          of_a_tree_(model, BeamPolicy{kDerivationsOfATree}, {}) {}

    SentenceResult parse(Sentence sentence, std::uint64_t index) {
        SentenceResult result;
        sentence.prepare();
        if (request_.use_beam ? attempt(beam_, sentence, index, result) : attempt(particles_, sentence, index, result))
            return result;
        sentence.heads = {};
        sentence.prepare();
        result.relaxed = true;
        if (!attempt(particles_, sentence, index, result)) throw std::logic_error("a sentence without a derivation");
        return result;
    }

private:
    ParticlePolicy particle_policy() const { return {request_.size, request_.by_weight}; }

    template <class Policy>
    bool attempt(Search<Franchise, Policy>& search, const Sentence& sentence, std::uint64_t index, SentenceResult& result) {
        const auto& finals = search.run(sentence);
        if (finals.empty()) return false;
        const Posterior<Franchise> posterior(model_, search.states(), finals, sentence, request_.temperature,
                                             request_.search.unseen_tags);
        result.log_total = posterior.log_total();
        if (request_.best > 0) result.parses = posterior.best(static_cast<std::size_t>(request_.best), request_.by_derivation);
        const bool by_risk = request_.minimum_risk && sentence.size() <= kLongestForRisk;
        if (request_.marginals || by_risk) result.marginals = posterior.marginals();
        if (by_risk) {
            Parse& first = result.parses[0];
            if (take_least_risk(first, posterior, result.marginals, model_)) first.log_prob = tree_log_prob(sentence, first);
        }
        if (request_.arc_marginals) {
            result.arcs = posterior.arcs();
            result.marginals.tags = posterior.tags();
        }
        Stream rng(request_.seed, request_.purpose, index);
        for (int i = 0; i < request_.samples; ++i) result.parses.push_back(posterior.sample(rng));
        return true;
    }

    // Of a whole tree with its tags and labels: the sum over the derivations that lead to it.
    double tree_log_prob(const Sentence& sentence, const Parse& parse) {
        Sentence known;
        known.words = sentence.words, known.tags = parse.tags, known.heads = parse.heads, known.labels = parse.labels;
        known.spelled = sentence.spelled, known.spellings = sentence.spellings;
        known.prepare();
        return log_sum(of_a_tree_.run(known));
    }

    const TransitionModel<Franchise>& model_;
    ParseRequest request_;
    Search<Franchise, ParticlePolicy> particles_;
    Search<Franchise, BeamPolicy> beam_, of_a_tree_;
};

// Calls work(i) for all i below n on several threads, each with a `work` of its own from `make_work`; the first exception is
// passed on.
template <class MakeWork>
void in_parallel_each(std::size_t n, int threads, const MakeWork& make_work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    auto run = [&] {
        try {
            auto work = make_work();
            for (std::size_t i; !failed && (i = next++) < n;) work(i);
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    {
        const auto others = helpers(static_cast<int>(std::min<std::size_t>(threads, n)) - 1, run);
        run();
    }
    if (failure) std::rethrow_exception(failure);
}

template <class Work>
void in_parallel(std::size_t n, int threads, const Work& work) {
    in_parallel_each(n, threads, [&] { return [&](std::size_t i) { work(i); }; });
}

}  // namespace bistro
