#include "graph/tasks/home_process.hpp"

#include <pthread.h>

namespace troupe::graph {

namespace {

/// The number of calls of `fork` that lie between this process and the process that loaded this library.
std::atomic<std::uint64_t> generation{0};
std::atomic<bool> forked{false};

void in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  forked.store(true, std::memory_order_relaxed);
}

}  // namespace

HomeProcess::HomeProcess() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, &in_child);
  generation_ = generation.load(std::memory_order_relaxed);
}

bool HomeProcess::left() const { return generation_ != generation.load(std::memory_order_relaxed); }

Result<void> HomeProcess::check() const {
  if (!left()) return {};
  return Failure{ErrorCode::stopped,
                 "this process was forked from the one that started the runtime, whose threads are not here: start a "
                 "runtime of its own"};
}

const std::atomic<bool>& HomeProcess::any_left() { return forked; }

}  // namespace troupe::graph
