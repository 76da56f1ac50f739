// Context-free grammars with probabilities: sums and maxima over the derivations of a sentence, and sums over its
// continuations.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "pcfg/chart.hpp"
#include "pcfg/semirings.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

using Column = In<std::int32_t>;

pcfg::Rules rules_of(std::int32_t symbols, std::int32_t start, const Column& parents, const Column& lefts, const Column& rights,
                     const In<double>& probs, const Column& unary_parents, const Column& unary_children, const In<double>& unary_probs) {
    const auto binary = parents.shape(0), unary = unary_parents.shape(0);
    if (lefts.shape(0) != binary || rights.shape(0) != binary || probs.shape(0) != binary || unary_children.shape(0) != unary ||
        unary_probs.shape(0) != unary)
        throw std::invalid_argument("the columns of the rules differ in length");
    pcfg::Rules rules{symbols, start, {}, {}};
    for (std::size_t r = 0; r < binary; ++r) rules.binary.push_back({parents.data()[r], lefts.data()[r], rights.data()[r], probs.data()[r]});
    for (std::size_t r = 0; r < unary; ++r) rules.unary.push_back({unary_parents.data()[r], unary_children.data()[r], unary_probs.data()[r]});
    return rules;
}

pcfg::Words words_of(std::int32_t known_symbols, const In<std::int64_t>& begin, const Column& symbols, const In<double>& probs) {
    const pcfg::Words words{view(begin), view(symbols), view(probs)};
    const auto entries = static_cast<std::int64_t>(words.symbols.size());
    bool good = !words.begin.empty() && words.begin.front() == 0 && words.begin.back() == entries && words.probs.size() == words.symbols.size() &&
                std::is_sorted(words.begin.begin(), words.begin.end()) && words.begin.size() <= (std::size_t{1} << 30);
    for (const std::int32_t symbol : words.symbols) good = good && symbol >= 0 && symbol < known_symbols;
    for (const double prob : words.probs) good = good && prob >= 0 && prob <= 1;
    if (!good) throw std::invalid_argument("words, symbols and probabilities do not match");
    return words;
}

template <class Semiring>
pcfg::Result chart(const pcfg::Grammar<Semiring>& grammar, const In<std::int64_t>& begin, const Column& symbols, const In<double>& probs,
                   bool keep, bool ahead) {
    nb::gil_scoped_release release;
    return pcfg::Chart<Semiring>(grammar, words_of(grammar.symbols, begin, symbols, probs), keep, ahead).fill();
}

nb::tuple cell(const pcfg::Result& result, std::int64_t start, std::int64_t end) {
    const std::int64_t c = pcfg::Result::cell(start, end);
    if (start < 0 || end <= start || end > static_cast<std::int64_t>(result.scales.size())) throw std::invalid_argument("there is no such span");
    const bool kept = c + 1 < static_cast<std::int64_t>(result.begin.size());
    const auto first = kept ? result.begin[c] : 0, last = kept ? result.begin[c + 1] : 0;
    return nb::make_tuple(give(std::vector<std::int32_t>(result.symbols.begin() + first, result.symbols.begin() + last)),
                          give(std::vector<double>(result.values.begin() + first, result.values.begin() + last)));
}

template <class Semiring>
void bind_kind(nb::module_& m, const char* name, const char* doc) {
    using Grammar = pcfg::Grammar<Semiring>;
    nb::class_<Grammar>(m, name, doc)
        .def("__init__", [](Grammar* self, std::int32_t symbols, std::int32_t start, const Column& parents, const Column& lefts,
                            const Column& rights, const In<double>& probs, const Column& unary_parents, const Column& unary_children,
                            const In<double>& unary_probs) {
            const pcfg::Rules rules = rules_of(symbols, start, parents, lefts, rights, probs, unary_parents, unary_children, unary_probs);
            nb::gil_scoped_release release;
            new (self) Grammar(rules);
        }, nb::kw_only(), "symbols"_a, "start"_a, "parents"_a.noconvert(), "lefts"_a.noconvert(), "rights"_a.noconvert(),
             "probs"_a.noconvert(), "unary_parents"_a.noconvert(), "unary_children"_a.noconvert(), "unary_probs"_a.noconvert())
        .def("chart", &chart<Semiring>, nb::kw_only(), "begin"_a.noconvert(), "symbols"_a.noconvert(), "probs"_a.noconvert(), "keep"_a,
             "ahead"_a = false,
             "Fill the chart of a sentence. Word i is emitted by symbols[begin[i]:begin[i + 1]] with these probabilities. The values "
             "of all spans remain if `keep` is set, and with `ahead` what is expected after the last word.");
}

}  // namespace

void bind_pcfg(nb::module_& m) {
    nb::class_<pcfg::Result>(m, "ContextFreeChart", "The chart of one sentence.")
        .def_ro("log_prob", &pcfg::Result::log_prob, "Natural logarithm of the sentence's value; -inf if it has no derivation.")
        .def_prop_ro("prefix_log_probs", [](const pcfg::Result& self) { return give(std::vector<double>(self.prefix_log_probs)); },
                     nb::rv_policy::move, "The same for its beginnings of 1, 2, … words, each with all its continuations.")
        .def_prop_ro("scales", [](const pcfg::Result& self) { return give(std::vector<double>(self.scales)); }, nb::rv_policy::move,
                     "Powers of two by which the probabilities of each word were multiplied.")
        .def_prop_ro("expected", [](const pcfg::Result& self) { return give(std::vector<double>(self.expected)); }, nb::rv_policy::move,
                     "By symbol: the probability that it begins after the last word, given all words; empty if not asked for.")
        .def("cell", &cell, "start"_a, "end"_a,
             "(symbols, values) over a span, in ascending order of symbols; empty if the values were not kept.");
    bind_kind<pcfg::Sums>(m, "ContextFreeSums",
                          "A context-free grammar whose charts add up all derivations: rules parents[r] -> lefts[r] rights[r] and "
                          "unary_parents[r] -> unary_children[r] with probabilities.");
    bind_kind<pcfg::Maxima>(m, "ContextFreeMaxima", "The same grammar, with charts that keep the most probable derivation.");
}

}  // namespace bistro::bind
