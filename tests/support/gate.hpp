/// Functions by which tests stop kernels and wait for them.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "troupe/kernel_context.hpp"

namespace troupe::tests {

/// Waits until the condition is true. Returns false after a minute.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > latest) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// A gate at which kernels wait until the test opens it.
class Gate {
 public:
  void open() { open_ = true; }
  void close() { open_ = false; }
  /// Waits until the gate is open. A kernel that gives its context also passes once it learns that it was cancelled.
  void pass(const KernelContext* context = nullptr) const {
    ++waiting_;
    while (!open_ && !(context != nullptr && context->cancelled())) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    --waiting_;
  }
  [[nodiscard]] int waiting() const { return waiting_; }

 private:
  std::atomic<bool> open_{false};
  mutable std::atomic<int> waiting_{0};
};

}  // namespace troupe::tests
