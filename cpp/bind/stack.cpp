// Stacked decisions: which candidate is correct, given the votes of several voters and the words around it.
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "parse/parser.hpp"
#include "stack/logit.hpp"
#include "stack/sparse.hpp"
#include "stack/templates.hpp"
#include "stop/pause.hpp"

namespace bistro::bind {

using namespace nb::literals;
using stack::Candidate;
using stack::Collector;
using stack::Features;
using stack::View;

namespace {

constexpr int kMostBits = 26;

enum class Task { kTags, kHeads, kLabels };

Task task_of(const std::string& name) {
    if (name == "tags") return Task::kTags;
    if (name == "heads") return Task::kHeads;
    if (name == "labels") return Task::kLabels;
    throw std::invalid_argument("there is no such decision: " + name);
}

int bits_of(std::size_t size) {
    int bits = 0;
    while ((std::size_t{1} << bits) < size) ++bits;
    if (size == 0 || (std::size_t{1} << bits) != size || bits > kMostBits || bits < 1)
        throw std::invalid_argument("the number of weights must be a power of 2");
    return bits;
}

// Sentences with their trees, and the candidates of every word with the votes for them.
struct StackBatch {
    In<std::int64_t> offsets;
    In<std::int32_t> forms, tags, heads, labels;
    In<std::int64_t> begin;
    In<std::int32_t> what, with;
    In<float> votes;
    In<std::int32_t> words;  // The attributes of all words that templates see; empty without templates.

    std::size_t sentences() const { return offsets.shape(0) - 1; }
    int columns() const { return tags.shape(0) ? static_cast<int>(words.shape(0) / tags.shape(0)) : 0; }
    std::size_t voters() const { return what.shape(0) ? votes.shape(0) / what.shape(0) : 0; }

    void check() const {
        auto covers = [](std::span<const std::int64_t> borders, std::size_t n) {
            return !borders.empty() && borders.front() == 0 && borders.back() == static_cast<std::int64_t>(n) &&
                   std::ranges::is_sorted(borders);
        };
        const std::size_t n = tags.shape(0), candidates = what.shape(0);
        const bool fits = covers(view(offsets), n) && forms.shape(0) == n * stack::kForms && heads.shape(0) == n &&
                          labels.shape(0) == n && begin.shape(0) == n + 1 && covers(view(begin), candidates) &&
                          with.shape(0) == candidates && votes.shape(0) == voters() * candidates && voters() < 60 &&
                          words.shape(0) == n * static_cast<std::size_t>(columns());
        if (!fits) throw std::invalid_argument("words, candidates and votes do not match");
        for (std::size_t i = 0; i < sentences(); ++i) check_heads(i);
    }

    void check_heads(std::size_t i) const {
        const auto first = offsets.data()[i], last = offsets.data()[i + 1];
        for (auto word = first; word < last; ++word)
            if (heads.data()[word] < 0 || heads.data()[word] > last - first)
                throw std::invalid_argument("a head is outside its sentence");
    }

    void check_places(Task task) const {
        if (task == Task::kTags) return;
        const auto places = task == Task::kHeads ? what.data() : with.data();
        for (std::size_t i = 0; i < sentences(); ++i)
            for (auto word = offsets.data()[i]; word < offsets.data()[i + 1]; ++word)
                for (auto c = begin.data()[word]; c < begin.data()[word + 1]; ++c)
                    if (places[c] < 0 || places[c] > offsets.data()[i + 1] - offsets.data()[i])
                        throw std::invalid_argument("a head is outside its sentence");
    }

    View view_of(std::size_t i) const {
        const auto first = static_cast<std::size_t>(offsets.data()[i]), n = static_cast<std::size_t>(offsets.data()[i + 1]) - first;
        return {{forms.data() + first * stack::kForms, n * stack::kForms}, {tags.data() + first, n}, {heads.data() + first, n},
                {labels.data() + first, n}};
    }

    std::span<const std::int32_t> words_of(std::size_t i) const {
        const auto first = static_cast<std::size_t>(offsets.data()[i]), n = static_cast<std::size_t>(offsets.data()[i + 1]) - first;
        const auto width = static_cast<std::size_t>(columns());
        return {words.data() + first * width, n * width};
    }

    // For each candidate, the voters (except the last) that rank it first, as bits.
    void first_choices(std::size_t from, std::size_t to, std::vector<std::int64_t>& out) const {
        const std::size_t m = voters();
        out.assign(to - from, 0);
        for (std::size_t voter = 0; voter + 1 < m; ++voter) {
            float most = 0;
            for (auto c = from; c < to; ++c) most = std::max(most, votes.data()[c * m + voter]);
            if (most <= 0) continue;
            for (auto c = from; c < to; ++c)
                if (votes.data()[c * m + voter] == most) out[c - from] |= std::int64_t{1} << voter;
        }
    }
};

// The templates of one decision: `own` for the candidates, and `of_votes` for the votes of each voter.
struct StackTemplates {
    stack::Templates own, of_votes;
    int columns;
};

// A sentence in the form from which features are computed.
struct Sentence {
    View view;
    stack::Table table;
    Sentence(const StackBatch& batch, std::size_t i, const StackTemplates* templates)
        : view(batch.view_of(i)), table(view, templates ? batch.words_of(i) : std::span<const std::int32_t>{}, templates ? batch.columns() : 0, templates != nullptr) {}
    Sentence(const Sentence&) = delete;
};

// Collects the features of all candidates of a word.
class Reader {
public:
    Reader(const StackBatch& batch, Task task, int bits, const StackTemplates* templates)
        : batch_(batch), task_(task), templates_(templates), collector_(bits) {
        if (templates && templates->columns != batch.columns() + 2) throw std::invalid_argument("words and templates do not match");
    }

    std::size_t read(const Sentence& sentence, int word, std::size_t from, std::size_t to, const stack::Dropout& dropout = stack::Dropout()) {
        const std::size_t m = batch_.voters();
        batch_.first_choices(from, to, first_);
        if (features.size() < to - from) features.resize(to - from);
        for (auto c = from; c < to; ++c) {
            const Candidate candidate{word, batch_.what.data()[c], batch_.with.data()[c], {batch_.votes.data() + c * m, m}, first_[c - from]};
            collector_.begin();
            collect(sentence, candidate, dropout);
            features[c - from] = collector_.features();
        }
        return to - from;
    }

    std::vector<Features> features;

private:
    void collect(const Sentence& sentence, const Candidate& c, const stack::Dropout& dropout) {
        const View& view = sentence.view;
        if (templates_) {
            const int head = task_ == Task::kHeads ? c.what : task_ == Task::kLabels ? c.with : view.head(c.word);
            const std::int64_t label = task_ == Task::kHeads ? c.with : task_ == Task::kLabels ? c.what : view.label(c.word);
            const stack::Cast cast(sentence.table, c, head, label);
            stack::template_features(cast, c, templates_->own, templates_->of_votes, dropout, collector_);
        } else if (task_ == Task::kHeads) stack::head_features(view, c, collector_);
        else if (task_ == Task::kLabels) stack::label_features(view, c, collector_);
        else stack::tag_features(view, c, collector_);
    }

    const StackBatch& batch_;
    Task task_;
    const StackTemplates* templates_;
    Collector collector_;
    std::vector<std::int64_t> first_;
};

template <class Weights>
Out<double> probabilities(const StackBatch& batch, const std::string& name, const Weights& weights, int threads,
                          const StackTemplates* templates) {
    std::vector<double> out(batch.what.shape(0), 1.0);
    const Task task = task_of(name);
    {
        nb::gil_scoped_release release;
        batch.check_places(task);
        const int bits = bits_of(weights.size());
        in_parallel_each(batch.sentences(), threads, [&] {
            return [&, reader = Reader(batch, task, bits, templates), p = std::vector<double>()](std::size_t i) mutable {
                const Sentence sentence(batch, i, templates);
                for (int word = 1; word <= sentence.view.size(); ++word) {
                    const auto at = static_cast<std::size_t>(batch.offsets.data()[i]) + static_cast<std::size_t>(word) - 1;
                    const auto from = static_cast<std::size_t>(batch.begin.data()[at]), to = static_cast<std::size_t>(batch.begin.data()[at + 1]);
                    if (to - from < 2) continue;
                    p.resize(reader.read(sentence, word, from, to));
                    for (std::size_t c = 0; c < p.size(); ++c) p[c] = stack::score(weights, reader.features[c]);
                    stack::normalise(p);
                    std::copy(p.begin(), p.end(), out.begin() + static_cast<std::ptrdiff_t>(from));
                }
            };
        });
    }
    return give(std::move(out));
}

// One pass over the sentences in a given order. Words whose gold candidate is not listed (-1) are skipped.
double learn(stack::Learner& learner, const StackBatch& batch, const std::string& name, In<std::int32_t> gold, In<std::int64_t> order,
             const StackTemplates* templates) {
    const Task task = task_of(name);
    nb::gil_scoped_release release;
    batch.check_places(task);
    if (gold.shape(0) != batch.tags.shape(0)) throw std::invalid_argument("every word must have a gold candidate, or -1");
    Reader reader(batch, task, bits_of(learner.weights.size()), templates);
    double loss = 0;
    for (const std::int64_t i : view(order)) {
        pause();
        if (i < 0 || static_cast<std::size_t>(i) >= batch.sentences()) throw std::invalid_argument("there is no such sentence");
        const Sentence sentence(batch, static_cast<std::size_t>(i), templates);
        for (int word = 1; word <= sentence.view.size(); ++word) {
            const auto at = static_cast<std::size_t>(batch.offsets.data()[i]) + static_cast<std::size_t>(word) - 1;
            const auto from = static_cast<std::size_t>(batch.begin.data()[at]), to = static_cast<std::size_t>(batch.begin.data()[at + 1]);
            const std::int32_t wanted = gold.data()[at];
            if (to - from < 2 || wanted < 0) continue;
            if (static_cast<std::size_t>(wanted) >= to - from) throw std::invalid_argument("a word has no such candidate");
            learner.dropout.next_step();
            const std::size_t size = reader.read(sentence, word, from, to, learner.dropout);
            loss += learner.learn(reader.features, size, static_cast<std::size_t>(wanted));
        }
    }
    return loss;
}

}  // namespace

void bind_stack(nb::module_& m) {
    m.attr("STACK_FORMS") = static_cast<int>(stack::kForms);

    nb::class_<StackBatch>(m, "StackBatch", "Sentences with a tree each, and the candidates of every word with the votes for them.")
        .def("__init__", [](StackBatch* self, In<std::int64_t> offsets, In<std::int32_t> forms, In<std::int32_t> tags,
                            In<std::int32_t> heads, In<std::int32_t> labels, In<std::int64_t> begin, In<std::int32_t> what,
                            In<std::int32_t> with, In<float> votes, In<std::int32_t> words) {
            StackBatch batch{offsets, forms, tags, heads, labels, begin, what, with, votes, words};
            batch.check();
            new (self) StackBatch(std::move(batch));
        }, nb::kw_only(), "offsets"_a.noconvert(), "forms"_a.noconvert(), "tags"_a.noconvert(), "heads"_a.noconvert(),
             "labels"_a.noconvert(), "begin"_a.noconvert(), "what"_a.noconvert(), "with_"_a.noconvert(), "votes"_a.noconvert(), "words"_a.noconvert());

    nb::class_<StackTemplates>(m, "StackTemplates", "Features as data: lists of attributes of words in roles.")
        .def("__init__", [](StackTemplates* self, In<std::int32_t> begin, In<std::int32_t> elements, In<std::int32_t> vote_begin,
                            In<std::int32_t> vote_elements, int columns) {
            new (self) StackTemplates{{view(begin), view(elements), columns}, {view(vote_begin), view(vote_elements), columns}, columns};
        }, nb::kw_only(), "begin"_a.noconvert(), "elements"_a.noconvert(), "vote_begin"_a.noconvert(), "vote_elements"_a.noconvert(),
             "columns"_a);

    nb::class_<stack::SparseWeights>(m, "StackWeights", "Weights of hashed features, of which most are 0.")
        .def("__init__", [](stack::SparseWeights* self, std::size_t size, In<std::uint32_t> places, In<float> values) {
            bits_of(size);
            new (self) stack::SparseWeights(size, view(places), view(values));
        }, nb::kw_only(), "size"_a, "places"_a.noconvert(), "values"_a.noconvert())
        .def_prop_ro("size", &stack::SparseWeights::size, "The number of all weights.")
        .def("places", [](const stack::SparseWeights& self) { return give(self.places()); }, "The places of those that are not 0.")
        .def("values", [](const stack::SparseWeights& self) { return give(std::vector<float>(self.values())); }, "Their values.");

    constexpr auto kHelp = "The probability of every candidate among those of its word; the same for any number of threads.";
    m.def("stack_probabilities",
          [](const StackBatch& batch, const std::string& task, In<float> weights, int threads, const StackTemplates* templates) {
              return probabilities(batch, task, view(weights), threads, templates);
          }, nb::kw_only(), "batch"_a, "task"_a, "weights"_a.noconvert(), "threads"_a, "templates"_a = nb::none(), kHelp);
    m.def("stack_probabilities", &probabilities<stack::SparseWeights>, nb::kw_only(), "batch"_a, "task"_a, "weights"_a, "threads"_a,
          "templates"_a = nb::none(), kHelp);

    nb::class_<stack::Learner>(m, "StackLearner", "Weights of hashed features, learned by stochastic gradient.")
        .def("__init__", [](stack::Learner* self, int bits, double rate, double dropout, std::uint64_t seed) {
            if (bits < 1 || bits > kMostBits || !(rate > 0) || !(dropout >= 0 && dropout < 1))
                throw std::invalid_argument("bits, rate or dropout is out of range");
            new (self) stack::Learner(bits, rate, dropout, seed);
        }, nb::kw_only(), "bits"_a, "rate"_a, "dropout"_a = 0.0, "seed"_a = 0)
        .def("learn", &learn, nb::kw_only(), "batch"_a, "task"_a, "gold"_a.noconvert(), "order"_a.noconvert(),
             "templates"_a = nb::none(), "Visits the words of these sentences, and returns the sum of the losses before each step.")
        .def("weights", [](const stack::Learner& self) { return give(std::vector<float>(self.weights)); }, "A copy of the weights.");
}

}  // namespace bistro::bind
