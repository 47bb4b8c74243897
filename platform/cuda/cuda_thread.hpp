/// Work with CUDA that leaves the calling thread as it was.
#pragma once

#include <future>
#include <utility>

namespace troupe::platform {

/// Calls `work` in a thread of its own and returns its result. CUDA keeps a current device per thread, and restoring it
/// may make a context on a GPU that nobody wants to use.
template <class F>
auto on_thread_of_its_own(F&& work) {
  return std::async(std::launch::async, std::forward<F>(work)).get();
}

}  // namespace troupe::platform
