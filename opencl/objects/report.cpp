#include "opencl/objects/report.hpp"

#include <atomic>
#include <iostream>
#include <set>

#include "proto/mutex.hpp"

namespace troupe::opencl {

namespace {

struct Reported {
  Mutex mutex;
  std::set<std::string> names TROUPE_GUARDED_BY(mutex);
  std::atomic<bool> any{false};

  static Reported& get() {
    // The set is never destroyed: commands may fail while the process ends.
    static auto* const reported = new Reported;
    return *reported;
  }
};

}  // namespace

void report(const std::string& what) {
  // One call writes the whole line, because other threads may write at the same time.
  std::cerr << "troupe: OpenCL: " + what + "\n";
}

bool report_once(const std::string& name, const std::string& what) {
  constexpr std::size_t kMost = 100;
  Reported& reported = Reported::get();
  const LockGuard lock(reported.mutex);
  if (reported.names.size() > kMost || !reported.names.insert(name).second) return false;
  reported.any.store(true, std::memory_order_relaxed);
  report(reported.names.size() > kMost ? "this and later failures are not written any more" : what);
  return true;
}

bool has_reported() noexcept { return Reported::get().any.load(std::memory_order_relaxed); }

}  // namespace troupe::opencl
