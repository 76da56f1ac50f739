// Minimum-risk trees for marginals from any source.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "infinite/span_tree.hpp"
#include "parse/minimum_risk.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// Sentence i has the words offsets[i] to offsets[i + 1], and word w has the arcs begin[w] to begin[w + 1].
void check(const In<std::int64_t>& offsets, const In<std::int64_t>& begin, const In<std::int32_t>& head,
           const In<double>& score) {
    const auto sentences = view(offsets);
    const auto rows = view(begin);
    auto covers = [](std::span<const std::int64_t> borders, std::size_t n) {
        return !borders.empty() && borders.front() == 0 && borders.back() == static_cast<std::int64_t>(n) &&
               std::is_sorted(borders.begin(), borders.end());
    };
    if (rows.empty() || !covers(sentences, rows.size() - 1) || !covers(rows, head.shape(0)) || head.shape(0) != score.shape(0))
        throw std::invalid_argument("sentences, words and arcs do not match");
    for (std::size_t i = 0; i + 1 < sentences.size(); ++i)
        for (auto arc = rows[sentences[i]]; arc < rows[sentences[i + 1]]; ++arc)
            if (head.data()[arc] < 0 || head.data()[arc] > sentences[i + 1] - sentences[i])
                throw std::invalid_argument("a head is outside its sentence");
}

Out<std::int32_t> least_risk(In<std::int64_t> offsets, In<std::int64_t> begin, In<std::int32_t> head, In<double> score,
                             bool single_root, int threads) {
    std::vector<std::int32_t> heads;
    {
        nb::gil_scoped_release release;
        check(offsets, begin, head, score);
        const auto sentences = view(offsets);
        const auto rows = view(begin);
        heads.resize(rows.size() - 1);
        in_parallel(sentences.size() - 1, threads, [&](std::size_t i) {
            std::vector<Weighted> scores;
            for (auto word = sentences[i]; word < sentences[i + 1]; ++word) {
                scores.emplace_back();
                for (auto arc = rows[word]; arc < rows[word + 1]; ++arc)
                    scores.back().emplace_back(head.data()[arc], score.data()[arc]);
            }
            if (scores.empty() || scores.size() > kLongestForRisk) return;
            const auto tree = least_risk_heads(scores, single_root);
            std::copy(tree.begin(), tree.end(), heads.begin() + sentences[i]);
        });
    }
    return give(std::move(heads));
}

// Sentence i has the spans offsets[i] to offsets[i + 1].
Out<std::uint8_t> least_risk_spans(In<std::int32_t> lengths, In<std::int64_t> offsets, In<std::int32_t> start, In<std::int32_t> end,
                                   In<double> gain, int threads) {
    const auto borders = view(offsets);
    const std::size_t sentences = lengths.shape(0), spans = start.shape(0);
    if (borders.size() != sentences + 1 || borders.front() != 0 || borders.back() != static_cast<std::int64_t>(spans) ||
        !std::is_sorted(borders.begin(), borders.end()) || end.shape(0) != spans || gain.shape(0) != spans)
        throw std::invalid_argument("sentences and spans do not match");
    std::vector<std::uint8_t> chosen(spans);
    {
        nb::gil_scoped_release release;
        in_parallel(sentences, threads, [&](std::size_t i) {
            std::vector<GainingSpan> own;
            for (auto s = borders[i]; s < borders[i + 1]; ++s) own.push_back({start.data()[s], end.data()[s], gain.data()[s]});
            const auto found = SpanTree().chosen(lengths.data()[i], own);
            std::copy(found.begin(), found.end(), chosen.begin() + borders[i]);
        });
    }
    return give(std::move(chosen));
}

}  // namespace

void bind_risk(nb::module_& m) {
    m.def("least_risk", &least_risk, nb::kw_only(), "offsets"_a.noconvert(), "begin"_a.noconvert(), "head"_a.noconvert(),
          "score"_a.noconvert(), "single_root"_a, "threads"_a = 1,
          "Heads of the projective tree with the highest sum of scores, for every sentence; an arc not listed "
          "scores 0. Sentences too long for the chart get heads of 0.");
    m.def("least_risk_spans", &least_risk_spans, nb::kw_only(), "lengths"_a.noconvert(), "offsets"_a.noconvert(), "start"_a.noconvert(),
          "end"_a.noconvert(), "gain"_a.noconvert(), "threads"_a = 1,
          "For every span 1 if it is in the tree with the highest sum of gains, else 0; a span not listed gains 0, and none is "
          "listed twice in a sentence.");
    m.attr("LONGEST_OF_SPANS") = SpanTree::kLongest;
    m.attr("LONGEST_FOR_RISK") = kLongestForRisk;
}

}  // namespace bistro::bind
