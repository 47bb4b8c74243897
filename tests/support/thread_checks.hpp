/// Checks for threads other than the test's thread, because Boost.Test's own checks only work in one thread.
#pragma once

#include <boost/test/unit_test.hpp>
#include <mutex>
#include <source_location>
#include <vector>

namespace troupe::tests {

/// Collects failed checks. The destructor reports them, so declare the object before the threads that use it; then the
/// threads end first.
class ThreadChecks {
 public:
  ThreadChecks() = default;
  ThreadChecks(const ThreadChecks&) = delete;
  ThreadChecks& operator=(const ThreadChecks&) = delete;
  ~ThreadChecks() {
    for (const std::source_location& where : failed_) {
      BOOST_ERROR("a check in another thread has failed: " << where.file_name() << ":" << where.line());
    }
  }

  void expect(bool holds, std::source_location where = std::source_location::current()) {
    if (holds) return;
    const std::lock_guard lock(mutex_);
    if (failed_.size() < 20) failed_.push_back(where);
  }

 private:
  std::mutex mutex_;
  std::vector<std::source_location> failed_;  // guarded by mutex_
};

}  // namespace troupe::tests
