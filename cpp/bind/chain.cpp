// Tagging of many sentences without the GIL, with all searches over tag sequences.
#include <nanobind/stl/string.h>

#include <memory>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "infinite/chain.hpp"
#include "infinite/trie.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Tagger = ChainTagger<RuleTrie>;

struct Chains {
    ChainGrammar grammar;
    const RuleTrie* trie;
};

// Concatenated sentences. Sentence i has the words offsets[i] to offsets[i + 1].
struct WordRows {
    std::span<const std::int32_t> words;
    std::span<const std::int64_t> offsets;

    WordRows(const In<std::int32_t>& of_words, const In<std::int64_t>& of_offsets) : words(view(of_words)), offsets(view(of_offsets)) {
        bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(words.size());
        for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) good = offsets[i] < offsets[i + 1];
        if (!good) throw std::invalid_argument("sentences and words do not match");
    }
    std::size_t size() const { return offsets.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t i) const {
        return words.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
};

ChainSearch search_of(const std::string& name) {
    if (name == "hmm") return ChainSearch::hmm;
    if (name == "viterbi") return ChainSearch::viterbi;
    if (name == "beam") return ChainSearch::beam;
    if (name == "mcmc") return ChainSearch::metropolis;
    throw std::invalid_argument("search must be hmm, viterbi, beam or mcmc");
}

nb::tuple give_marginals(const std::vector<ChainResult>& results) {
    std::vector<std::int64_t> begin{0};
    std::vector<std::int32_t> tags;
    std::vector<double> probabilities;
    for (const ChainResult& result : results)
        for (auto row : result.marginals) {
            std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
                return a.second != b.second ? a.second > b.second : a.first < b.first;
            });
            for (const auto& [tag, p] : row) {
                tags.push_back(tag);
                probabilities.push_back(p);
            }
            begin.push_back(static_cast<std::int64_t>(tags.size()));
        }
    return nb::make_tuple(give(std::move(begin)), give(std::move(tags)), give(std::move(probabilities)));
}

nb::dict tag_all(const Chains& chains, In<std::int32_t> words, In<std::int64_t> offsets, const ChainRequest& request,
                 std::uint64_t first, int threads) {
    std::vector<ChainResult> results;
    std::vector<std::int32_t> tags;
    std::vector<double> log_prob, accepted;
    std::vector<std::int64_t> states;
    {
        nb::gil_scoped_release release;
        const WordRows rows(words, offsets);
        results.resize(rows.size());
        in_parallel_each(rows.size(), threads, [&] {
            return [&, tagger = std::make_unique<Tagger>(chains.grammar, *chains.trie)](std::size_t i) {
                results[i] = tagger->tag(rows[i], request, first + i);
            };
        });
        for (const ChainResult& result : results) {
            tags.insert(tags.end(), result.tags.begin(), result.tags.end());
            log_prob.push_back(result.log_prob);
            accepted.push_back(result.accepted);
            states.push_back(result.states);
        }
    }
    nb::dict out;
    out["tags"] = give(std::move(tags));
    out["log_prob"] = give(std::move(log_prob));
    out["accepted"] = give(std::move(accepted));
    out["states"] = give(std::move(states));
    if (request.marginals) out["marginals"] = give_marginals(results);
    return out;
}

// log p(words, tags) of every sentence, or log p(words), summed over all sequences, if there are no tags.
Out<double> score_all(const Chains& chains, In<std::int32_t> words, In<std::int64_t> offsets, In<std::int32_t> tags) {
    std::vector<double> scores;
    {
        nb::gil_scoped_release release;
        const WordRows rows(words, offsets);
        if (tags.shape(0) != 0 && tags.shape(0) != words.shape(0)) throw std::invalid_argument("every word needs a tag");
        Tagger tagger(chains.grammar, *chains.trie);
        for (std::size_t i = 0; i < rows.size(); ++i)
            scores.push_back(tags.shape(0) == 0 ? tagger.log_total(rows[i], {}) : tagger.score(rows[i], WordRows(tags, offsets)[i]));
    }
    return give(std::move(scores));
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<ChainRequest>(m, "ChainRequest", "How tag sequences are searched, and what of them is returned.")
        .def("__init__", [](ChainRequest* self, const std::string& search, std::int64_t beam, double least_ratio,
                            double least_probability, bool minimum_risk, bool marginals, std::int64_t samples, std::int64_t burn_in, std::uint64_t seed, std::uint64_t purpose) {
            if (beam < 0 || !(least_ratio >= 0 && least_ratio < 1) || !(least_probability >= 0 && least_probability < 1))
                throw std::invalid_argument("the beam must be at least 0, and its ratio and least probability must be below 1");
            if (burn_in < 0 || samples <= burn_in)
                throw std::invalid_argument("the number of samples must be greater than the burn-in");
            new (self) ChainRequest{search_of(search), {static_cast<std::size_t>(beam), least_ratio, least_probability},
                                    minimum_risk, marginals, samples, burn_in, seed, purpose};
        }, nb::kw_only(), "search"_a, "beam"_a, "least_ratio"_a, "least_probability"_a, "minimum_risk"_a, "marginals"_a, "samples"_a,
             "burn_in"_a, "seed"_a, "purpose"_a);

    nb::class_<Chains>(m, "ChainTagger", "A grammar of tag sequences with the probabilities of a trie.")
        .def("__init__", [](Chains* self, In<std::int32_t> left, In<std::int32_t> first, In<std::int32_t> second,
                            In<double> probability, std::int32_t start, std::int32_t num_symbols, std::int32_t num_words,
                            std::int32_t end_word, const RuleTrie& trie) {
            if (trie.num_rules() != static_cast<std::int32_t>(left.shape(0)))
                throw std::invalid_argument("grammar and trie have different rules");
            const RuleColumns rules{view(left), view(first), view(second)};
            new (self) Chains{ChainGrammar(rules, view(probability), start, num_symbols, num_words, end_word), &trie};
        }, nb::kw_only(), "left"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "probability"_a.noconvert(), "start"_a,
             "num_symbols"_a, "num_words"_a, "end_word"_a, "trie"_a, nb::keep_alive<1, 10>())
        .def("tag", &tag_all, "words"_a.noconvert(), "offsets"_a.noconvert(), "request"_a, nb::kw_only(), "first"_a, "threads"_a = 1,
             "Tags of all sentences; sentence i draws from stream first + i, so the result is the same for any number of threads.")
        .def("score", &score_all, "words"_a.noconvert(), "offsets"_a.noconvert(), "tags"_a.noconvert(),
             "Natural logarithms of p(words, tags); with no tags, of p(words), summed over all sequences.");
}

}  // namespace bistro::bind
