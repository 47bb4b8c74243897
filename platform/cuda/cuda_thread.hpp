/// Runs work with CUDA in a thread of its own, so that the calling thread's current device does not change.
#pragma once

#include <future>
#include <utility>

namespace troupe::platform {

/// Calls `work` in a thread of its own and returns its result. CUDA keeps a current device per thread, and setting it
/// back may create a context on a GPU that nobody wants to use.
template <class F>
auto on_thread_of_its_own(F&& work) {
  return std::async(std::launch::async, std::forward<F>(work)).get();
}

}  // namespace troupe::platform
