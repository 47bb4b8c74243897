#include "apps/serving/forced_end.hpp"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "apps/command_line.hpp"

namespace troupe::apps {

ForcedEnd::ForcedEnd(Options options) : options_(std::move(options)), thread_([this] { run(); }) {}

ForcedEnd::~ForcedEnd() {
  done_.store(true, std::memory_order_relaxed);
  thread_.join();
}

void ForcedEnd::run() {
  using Clock = std::chrono::steady_clock;
  constexpr Duration kLook = std::chrono::milliseconds(50);
  std::optional<Clock::time_point> latest;
  while (!done_.load(std::memory_order_relaxed)) {
    if (options_.told(kLook)) hurry();
    if (!hurries()) continue;
    if (!latest) latest = Clock::now() + options_.patience;
    if (Clock::now() < *latest) continue;
    options_.last_words();
    // No destructors run, because they would wait for the running kernels.
    ::_exit(kFailure);
  }
}

}  // namespace troupe::apps
