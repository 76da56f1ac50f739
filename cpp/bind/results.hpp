// The results of a parser for many sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/transition.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

// The results of all sentences as flat arrays, word by word.
struct ResultArrays {
    std::vector<std::int64_t> parse_begin{0};
    std::vector<std::int32_t> heads, labels, tags;
    std::vector<double> log_prob, posterior, log_total;
    std::vector<bool> relaxed;

    struct Ragged {
        std::vector<std::int64_t> begin{0};
        std::vector<std::int32_t> what;
        std::vector<double> probability;

        void add(const std::vector<Weighted>& words) {
            for (Weighted items : words) {
                std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
                    return a.second != b.second ? a.second > b.second : a.first < b.first;
                });
                for (const auto& [key, p] : items) {
                    what.push_back(key);
                    probability.push_back(p);
                }
                begin.push_back(static_cast<std::int64_t>(what.size()));
            }
        }
        nb::tuple give_all() { return nb::make_tuple(give(std::move(begin)), give(std::move(what)), give(std::move(probability))); }
    } head_marginals, label_marginals, tag_marginals;

    struct Arcs {
        std::vector<std::int64_t> begin{0};
        std::vector<std::int32_t> head, label;
        std::vector<double> probability;

        void add(const LabelledArcs& words) {
            for (const auto& arcs : words) {
                for (const LabelledArc& arc : arcs) {
                    head.push_back(arc.head);
                    label.push_back(arc.label);
                    probability.push_back(arc.probability);
                }
                begin.push_back(static_cast<std::int64_t>(head.size()));
            }
        }
        nb::tuple give_all() {
            return nb::make_tuple(give(std::move(begin)), give(std::move(head)), give(std::move(label)), give(std::move(probability)));
        }
    } arcs;

    void add(const SentenceResult& result, const OutputRequest& output) {
        for (const Parse& parse : result.parses) {
            heads.insert(heads.end(), parse.heads.begin(), parse.heads.end());
            labels.insert(labels.end(), parse.labels.begin(), parse.labels.end());
            tags.insert(tags.end(), parse.tags.begin(), parse.tags.end());
            log_prob.push_back(parse.log_prob);
            posterior.push_back(parse.posterior);
        }
        parse_begin.push_back(static_cast<std::int64_t>(log_prob.size()));
        log_total.push_back(result.log_total);
        relaxed.push_back(result.relaxed);
        if (output.marginals && !output.tags_alone) {
            head_marginals.add(result.marginals.heads);
            label_marginals.add(result.marginals.labels);
        }
        tag_marginals.add(result.marginals.tags);
        arcs.add(result.arcs);
    }
};

// Parses all sentences on several threads, each with its own `parse`. parse(sentence, number) returns the result of one
// sentence.
template <class MakeParse>
nb::dict parse_all(const Batch& batch, const System& system, int threads, const OutputRequest& output, const MakeParse& make_parse) {
    ResultArrays arrays;
    {
        nb::gil_scoped_release release;
        batch.check(system);
        std::vector<SentenceResult> results(batch.size());
        in_parallel_each(batch.size(), threads, [&] {
            return [&, parse = make_parse()](std::size_t i) mutable { results[i] = parse(batch.sentence(i), i); };
        });
        for (const SentenceResult& result : results) arrays.add(result, output);
    }
    nb::dict out;
    out["parse_begin"] = give(std::move(arrays.parse_begin));
    out["heads"] = give(std::move(arrays.heads));
    out["labels"] = give(std::move(arrays.labels));
    out["tags"] = give(std::move(arrays.tags));
    out["log_prob"] = give(std::move(arrays.log_prob));
    out["posterior"] = give(std::move(arrays.posterior));
    out["log_total"] = give(std::move(arrays.log_total));
    out["relaxed"] = give(std::vector<std::uint8_t>(arrays.relaxed.begin(), arrays.relaxed.end()));
    if (output.arc_marginals) {
        out["arc_marginals"] = arrays.arcs.give_all();
        out["tag_marginals"] = arrays.tag_marginals.give_all();
    }
    if (output.marginals) out["tag_marginals"] = arrays.tag_marginals.give_all();
    if (output.marginals && !output.tags_alone) {
        out["head_marginals"] = arrays.head_marginals.give_all();
        out["label_marginals"] = arrays.label_marginals.give_all();
    }
    return out;
}

}  // namespace bistro::bind
