// Stop flags for Python, and Ctrl-C in loops that run without Python's lock.
#include "stop/pause.hpp"

#include <chrono>
#include <memory>

#include "bind/bind.hpp"

namespace nb = nanobind;

namespace bistro::bind {

using namespace nb::literals;

namespace {

unsigned long main_thread = 0;

// Lets Python handle Ctrl-C, which works only on its main thread, and passes on the exception. The GIL is acquired at most
// once in 50 ms, so that loops may call pause() as often as they like.
void hear_signals() {
    using Clock = std::chrono::steady_clock;
    static Clock::time_point last;  // used only by the main thread
    if (PyThread_get_thread_ident() != main_thread) return;
    const Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(50)) return;
    last = now;
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

struct StopFlag {
    std::atomic<bool> flag{false};
    std::unique_ptr<Watching> watching;
};

}  // namespace

void bind_stop(nb::module_& m) {
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    bistro::detail::hear_signals = hear_signals;
    nb::exception<Stopped>(m, "ComputationStopped");
    nb::class_<StopFlag>(m, "StopFlag",
                         "Stops a computation from another thread: what runs inside `with flag:` ends with ComputationStopped soon "
                         "after `flag.set()`. One thread at a time can be inside.")
        .def(nb::init<>())
        .def("set", [](StopFlag& self) { self.flag = true; }, "Stop the computation, at once or when it begins.")
        .def_prop_ro("is_set", [](const StopFlag& self) { return self.flag.load(); })
        .def("__enter__", [](StopFlag& self) {
            if (self.watching) throw std::invalid_argument("a stop flag can be used by only one computation at a time");
            self.watching = std::make_unique<Watching>(&self.flag);
        })
        .def("__exit__", [](StopFlag& self, nb::object, nb::object, nb::object) { self.watching.reset(); },
             "type"_a.none(), "error"_a.none(), "traceback"_a.none());
    m.def("pause", &bistro::pause, "Raise ComputationStopped if this thread's computation is to stop; for loops in Python.");
}

}  // namespace bistro::bind
