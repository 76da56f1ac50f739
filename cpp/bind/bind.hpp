// One function per binding file. module.cpp calls all of them.
#pragma once

#include <nanobind/nanobind.h>

namespace bistro::bind {

void bind_stop(nanobind::module_& m);
void bind_hpyp(nanobind::module_& m);
void bind_frozen(nanobind::module_& m);
void bind_parse(nanobind::module_& m);
void bind_language(nanobind::module_& m);  // after bind_parse
void bind_graph_sums(nanobind::module_& m);  // after bind_parse
void bind_following(nanobind::module_& m);  // after bind_language
void bind_next_words(nanobind::module_& m);  // after bind_language
void bind_particles(nanobind::module_& m);  // after bind_parse
void bind_chart(nanobind::module_& m);
void bind_topics(nanobind::module_& m);
void bind_eisner(nanobind::module_& m);  // after bind_parse
void bind_risk(nanobind::module_& m);
void bind_infinite(nanobind::module_& m);  // after bind_hpyp
void bind_orders(nanobind::module_& m);
void bind_isbn(nanobind::module_& m);  // after bind_parse
void bind_grammar(nanobind::module_& m);
void bind_pcfg(nanobind::module_& m);
void bind_tree_search(nanobind::module_& m);  // after bind_infinite and bind_grammar
void bind_chain(nanobind::module_& m);  // after bind_infinite
void bind_segment(nanobind::module_& m);  // after bind_infinite
void bind_tokens(nanobind::module_& m);  // after bind_frozen
void bind_files(nanobind::module_& m);
void bind_product(nanobind::module_& m);  // after bind_frozen
void bind_process(nanobind::module_& m);  // after bind_hpyp
void bind_stack(nanobind::module_& m);

}  // namespace bistro::bind
