/// Codelets of pieces. A test can count the pieces that ran, or block them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Waits until the condition is true. Returns false after a limit, so that the test fails instead of hanging.
template <class Condition>
[[nodiscard]] bool soon(const Condition& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return false;
}

/// Counts how often each piece of a task ran.
struct Counted {
  explicit Counted(std::size_t pieces) : ran(pieces) {}
  [[nodiscard]] bool all_once() const {
    return std::ranges::all_of(ran, [](const std::atomic<int>& one) { return one == 1; });
  }
  std::vector<std::atomic<int>> ran;
};

inline Codelet counting(Counted& counted, std::size_t grain = 1) {
  return Codelet("counting", {})
      .pieces([&counted](const KernelContext&) { return counted.ran.size(); },
              [&counted](std::size_t piece, const KernelContext&) { ++counted.ran[piece]; }, grain);
}

/// A kernel of pieces. Every worker that runs a piece waits there until the test sets `released`.
struct Held {
  std::atomic<bool> released{false};
  std::atomic<int> inside{0};
  std::atomic<int> ran{0};

  void piece() {
    ++inside;
    while (!released) std::this_thread::sleep_for(std::chrono::microseconds(100));
    ++ran;
  }
  Codelet codelet(std::int64_t pieces) {
    return Codelet("held", {})
        .pieces([pieces](const KernelContext&) { return pieces; },
                [this](std::size_t, const KernelContext&) { piece(); });
  }
};

}  // namespace troupe::tests
