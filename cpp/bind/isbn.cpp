// The latent-variable parser: learning from trees, and parsing of many sentences without the GIL.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/bind.hpp"
#include "bind/next_words.hpp"
#include "bind/results.hpp"
#include "bind/texts.hpp"
#include "isbn/language.hpp"
#include "isbn/next_words.hpp"
#include "isbn/parser.hpp"
#include "isbn/trainer.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

template <class T>
std::vector<T> copied(const In<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

template <class T>
isbn::Aligned<T> aligned(const In<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

System symbols_of(const isbn::Shape& shape) {
    return {{shape.symbols().clusters(), shape.symbols().words, shape.symbols().labels}, false, shape.symbols().single_root};
}

void make_shape(isbn::Shape* self, int num_words, int num_tags, int num_labels, int num_components, Ints tag_of, Ints component_begin,
                Ints component_list, Ints word_begin, Ints word_list, In<double> frequency, bool single_root, Ints root_labels,
                int num_coarse_tags, Ints coarse_of, int num_lemmas, Ints lemma_of, Ints other_begin, Ints other_list,
                In<double> other_count, int hidden,
                const std::vector<std::string>& features, bool linked, bool mean_field) {
    isbn::Symbols symbols{num_words, num_tags, num_labels, num_components, copied(tag_of), copied(component_begin), copied(component_list),
                          copied(word_begin), copied(word_list), copied(frequency), single_root, copied(root_labels),
                          num_coarse_tags, num_lemmas, copied(coarse_of), copied(lemma_of),
                          copied(other_begin), copied(other_list), copied(other_count)};
    const std::vector<std::string> names = isbn::isbn_elements();
    std::vector<isbn::Element> elements;
    for (const std::string& name : features) elements.emplace_back(static_cast<int>(place_of(names, name)));
    new (self) isbn::Shape(std::move(symbols), hidden, std::move(elements), linked, mean_field);
}

void check(const Batch& batch, const isbn::Shape& shape) {
    batch.check(symbols_of(shape));
    for (const std::int32_t lemma : batch.lemmas)
        if (lemma < -1 || lemma >= shape.symbols().lemmas) throw std::invalid_argument("a lemma is out of range");
}

// Derivations of annotated trees, and the indices of trees that have no derivation.
struct Derivations {
    std::vector<isbn::Derivation> list;
    std::vector<std::int32_t> failed;

    Derivations(const isbn::Shape& shape, const Batch& batch, bool early_reduce) {
        nb::gil_scoped_release release;
        check(batch, shape);
        if (batch.size() > 0 && (batch.tags.shape(0) == 0 || batch.heads.shape(0) == 0 || batch.labels.shape(0) == 0))
            throw std::invalid_argument("derivations are those of whole trees");
        for (const Ints* column : {&batch.tags, &batch.heads, &batch.labels})
            for (const std::int32_t value : view(*column))
                if (value < 0) throw std::invalid_argument("derivations are those of whole trees");
        isbn::Oracle oracle(shape, early_reduce ? isbn::ReduceWhen::early : isbn::ReduceWhen::late);
        list.resize(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (!oracle.follow(batch.sentence(i), list[i])) failed.push_back(static_cast<std::int32_t>(i));
        for (const std::int32_t i : failed) list[static_cast<std::size_t>(i)] = {};
    }

    nb::dict parts(std::size_t i) const {
        const isbn::Derivation& d = list.at(i);
        std::vector<std::int32_t> links, decisions;
        for (const isbn::Links& row : d.links) links.insert(links.end(), row.begin(), row.end());
        for (const isbn::Decision& x : d.decisions) decisions.insert(decisions.end(), {x.group, x.outcome, x.mask});
        nb::dict out;
        out["features"] = give(std::vector<std::int32_t>(d.features));
        out["feature_begin"] = give(std::vector<std::int32_t>(d.feature_begin));
        out["links"] = give(std::move(links));
        out["decisions"] = give(std::move(decisions));
        out["decision_begin"] = give(std::vector<std::int32_t>(d.decision_begin));
        out["log_shares"] = d.log_shares;
        return out;
    }
};

template <class Real>
void bind_trainer(nb::module_& m, const char* name) {
    using Trainer = isbn::Trainer<Real>;
    nb::class_<Trainer>(m, name, "Parameters of the latent-variable parser that learn.")
        .def("__init__", [](Trainer* self, const isbn::Shape& shape, In<Real> weights, In<Real> squares) {
            new (self) Trainer(shape, aligned(weights), aligned(squares));
        }, "shape"_a, "weights"_a.noconvert(), "squares"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("learn", [](Trainer& self, const Derivations& data, In<std::int64_t> order, int at_once, double rate, double decay,
                         const isbn::Dropout& dropout, int threads, bool adaptive) {
            for (const std::int64_t i : view(order))
                if (i < 0 || i >= static_cast<std::int64_t>(data.list.size())) throw std::invalid_argument("there is no such derivation");
            if (at_once < 1 || threads < 1) throw std::invalid_argument("sizes must be at least 1");
            nb::gil_scoped_release release;
            return self.pass(data.list, view(order), static_cast<std::size_t>(at_once), {rate, decay, adaptive}, dropout, threads);
        }, "data"_a, "order"_a.noconvert(), nb::kw_only(), "at_once"_a, "rate"_a, "decay"_a, "dropout"_a, "threads"_a = 1, "adaptive"_a = true,
             "One pass over derivations in an order; returns their log-probability. The same for any number of threads.")
        .def("gradient", [](Trainer& self, const Derivations& data, const isbn::Dropout& dropout) {
            return give(self.gradient(data.list, dropout));
        }, "data"_a, "dropout"_a,
             "Derivatives of the negative log-probability of all derivations.")
        .def("log_probs", [](const Trainer& self, const Derivations& data, int threads) {
            nb::gil_scoped_release release;
            return isbn::log_probs_by_kind(self.network(), data.list, threads);
        }, "data"_a, "threads"_a = 1, "Log-probabilities by kind: actions, labels, root labels, tags, bundles, words.")
        .def_prop_ro("weights", [](const Trainer& self) { return give(std::vector<Real>(self.weights().begin(), self.weights().end())); }, nb::rv_policy::automatic)
        .def_prop_ro("squares", [](const Trainer& self) { return give(std::vector<Real>(self.squares().begin(), self.squares().end())); }, nb::rv_policy::automatic);
}

// A trained model.
struct IsbnHolder {
    isbn::Shape shape;
    isbn::Aligned<float> weights;
    isbn::SeenClusters seen;
    isbn::Aligned<float> gains;
    std::unique_ptr<const isbn::PackedNetwork<float>> network;

    IsbnHolder(const isbn::Shape& shape_, In<float> weights_, Ints seen_begin, Ints seen_list, In<float> seen_share)
        : shape(shape_), weights(aligned(weights_)), seen{copied(seen_begin), copied(seen_list), copied(seen_share)} {
        const isbn::Symbols& s = shape.symbols();
        bool good = seen.begin.size() == static_cast<std::size_t>(s.words) + 1 && seen.begin.front() == 0 &&
                    seen.begin.back() == static_cast<std::int32_t>(seen.list.size()) &&
                    std::is_sorted(seen.begin.begin(), seen.begin.end()) && seen.log_share.size() == seen.list.size();
        for (const std::int32_t c : seen.list) good = good && c >= 0 && c < s.clusters();
        for (const float share : seen.log_share) good = good && std::isfinite(share);
        if (!good) throw std::invalid_argument("the tags of the words are damaged");
        if (weights.size() != shape.parameters()) throw std::invalid_argument("the parameters do not fit the model");
        for (const float w : weights)
            if (!(std::abs(w) <= isbn::kLargestWeight)) throw std::invalid_argument("a parameter is not a number, or too large");
        gains = isbn::all_gains(shape, weights.data());
        network = std::make_unique<isbn::PackedNetwork<float>>(isbn::Network<float>(shape, weights.data(), gains.data()));
    }
};

// Maximum number of derivations that parsing extends together. Larger groups, or groups larger than the beam, would extend
// more derivations than necessary.
constexpr std::size_t kMostAtOnce = 32;

nb::dict parse_with_beam(const IsbnHolder& self, const Batch& batch, isbn::BeamRequest request, int threads) {
    check(batch, self.shape);
    request.search.at_once = std::min(request.search.width, kMostAtOnce);
    return parse_all(batch, symbols_of(self.shape), threads, request, [&] {
        return [parser = isbn::SentenceParser<float>(*self.network, self.seen, request)](const Sentence& sentence, std::size_t i) mutable {
            return parser.parse(sentence, i);
        };
    });
}

// One row of figures per word and end of sentence.
nb::dict score_with_beam(const IsbnHolder& self, const Batch& batch, const isbn::BeamOptions& search, int threads) {
    PrefixArrays found;
    {
        nb::gil_scoped_release release;
        check(batch, self.shape);
        std::vector<std::vector<PrefixFigures>> results(batch.size());
        in_parallel_each(batch.size(), threads, [&] {
            return [&, beam = isbn::Beam<float>(*self.network, self.seen, search)](std::size_t i) mutable {
                results[i] = isbn::prefix_figures(beam, batch.sentence(i));
            };
        });
        for (const auto& rows : results)
            for (const PrefixFigures& row : rows) found.add(row);
    }
    return found.give_all();
}

// Probabilities of the word after the words of one sentence, or at the beginning of a sentence. There is only one run.
NextWordSums next_word_sums(const IsbnHolder& self, const Batch& batch, const isbn::BeamOptions& search, int) {
    nb::gil_scoped_release release;
    check(batch, self.shape);
    if (batch.size() > 1) throw std::invalid_argument("one sentence is gone on with at a time");
    const auto run = std::make_shared<isbn::NextWords>(self.shape, self.seen);
    isbn::Beam<float> beam(*self.network, self.seen, search);
    run->go_on(beam, batch.size() > 0 ? batch.sentence(0) : Sentence{});
    NextWordSums found;
    found.log_prefix.push_back(run->log_prefix);
    for (std::int32_t word = 0; word < self.shape.symbols().words; ++word) found.words.push_back(run->word(word));
    found.words.push_back(run->end);
    const auto clusters = static_cast<std::size_t>(self.shape.symbols().clusters());
    const std::int32_t num_words = self.shape.symbols().words;
    found.tags = [=](std::span<const std::int32_t> words) {
        std::vector<double> out(words.size() * clusters);
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] < 0 || words[i] >= num_words) throw std::invalid_argument("there is no such word");
            run->clusters_of(words[i], out.data() + i * clusters);
        }
        return out;
    };
    return found;
}

// Sentences drawn from the model, one after the other.
nb::dict generate_with_network(const IsbnHolder& self, std::int64_t n, std::int32_t most_words, std::uint64_t seed,
                               std::uint64_t purpose, double temperature, const Batch& prefix, std::int64_t particles) {
    if (!(temperature > 0) || particles < 1) throw std::invalid_argument("temperature and particles must be above 0");
    check(prefix, self.shape);
    GeneratedArrays drawn;
    {
        nb::gil_scoped_release release;
        isbn::Beam<float> beam(*self.network, self.seen, {static_cast<std::size_t>(particles), 5, 3, INFINITY});
        for (std::int64_t i = 0; i < n; ++i) {
            Stream rng(seed, purpose, static_cast<std::uint64_t>(i));
            isbn::Generator<float> generator(*self.network, rng, temperature, most_words);
            if (prefix.size() > 0) generator.begin_with(beam, prefix.sentence(0));
            drawn.add(generator.sentence());
        }
    }
    return drawn.give_all();
}

}  // namespace

void bind_isbn(nb::module_& m) {
    m.attr("ISBN_LARGEST_WEIGHT") = isbn::kLargestWeight;
    m.def("isbn_elements", &isbn::isbn_elements, "The names of all features of a configuration.");

    nb::class_<isbn::Shape>(m, "IsbnShape", "Symbols, features and sizes of a latent-variable parser.")
        .def("__init__", &make_shape, nb::kw_only(), "num_words"_a, "num_tags"_a, "num_labels"_a, "num_components"_a,
             "tag_of"_a.noconvert(), "component_begin"_a.noconvert(), "component_list"_a.noconvert(), "word_begin"_a.noconvert(),
             "word_list"_a.noconvert(), "frequency"_a.noconvert(), "single_root"_a, "root_labels"_a.noconvert(),
             "num_coarse_tags"_a, "coarse_of"_a.noconvert(), "num_lemmas"_a, "lemma_of"_a.noconvert(), "other_begin"_a.noconvert(),
             "other_list"_a.noconvert(), "other_count"_a.noconvert(), "hidden"_a, "features"_a, "linked"_a, "mean_field"_a)
        .def_prop_ro("parameters", &isbn::Shape::parameters)
        .def_prop_ro("rows", &isbn::Shape::rows)
        .def_prop_ro("groups", &isbn::Shape::groups)
        .def("outcomes", &isbn::Shape::outcomes, "group"_a)
        .def("links_at", &isbn::Shape::links_at, "relation"_a)
        .def("group_at", &isbn::Shape::group_at, "group"_a)
        .def("bias_at", &isbn::Shape::bias_at, "group"_a);

    nb::class_<Derivations>(m, "IsbnDerivations", "The derivations of annotated trees.")
        .def(nb::init<const isbn::Shape&, const Batch&, bool>(), "shape"_a, "batch"_a, nb::kw_only(), "early_reduce"_a)
        .def("__len__", [](const Derivations& self) { return self.list.size(); })
        .def_prop_ro("failed", [](const Derivations& self) { return give(std::vector<std::int32_t>(self.failed)); },
                     nb::rv_policy::automatic,
                     "The numbers of trees that have no derivation: not projective, or with too many roots.")
        .def("parts", &Derivations::parts, "number"_a, "Features, links and decisions of one derivation.");

    nb::class_<isbn::Dropout>(m, "IsbnDropout", "How many variables are left out in learning, by which stream.")
        .def("__init__", [](isbn::Dropout* self, double probability, std::uint64_t seed, std::uint64_t purpose, std::uint64_t pass) {
            if (!(probability >= 0 && probability < 1)) throw std::invalid_argument("a probability must lie in [0, 1)");
            new (self) isbn::Dropout{probability, seed, purpose, pass};
        }, nb::kw_only(), "probability"_a, "seed"_a, "purpose"_a, "pass_number"_a);

    bind_trainer<float>(m, "IsbnTrainer");
    bind_trainer<double>(m, "IsbnTrainer64");

    nb::class_<isbn::BeamOptions>(m, "BeamOptions", "How wide the latent-variable parser searches.")
        .def("__init__", [](isbn::BeamOptions* self, std::int64_t width, int labels_per_arc, int tags_per_word, double margin,
                            std::int64_t states) {
            if (width < 1 || labels_per_arc < 1 || tags_per_word < 1)
                throw std::invalid_argument("sizes and numbers of alternatives must be at least 1");
            if (!(margin >= 0) || states < 0) throw std::invalid_argument("margin and states must not be below 0");
            new (self) isbn::BeamOptions{static_cast<std::size_t>(width), static_cast<std::size_t>(labels_per_arc),
                                         static_cast<std::size_t>(tags_per_word), margin, 1, static_cast<std::size_t>(states)};
        }, nb::kw_only(), "width"_a, "labels_per_arc"_a, "tags_per_word"_a, "margin"_a, "states"_a = 0);

    nb::class_<isbn::BeamRequest>(m, "BeamRequest", "How the latent-variable parser searches, and what it returns.")
        .def("__init__", [](isbn::BeamRequest* self, const OutputRequest& output, const isbn::BeamOptions& search) {
            new (self) isbn::BeamRequest{output, search};
        }, nb::kw_only(), "output"_a, "search"_a);

    nb::class_<IsbnHolder>(m, "IsbnParser", "A trained latent-variable parser.")
        .def(nb::init<const isbn::Shape&, In<float>, Ints, Ints, In<float>>(), "shape"_a, "weights"_a.noconvert(),
             nb::kw_only(), "seen_begin"_a.noconvert(), "seen_list"_a.noconvert(), "seen_share"_a.noconvert())
        .def("parse", &parse_with_beam, "batch"_a, "request"_a, "threads"_a = 1,
             "Parses of all sentences as flat arrays; the same for any number of threads.")
        .def("score", &score_with_beam, "batch"_a, "search"_a, "threads"_a = 1,
             "Log-probabilities of all prefixes, sentence ends included, and means over derivations (nats).")
        .def("next_words", &next_word_sums, "batch"_a, "search"_a, "threads"_a = 1, nb::keep_alive<0, 1>(),
             "What comes after the words of one sentence, or of none.")
        .def("generate", &generate_with_network, "n"_a, nb::kw_only(), "most_words"_a, "seed"_a, "purpose"_a, "temperature"_a,
             "prefix"_a, "particles"_a, "Sentences drawn from the model, with their trees.");
}

}  // namespace bistro::bind
