/// Runs work with CUDA in a separate thread, so that the calling thread's current device does not change.
#pragma once

#include <future>
#include <utility>

namespace troupe::platform {

/// Calls `work` in a new thread and returns its result. CUDA keeps a current device per thread. If the calling thread
/// changed its device and then changed it back, CUDA might create a context on a GPU that nobody wants to use.
template <class F>
auto on_thread_of_its_own(F&& work) {
  return std::async(std::launch::async, std::forward<F>(work)).get();
}

}  // namespace troupe::platform
