#include "apps/service/serve_signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>

namespace troupe::apps {
namespace {

/// Of the one that there is; a handler may use no more than this.
std::atomic<int> counter{-1};
std::atomic<int> newest{0};

extern "C" void note_stop_signal(int number) {
  const int error = errno;
  newest.store(number);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(counter.load(), &one, sizeof one);
  errno = error;
}

}  // namespace

StopSignals::StopSignals() : counter_(::eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!counter_.valid()) throw std::system_error(errno, std::generic_category(), "cannot listen to signals");
  counter.store(counter_.get());
  struct sigaction action {};
  action.sa_handler = note_stop_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  counter.store(-1);
}

std::optional<int> StopSignals::wait(std::optional<Duration> at_most) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (;;) {
    std::uint64_t one = 0;
    if (::read(counter_.get(), &one, sizeof one) == sizeof one) return newest.load();
    int timeout = -1;
    if (at_most) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at_most - (Clock::now() - start));
      if (left.count() <= 0) return std::nullopt;
      timeout = static_cast<int>(std::min<std::int64_t>(left.count(), std::numeric_limits<int>::max()));
    }
    pollfd readable{counter_.get(), POLLIN, 0};
    ::poll(&readable, 1, timeout);
  }
}

}  // namespace troupe::apps
