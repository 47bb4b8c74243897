/// Waits that `pthread_cancel` does not end.
#pragma once

#include <pthread.h>

namespace troupe::graph {

/// While an `Uncancellable` lives, a cancellation of the calling thread stays pending. A thread that waits gives the
/// tasks references to its own objects (the waiter to signal, the data that it gets). These objects must not be
/// destroyed while the tasks may use them.
class Uncancellable {
 public:
  Uncancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancellable() { pthread_setcancelstate(before_, nullptr); }
  Uncancellable(const Uncancellable&) = delete;
  Uncancellable& operator=(const Uncancellable&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace troupe::graph
