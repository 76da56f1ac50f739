// Tagging with tags that depend on all previous tags.
//
//     hmm         the best sequence of the hidden Markov model: the baseline
//     viterbi     the best sequence of the unbounded model, exactly: pasts with the same place in the trie are one state; if
//                 a word has more than kMostStates states, only the best states are kept
//     beam        as viterbi, but only with the best states of each word and with the tags that are probable under the hidden
//                 Markov model
//     metropolis  sequences drawn from the hidden Markov model, accepted or rejected so that they follow the unbounded model
//
// With minimum risk, each word gets its most probable tag, by sums over the states or by counts of the draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hpyp/rng.hpp"
#include "infinite/chain_contexts.hpp"
#include "infinite/chain_grammar.hpp"
#include "infinite/chain_lattice.hpp"
#include "infinite/rule_model.hpp"

namespace bistro {

// Enough for exact results on nearly all sentences, and few enough for the memory of a small machine on the other
// sentences.
inline constexpr std::size_t kMostStates = 4000;

enum class ChainSearch { hmm, viterbi, beam, metropolis };

struct ChainRequest {
    ChainSearch search = ChainSearch::beam;
    Beam beam;
    bool least_risk = true, marginals = false;
    std::int64_t samples = 1000, burn_in = 0;  // number of draws; number of first draws that are discarded
    std::uint64_t seed = 1, purpose = 0;
};

struct ChainResult {
    std::vector<std::int32_t> tags;
    double log_prob = 0.0;  // joint log-probability of words and tags under the unbounded model
    TagMarginals marginals;
    double accepted = 0.0;    // share of accepted draws
    std::int64_t states = 0;  // total over all words, in the lattice that was searched
};

template <RuleModel Model>
class ChainTagger {
public:
    ChainTagger(const ChainGrammar& grammar, const Model& model)
        : grammar_(&grammar), hmm_(grammar), trie_(grammar, model), of_hmm_(grammar, hmm_), of_trie_(grammar, trie_) {}
    ChainTagger(const ChainTagger&) = delete;  // the lattices point into it
    ChainTagger& operator=(const ChainTagger&) = delete;

    // Sentence `number` has its own random stream.
    ChainResult tag(std::span<const std::int32_t> words, const ChainRequest& request, std::uint64_t number) {
        trie_.trim();
        ChainResult result;
        if (request.search == ChainSearch::metropolis)
            result = sampled(words, request, number);
        else if (request.search == ChainSearch::hmm)
            result = searched(of_hmm_, all(words), {}, request);
        else if (request.search == ChainSearch::viterbi)
            result = searched(of_trie_, all(words), {kMostStates}, request);
        else
            result = searched(of_trie_, worth_trying(words, request.beam.least), request.beam, request);
        if (request.search == ChainSearch::metropolis || request.least_risk) result.tags = likeliest(result.marginals);
        result.log_prob = log_prob(trie_, words, result.tags);
        return result;
    }

    double score(std::span<const std::int32_t> words, std::span<const std::int32_t> tags) {
        trie_.trim();
        return log_prob(trie_, words, tags);
    }

    // The logarithm of p(words), summed over all tag sequences.
    double log_total(std::span<const std::int32_t> words, Beam beam) {
        trie_.trim();
        of_trie_.build(all(words), beam);
        return of_trie_.log_total();
    }

private:
    template <class Lattice>
    static ChainResult searched(Lattice& lattice, const CandidateRows& words, Beam beam, const ChainRequest& request) {
        lattice.build(words, beam);
        ChainResult result;
        result.states = static_cast<std::int64_t>(lattice.num_states());
        if (request.least_risk || request.marginals) result.marginals = lattice.marginals();
        if (!request.least_risk) result.tags = lattice.best().tags;
        return result;
    }

    const CandidateRows& all(std::span<const std::int32_t> words) {
        rows_.clear();
        for (const std::int32_t word : words) rows_.push_back(grammar_->of_word(word));
        return rows_;
    }

    // The tags of each word whose probability under the hidden Markov model is at least `least`, or all tags of a word if there
    // are none. Unknown words may have any tag, and trying all tags in all contexts would take most of the time.
    const CandidateRows& worth_trying(std::span<const std::int32_t> words, double least) {
        all(words);
        if (least <= 0.0) return rows_;
        of_hmm_.build(rows_, {});
        const TagMarginals marginals = of_hmm_.marginals();
        kept_.resize(std::max(kept_.size(), words.size()));
        for (std::size_t i = 0; i < words.size(); ++i) {
            kept_[i].clear();
            for (const ChainGrammar::Candidate c : rows_[i])
                for (const auto& [tag, p] : marginals[i])
                    if (tag == c.tag && p >= least) kept_[i].push_back(c);
            if (!kept_[i].empty()) rows_[i] = kept_[i];
        }
        return rows_;
    }

    // Independent proposals: a draw is accepted with probability min(1, P(new) Q(old) / (P(old) Q(new))).
    ChainResult sampled(std::span<const std::int32_t> words, const ChainRequest& request, std::uint64_t number) {
        of_hmm_.build(all(words), {});
        Stream rng(request.seed, request.purpose, number);
        std::vector<std::int32_t> now = of_hmm_.best().tags, drawn;
        double weight = log_weight(words, now);
        Counts counts(*grammar_, words);
        std::int64_t accepted = 0, stayed = 0;
        for (std::int64_t i = 0; i < request.samples; ++i) {
            of_hmm_.sample(rng, drawn);
            const double chance = rng.uniform();
            if (drawn == now) {
                ++accepted;
            } else if (const double other = log_weight(words, drawn); chance < std::exp(other - weight)) {
                counts.add(now, stayed);
                stayed = 0;
                now.swap(drawn);
                weight = other;
                ++accepted;
            }
            if (i >= request.burn_in) ++stayed;
        }
        counts.add(now, stayed);
        ChainResult result;
        result.marginals = counts.shares(request.samples - request.burn_in);
        result.accepted = static_cast<double>(accepted) / static_cast<double>(request.samples);
        return result;
    }

    // Number of draws in which each word had each of its tags.
    class Counts {
    public:
        Counts(const ChainGrammar& grammar, std::span<const std::int32_t> words) {
            for (const std::int32_t word : words) {
                rows_.emplace_back();
                for (const ChainGrammar::Candidate c : grammar.of_word(word)) rows_.back().emplace_back(c.tag, 0.0);
            }
        }
        void add(const std::vector<std::int32_t>& tags, std::int64_t times) {
            if (times == 0) return;
            for (std::size_t i = 0; i < tags.size(); ++i)
                for (auto& [tag, count] : rows_[i])
                    if (tag == tags[i]) count += static_cast<double>(times);
        }
        TagMarginals shares(std::int64_t counted) {
            for (auto& row : rows_) {
                for (auto& [tag, count] : row) count /= static_cast<double>(counted);
                std::erase_if(row, [](const auto& entry) { return entry.second == 0.0; });
            }
            return std::move(rows_);
        }

    private:
        TagMarginals rows_;
    };

    double log_weight(std::span<const std::int32_t> words, std::span<const std::int32_t> tags) {
        return log_prob(trie_, words, tags) - log_prob(hmm_, words, tags);
    }

    template <class Contexts>
    double log_prob(Contexts& contexts, std::span<const std::int32_t> words, std::span<const std::int32_t> tags) const {
        double sum = 0.0;
        std::int32_t context = contexts.start();
        for (std::size_t i = 0; i < words.size(); ++i) {
            const ChainStep step = contexts.step(context, candidate(words[i], tags[i]));
            sum += std::log(step.probability);
            context = step.context;
        }
        return sum + std::log(contexts.end(context));
    }

    ChainGrammar::Candidate candidate(std::int32_t word, std::int32_t tag) const {
        for (const ChainGrammar::Candidate c : grammar_->of_word(word))
            if (c.tag == tag) return c;
        throw std::invalid_argument("a word does not have this tag in the grammar");
    }

    static std::vector<std::int32_t> likeliest(const TagMarginals& marginals) {
        std::vector<std::int32_t> tags;
        for (const auto& row : marginals) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < row.size(); ++k)
                if (row[k].second > row[best].second) best = k;
            tags.push_back(row[best].first);
        }
        return tags;
    }

    const ChainGrammar* grammar_;
    HmmContexts hmm_;
    TrieContexts<Model> trie_;
    ChainLattice<HmmContexts> of_hmm_;
    ChainLattice<TrieContexts<Model>> of_trie_;
    CandidateRows rows_;
    std::vector<std::vector<ChainGrammar::Candidate>> kept_;
};

}  // namespace bistro
