#include "apps/service/serve_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <system_error>

namespace troupe::apps {
namespace {

/// The write end of the pipe of the only `StopSignals` object. It is global because the signal handler writes to it: a
/// handler may do little else.
std::atomic<int> pipe_end{-1};

extern "C" void note_stop_signal(int number) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const auto written = ::write(pipe_end.load(), &byte, 1);
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot listen to signals");
  }
  read_ = platform::FileDescriptor(ends[0]);
  write_ = platform::FileDescriptor(ends[1]);
  pipe_end.store(write_.get());
  struct sigaction action {};
  action.sa_handler = note_stop_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);
    const bool ignored = kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (ignored) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  pipe_end.store(-1);
}

std::optional<int> StopSignals::wait(std::optional<Duration> at_most) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (;;) {
    unsigned char number = 0;
    if (::read(read_.get(), &number, 1) == 1) return number;
    int timeout = -1;
    if (at_most) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at_most - (Clock::now() - start));
      if (left.count() <= 0) return std::nullopt;
      timeout = static_cast<int>(std::min<std::int64_t>(left.count(), std::numeric_limits<int>::max()));
    }
    pollfd readable{read_.get(), POLLIN, 0};
    ::poll(&readable, 1, timeout);
  }
}

}  // namespace troupe::apps
