// Long computations that end early: because nobody waits for them any more, or because of Ctrl-C.
//
// A loop that can take long calls pause() about every millisecond. Whoever starts a computation may give its thread a stop flag
// first, and sets the flag from any other thread; pause() then throws Stopped. This file knows nothing of Python: the bindings
// say how Ctrl-C is heard.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace bistro {

struct Stopped : std::exception {
    const char* what() const noexcept override { return "the computation was stopped"; }
};

namespace detail {

inline thread_local const std::atomic<bool>* stop_flag = nullptr;  // of this thread's computation, if it has one
inline thread_local std::uint32_t pauses = 0;
inline std::atomic<void (*)()> hear_signals{nullptr};  // may throw

}  // namespace detail

inline void pause() {
    if (detail::stop_flag && detail::stop_flag->load(std::memory_order_relaxed)) throw Stopped();
    if (++detail::pauses % 16 != 0) return;
    if (auto* hear = detail::hear_signals.load(std::memory_order_relaxed)) hear();
}

// Gives this thread a stop flag for as long as it lives; a computation on several threads hands its own on to each.
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
