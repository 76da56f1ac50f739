// Tables over all orders of a head's dependents.
#include <nanobind/stl/pair.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "orders/order_table.hpp"

namespace bistro::bind {

using namespace nb::literals;

namespace {

std::pair<Out<double>, Out<double>> order_table(In<std::int64_t> counts, In<double> steps, std::int64_t contexts,
                                                bool maximise) {
    std::vector<double> cells, log_scales;
    {
        nb::gil_scoped_release release;
        OrderTable table(view(counts), view(steps), contexts);
        if (maximise)
            table.fill([](double a, double b) { return std::max(a, b); });
        else
            table.fill([](double a, double b) { return a + b; });
        cells = std::move(table.cells);
        log_scales = std::move(table.log_scales);
    }
    return {give(std::move(cells)), give(std::move(log_scales))};
}

}  // namespace

void bind_orders(nb::module_& m) {
    m.def("order_table", &order_table, "counts"_a.noconvert(), "steps"_a.noconvert(), "contexts"_a, nb::kw_only(), "maximise"_a,
          "The sum, or maximum, of the weights of all ways to go on: (cells by side, multiset left and context; "
          "log-scales by side and multiset). Steps are probabilities by side, context and kind, the stop last.");
}

}  // namespace bistro::bind
