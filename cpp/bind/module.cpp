#include "bind/bind.hpp"

NB_MODULE(_core, m) {
    // At exit, tracebacks and caches may still hold objects, so warnings about leaks would only confuse users.
    nanobind::set_leak_warnings(false);
    m.doc() = "Bistro's compiled core: integers in, numbers out.";
    bistro::bind::bind_stop(m);
    bistro::bind::bind_hpyp(m);
    bistro::bind::bind_frozen(m);
    bistro::bind::bind_parse(m);
    bistro::bind::bind_language(m);
    bistro::bind::bind_graph_sums(m);
    bistro::bind::bind_following(m);
    bistro::bind::bind_next_words(m);
    bistro::bind::bind_particles(m);
    bistro::bind::bind_chart(m);
    bistro::bind::bind_topics(m);
    bistro::bind::bind_eisner(m);
    bistro::bind::bind_risk(m);
    bistro::bind::bind_infinite(m);
    bistro::bind::bind_grammar(m);
    bistro::bind::bind_pcfg(m);
    bistro::bind::bind_orders(m);
    bistro::bind::bind_isbn(m);
    bistro::bind::bind_tree_search(m);
    bistro::bind::bind_chain(m);
    bistro::bind::bind_segment(m);
    bistro::bind::bind_tokens(m);
    bistro::bind::bind_files(m);
    bistro::bind::bind_product(m);
    bistro::bind::bind_process(m);
    bistro::bind::bind_stack(m);
}
