// Scores of the candidates of several frozen franchises that decide together.
#include "hpyp/product.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/frozen_holder.hpp"
#include "stop/pause.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

// The allowed dishes of each row, by the index of its group. A negative group allows all dishes.
struct Groups {
    std::span<const std::int32_t> group, begin, members;

    std::span<const std::int32_t> of(std::size_t row) const {
        if (group[row] < 0) return {};
        const auto at = static_cast<std::size_t>(group[row]);
        return members.subspan(static_cast<std::size_t>(begin[at]), static_cast<std::size_t>(begin[at + 1] - begin[at]));
    }

    void validate(std::size_t rows, std::int32_t dishes) const {
        bool good = group.size() == rows && !begin.empty() && begin.front() == 0 &&
                    begin.back() == static_cast<std::int32_t>(members.size()) && std::ranges::is_sorted(begin);
        for (const std::int32_t g : group) good = good && g < static_cast<std::int32_t>(begin.size()) - 1;
        for (const std::int32_t x : members) good = good && x >= 0 && x < dishes;
        if (!good) throw std::invalid_argument("the groups of allowed dishes are not valid");
    }
};

auto product_scores(const std::vector<const FrozenHolder*>& experts, const std::vector<InContexts>& contexts,
                    const In<std::int32_t>& group, const In<std::int32_t>& begin, const In<std::int32_t>& members,
                    std::int32_t most) {
    if (experts.empty() || experts.size() != contexts.size() || most < 1)
        throw std::invalid_argument("every expert must have its contexts");
    const std::size_t rows = contexts.front().shape(0);
    std::vector<const Frozen*> frozen;
    for (std::size_t e = 0; e < experts.size(); ++e) {
        frozen.push_back(&experts[e]->frozen);
        if (contexts[e].shape(0) != rows || frozen[e]->dishes != frozen[0]->dishes)
            throw std::invalid_argument("the experts of a product must have the same places and dishes");
    }
    const Groups groups{view(group), view(begin), view(members)};
    groups.validate(rows, frozen[0]->dishes);
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> dishes;
    std::vector<double> scores;
    {
        nb::gil_scoped_release release;
        Product product(frozen, static_cast<std::size_t>(most));
        for (std::size_t i = 0; i < rows; ++i) {
            pause();
            starts.push_back(static_cast<std::int64_t>(dishes.size()));
            for (std::size_t e = 0; e < experts.size(); ++e)
                product.enter(e, row(contexts[e], i), static_cast<int>(contexts[e].shape(1)));
            product.score(groups.of(i), dishes, scores);
        }
    }
    return std::make_tuple(give(std::move(starts)), give(std::move(dishes)), give(std::move(scores)));
}

}  // namespace

void bind_product(nb::module_& m) {
    m.def("product_scores", &product_scores, "experts"_a, "contexts"_a, nb::kw_only(), "group"_a.noconvert(),
          "begin"_a.noconvert(), "members"_a.noconvert(), "most"_a,
          "(starts, dishes, scores): the candidates of each row of contexts, and the sums of their log-probabilities under "
          "all experts. Row i may have the members of its group; with a group below 0, the `most` best dishes of each expert.");
}

}  // namespace bistro::bind
