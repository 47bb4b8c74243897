#include "platform/machine/process_limits.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <thread>
#include <vector>

namespace troupe::platform {

namespace {

/// The smallest size of a stack that is accepted: LAPACK's recursive factorizations and OpenBLAS's buffers take less
/// than half of it.
constexpr std::uint64_t kLeastStack = 256U << 10U;
/// The memory that a runtime allocates before its first task.
constexpr std::uint64_t kFirstAllocations = 64U << 20U;

std::uint64_t mib(std::uint64_t bytes) { return bytes >> 20U; }

/// Returns the stack size of new threads.
std::uint64_t stack_of_a_thread() {
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) != 0) return kLeastStack;
  std::size_t bytes = 0;
  ::pthread_attr_getstacksize(&attributes, &bytes);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

/// Returns the address space that is left below a limit; nothing if there is no limit.
std::optional<AddressSpace> room_below(int resource, std::uint64_t used, const char* name) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const std::uint64_t left = limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
  return AddressSpace{Bytes{limit.rlim_cur}, Bytes{left}, name};
}

/// Returns the number of threads of this process. A thread that has been joined may still count for a moment.
std::ptrdiff_t count_threads() {
  std::error_code unreadable;
  return std::distance(std::filesystem::directory_iterator("/proc/self/task", unreadable), {});
}

}  // namespace

std::optional<AddressSpace> address_space_left() {
  // Reads /proc/self/statm, which gives sizes in pages; see proc(5). Its field "data" contains the memory that the
  // limit on the data segment counts, plus the stack.
  std::uint64_t total = 0;
  std::uint64_t data = 0;
  std::uint64_t other = 0;
  std::ifstream("/proc/self/statm") >> total >> other >> other >> other >> other >> data;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  auto space = room_below(RLIMIT_AS, total * page, "address space limit (ulimit -v)");
  auto segment = room_below(RLIMIT_DATA, data * page, "data segment limit (ulimit -d)");
  if (!space || (segment && segment->left < space->left)) return segment;
  return space;
}

Result<void> check_stacks() {
  rlimit limit{};
  std::uint64_t bytes = stack_of_a_thread();
  if (::getrlimit(RLIMIT_STACK, &limit) == 0) bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
  if (bytes >= kLeastStack) return {};
  return Failure{ErrorCode::out_of_memory,
                 fmt::format("stacks are limited to {} KiB (ulimit -s), but kernels need at least {}: raise the limit",
                             bytes >> 10U, kLeastStack >> 10U)};
}

Result<void> check_room_for_threads(std::size_t count) {
  const auto space = address_space_left();
  const std::uint64_t needed = count * stack_of_a_thread() + kFirstAllocations;
  if (!space || space->left.count >= needed) return {};
  return Failure{ErrorCode::out_of_memory,
                 fmt::format("not enough memory to start {} threads: they need {} MiB of addresses, but the {} "
                             "leaves {}: raise it, or use fewer cores",
                             count, mib(needed), space->limited_by, mib(space->left.count))};
}

Result<void> try_threads(std::size_t count) {
  const std::ptrdiff_t before = count_threads();
  std::latch all_started(1);
  std::vector<std::jthread> threads;
  Result<void> outcome;
  try {
    while (threads.size() < count) threads.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error& error) {
    outcome = refused_thread(error);
  }
  all_started.count_down();
  threads.clear();
  // The system still counts threads for a short time after their end. The loop waits for that, so that the trial
  // threads do not make the system refuse the real threads. The program's other threads may change the number as well,
  // so the wait is bounded.
  for (int i = 0; i < 100 && count_threads() > before; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
  return outcome;
}

Failure refused_thread(const std::system_error& error) {
  return {ErrorCode::out_of_memory,
          fmt::format("the system refuses another thread ({}): raise the limit on processes (ulimit -u, or pids.max of "
                      "the control group), or use fewer cores",
                      error.code().message())};
}

}  // namespace troupe::platform
