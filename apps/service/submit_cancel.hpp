/// Handles Ctrl-C while a job runs on the service.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "apps/service/serve_signals.hpp"
#include "proto/mutex.hpp"
#include "troupe/runtime.hpp"

namespace troupe::apps {

/// While the object lives, the first SIGINT or SIGTERM cancels the tasks of the job that have not started; threads that
/// wait for these tasks get the error `cancelled`. Running kernels cannot be interrupted, and a service may not answer.
/// Therefore the program ends a moment later, or at a second signal, in any case. The end of the program closes its
/// connections, so the service ends the job.
class CancelOnSignal {
 public:
  CancelOnSignal();
  ~CancelOnSignal();
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;

  /// Sets the runtime of the job that a signal cancels. Throws `cancelled` if a signal has already come.
  void watch(const std::shared_ptr<Runtime>& runtime);
  [[nodiscard]] bool cancelled() const { return cancelled_; }

 private:
  void run();

  StopSignals signals_;
  std::atomic<bool> ending_{false};
  std::atomic<bool> cancelled_{false};
  Mutex mutex_;
  std::weak_ptr<Runtime> runtime_ TROUPE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace troupe::apps
