/// Tasks that cannot run. They are submitted nevertheless and fail in their turn, so that the tasks that depend on them
/// are cancelled as usual.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "proto/mutex.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The failures of a service's refused tasks, kept until the tasks have thrown them. All sessions share one object,
/// because the runtime never forgets a codelet. Thread-safe.
class RefusedTasks {
 public:
  /// Returns a codelet with this name. Its tasks take any data and one argument, a number from `add`, and throw the
  /// failure with that number. The codelet stays usable after this object is destroyed. Use few different names.
  [[nodiscard]] Codelet codelet(const std::string& name);
  /// Stores the failure and returns a number for it. `keep` is true if the task may run several times.
  std::uint64_t add(Failure failure, bool keep);
  /// Removes a failure that was stored with `keep`, or whose task never ran.
  void forget(std::uint64_t number);

 private:
  struct Entry {
    Failure failure;
    bool keep = false;
  };
  struct Entries {
    Mutex mutex;
    std::uint64_t next TROUPE_GUARDED_BY(mutex) = 1;
    std::unordered_map<std::uint64_t, Entry> by_number TROUPE_GUARDED_BY(mutex);
  };
  static Failure take(Entries& entries, std::uint64_t number);

  const std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
  Mutex codelets_mutex_;
  std::map<std::string, Codelet> codelets_ TROUPE_GUARDED_BY(codelets_mutex_);
};

}  // namespace troupe::service
