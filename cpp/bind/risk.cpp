// Trees of least risk for marginals that come from anywhere.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "parse/minimum_risk.hpp"
#include "parse/parser.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// Sentence i has the words offsets[i] to offsets[i + 1]; word w the arcs begin[w] to begin[w + 1].
void check(const In<std::int64_t>& offsets, const In<std::int64_t>& begin, const In<std::int32_t>& head,
           const In<double>& score) {
    const auto sentences = view(offsets);
    const auto rows = view(begin);
    auto covers = [](std::span<const std::int64_t> borders, std::size_t n) {
        return !borders.empty() && borders.front() == 0 && borders.back() == static_cast<std::int64_t>(n) &&
               std::is_sorted(borders.begin(), borders.end());
    };
    if (rows.empty() || !covers(sentences, rows.size() - 1) || !covers(rows, head.shape(0)) || head.shape(0) != score.shape(0))
        throw std::invalid_argument("sentences, words and arcs do not fit together");
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

}  // namespace

void bind_risk(nb::module_& m) {
    m.def("least_risk", &least_risk, nb::kw_only(), "offsets"_a.noconvert(), "begin"_a.noconvert(), "head"_a.noconvert(),
          "score"_a.noconvert(), "single_root"_a, "threads"_a = 1,
          "Heads of the projective tree with the highest sum of scores, for every sentence; an arc not listed "
          "scores 0. Sentences too long for the chart get heads of 0.");
    m.attr("LONGEST_FOR_RISK") = kLongestForRisk;
}

}  // namespace bistro::bind
