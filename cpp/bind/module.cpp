#include "bind/bind.hpp"

NB_MODULE(_core, m) {
    m.doc() = "Bistro's compiled core: integers in, numbers out.";
    bistro::bind::bind_hpyp(m);
    bistro::bind::bind_frozen(m);
    bistro::bind::bind_parse(m);
    bistro::bind::bind_language(m);
}
