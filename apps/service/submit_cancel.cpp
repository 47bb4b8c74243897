#include "apps/service/submit_cancel.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <tuple>

#include "apps/command_line.hpp"
#include "apps/terminal/standard_error.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

namespace {

constexpr Duration kPatience = std::chrono::milliseconds(500);

}  // namespace

CancelOnSignal::CancelOnSignal() : thread_([this] { run(); }) {}

CancelOnSignal::~CancelOnSignal() {
  ending_ = true;
  // The thread waits for signals, so a signal is sent to end the thread.
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void CancelOnSignal::watch(const std::shared_ptr<Runtime>& runtime) {
  const LockGuard lock(mutex_);
  runtime_ = runtime;
  if (cancelled_) throw Error(ErrorCode::cancelled, "a signal came before the job began");
}

void CancelOnSignal::run() {
  std::ignore = signals_.wait();
  if (ending_) return;
  std::shared_ptr<Runtime> runtime;
  {
    const LockGuard lock(mutex_);
    cancelled_ = true;
    runtime = runtime_.lock();
  }
  // The call gets a separate thread, because a service that does not respond may block it for ever.
  std::thread canceller([&runtime] {
    if (runtime) runtime->cancel();
    runtime.reset();
  });
  const auto second = signals_.wait(kPatience);
  if (ending_) return canceller.join();
  if (second) {
    // End the program by the second signal, as if this class had never caught it.
    std::signal(*second, SIG_DFL);
    std::raise(*second);
  }
  say("troupe: the job was cancelled by a signal; where a kernel of it runs, the service waits for its end\n");
  // No destructors run, because they would wait for the running kernel.
  ::_exit(exit_code(ErrorCode::cancelled));
}

}  // namespace troupe::apps
