// Ctrl-C in loops that run without Python's lock.
#pragma once

#include <nanobind/nanobind.h>

namespace bistro::bind {

// Lets Python hear Ctrl-C; raises what it answers.
inline void hear_signals() {
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace bistro::bind
