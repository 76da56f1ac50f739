// Parsing one sentence with all results that can be requested, and many sentences in parallel.
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
#include "stop/pause.hpp"

namespace bistro {

// The results to compute for a sentence, for any parser.
struct OutputRequest {
    int best;  // number of most probable trees; may be 0
    int samples;
    bool marginals;      // of heads, of labels and of tags
    bool tags_alone;     // only the marginals of tags are requested, without the probability of the best tree
    bool minimum_risk;   // the first tree is the minimum-risk tree
    bool arc_marginals;  // of heads with labels, and of tags
    double temperature;  // of marginals, samples and the minimum-risk tree
    std::uint64_t seed, purpose;
};

struct ParseRequest : OutputRequest {
    bool use_beam;
    std::int64_t size;   // particles, or the width of the beam
    bool by_weight;      // how particles are redistributed after each word
    bool by_derivation;  // rank labelled derivations instead of trees, which are sums over derivations and labels
    SearchOptions search;

    // The model in which labels are part of derivations, if derivations are ranked.
    template <class Franchise>
    TransitionModel<Franchise> searched(TransitionModel<Franchise> model) const {
        model.labels_in_contexts |= by_derivation;
        return model;
    }
};

struct SentenceResult {
    std::vector<Parse> parses;  // best first, then the samples
    Marginals marginals;
    LabelledArcs arcs;
    double log_total = 0;  // natural logarithm of the summed probability of all derivations found
    bool relaxed = false;  // no tree with the given heads was found, so they were ignored
};

// The time and memory of the minimum-risk chart grow with the cube and the square of the length. A longer sentence, which
// is usually a list or a mistake, gets its most probable tree.
inline constexpr std::int32_t kLongestForRisk = 1000;

// Derivations of one tree differ only in when left arcs are made, and few of them have most of its probability.
inline constexpr std::size_t kDerivationsOfATree = 8;

// The heads, labels and tags of the minimum-risk tree. Its probabilities are not computed.
template <class Franchise>
Parse least_risk(const Posterior<Franchise>& posterior, const Marginals& marginals, const TransitionModel<Franchise>& model) {
    Parse parse{least_risk_heads(marginals.heads, model.system.single_root), {}, {}, NAN, NAN};
    parse.labels = model.labelled ? posterior.labels_for(parse.heads) : std::vector<std::int32_t>(parse.heads.size(), -1);
    for (const Weighted& tags : marginals.tags)
        parse.tags.push_back(std::max_element(tags.begin(), tags.end(), [](const auto& a, const auto& b) {
                                 return a.second != b.second ? a.second < b.second : a.first > b.first;
                             })->first);
    return parse;
}

// Parses sentences one after the other. Its searches are kept between sentences, because their cached look-ups are useful
// for the next sentence.
template <class Franchise>
class SentenceParser {
public:
    SentenceParser(const TransitionModel<Franchise>& model, const ParseRequest& request)
        : model_(model), request_(request), particles_(model, particle_policy(), request.search),
          beam_(model, BeamPolicy{static_cast<std::size_t>(request.size)}, request.search),
          of_a_tree_(model, BeamPolicy{kDerivationsOfATree}, {}), labels_(model.labels, model.system.symbols.labels) {}

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
                                             request_.search.unseen_tags, &labels_);
        result.log_total = posterior.log_total();
        const bool by_risk = request_.minimum_risk && sentence.size() <= kLongestForRisk;
        if (request_.marginals || by_risk) result.marginals = posterior.marginals(request_.marginals && !request_.tags_alone);
        if (by_risk && request_.tags_alone) {
            result.parses = {least_risk(posterior, result.marginals, model_)};
        } else if (request_.best > 0) {
            result.parses = posterior.best(static_cast<std::size_t>(request_.best), request_.by_derivation);
            if (by_risk) take_least_risk(result.parses[0], sentence, posterior, result.marginals);
        }
        if (request_.arc_marginals) {
            result.arcs = posterior.arcs();
            result.marginals.tags = posterior.tags();
        }
        Stream rng(request_.seed, request_.purpose, index);
        for (int i = 0; i < request_.samples; ++i) result.parses.push_back(posterior.sample(rng));
        return true;
    }

    // Replaces the most probable tree by the minimum-risk tree, if they differ.
    void take_least_risk(Parse& first, const Sentence& sentence, const Posterior<Franchise>& posterior,
                         const Marginals& marginals) {
        Parse chosen = least_risk(posterior, marginals, model_);
        if (chosen.heads == first.heads && chosen.tags == first.tags && chosen.labels == first.labels) return;
        chosen.posterior = first.posterior;
        chosen.log_prob = tree_log_prob(sentence, chosen);
        first = std::move(chosen);
    }

    // The probability of a whole tree with its tags and labels: the sum over its derivations.
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
    Distributions<Franchise> labels_;
};

// Calls work(i) for all i below n on several threads, each with its own `work` from `make_work`. The first exception is
// rethrown.
template <class MakeWork>
void in_parallel_each(std::size_t n, int threads, const MakeWork& make_work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    auto run = [&, flag = detail::stop_flag] {
        const Watching watching(flag);
        try {
            auto work = make_work();
            for (std::size_t i; !failed && (i = next++) < n;) {
                pause();
                work(i);
            }
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
