#include "platform/thread_check.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace troupe::platform {

Result<void> check_threads(std::size_t count) {
  std::mutex mutex;
  std::condition_variable ended;
  bool all_there = false;
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::string why;
  try {
    while (threads.size() < count) {
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        ended.wait(lock, [&] { return all_there; });
      });
    }
  } catch (const std::system_error& error) {
    why = error.what();
  }
  const std::size_t started = threads.size();
  {
    const std::lock_guard lock(mutex);
    all_there = true;
  }
  ended.notify_all();
  for (std::thread& thread : threads) thread.join();
  if (why.empty()) return {};
  return Failure{ErrorCode::io,
                 fmt::format("about {} threads are needed, and the system lets this process start {} ({}): raise the "
                             "limit on processes and threads (ulimit -u, or pids.max of the control group)",
                             count, started, why)};
}

}  // namespace troupe::platform
