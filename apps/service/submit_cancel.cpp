#include "apps/service/submit_cancel.hpp"

#include <csignal>

#include "proto/errors.hpp"

namespace troupe::apps {

CancelOnSignal::CancelOnSignal() : thread_([this] { run(); }) {}

CancelOnSignal::~CancelOnSignal() {
  ending_ = true;
  // It waits for signals.
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void CancelOnSignal::watch(const std::shared_ptr<Runtime>& runtime) {
  const LockGuard lock(mutex_);
  runtime_ = runtime;
  if (cancelled_) throw Error(ErrorCode::cancelled, "a signal came before the job began");
}

void CancelOnSignal::run() {
  for (;;) {
    const auto signal = signals_.wait();
    if (ending_) return;
    if (cancelled_) {
      // As if we had never caught it.
      std::signal(*signal, SIG_DFL);
      std::raise(*signal);
    }
    std::shared_ptr<Runtime> runtime;
    {
      const LockGuard lock(mutex_);
      cancelled_ = true;
      runtime = runtime_.lock();
    }
    if (runtime) runtime->cancel();
  }
}

}  // namespace troupe::apps
