// Stopping long computations early, because their result is no longer needed, or because of Ctrl-C.
//
// A loop that may take long calls pause() about every millisecond. The caller of a computation may give its thread a stop
// flag first, and set the flag from any other thread; pause() then throws Stopped. This file does not depend on Python: the
// bindings define how Ctrl-C is detected.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace bistro {

struct Stopped : std::exception {
    const char* what() const noexcept override { return "the computation was stopped"; }
};

namespace detail {

inline thread_local const std::atomic<bool>* stop_flag = nullptr;  // stop flag of this thread's computation, or null
inline thread_local std::uint32_t pauses = 0;
inline std::atomic<void (*)()> hear_signals{nullptr};  // may throw

}  // namespace detail

inline void pause() {
    if (detail::stop_flag && detail::stop_flag->load(std::memory_order_relaxed)) throw Stopped();
    if (++detail::pauses % 16 != 0) return;
    if (auto* hear = detail::hear_signals.load(std::memory_order_relaxed)) hear();
}

// Gives this thread a stop flag during the lifetime of the object. A computation on several threads passes its flag on to
// each of them.
class Watching {
public:
    explicit Watching(const std::atomic<bool>* flag) : before_(detail::stop_flag) { detail::stop_flag = flag; }
    ~Watching() { detail::stop_flag = before_; }
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

private:
    const std::atomic<bool>* before_;
};

}  // namespace bistro
