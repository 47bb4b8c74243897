/// Waits that `pthread_cancel` does not end.
#pragma once

#include <pthread.h>

namespace troupe::graph {

/// While an `Uncancellable` lives, a cancellation of the calling thread stays pending. A waiting thread gives the tasks
/// references to objects on its stack, such as the waiter to signal. Cancellation would destroy these objects while the
/// tasks may still use them.
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
