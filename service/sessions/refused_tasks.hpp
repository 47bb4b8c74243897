/// Tasks that cannot run. They are submitted and fail when their turn comes, so that tasks that depend on them are
/// cancelled as usual.
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

/// The failures of a service's refused tasks, until they have been thrown. All sessions share one object, as the
/// runtime never forgets a codelet that it has seen. Thread-safe.
class RefusedTasks {
 public:
  /// Returns the codelet of this name. Its tasks take any data and one argument, a number from `add`, and throw the
  /// failure with that number. The codelet stays usable when this object has gone. Use few different names.
  [[nodiscard]] Codelet codelet(const std::string& name);
  /// Returns a number for the failure. `keep` is true if the task may run several times.
  std::uint64_t add(Failure failure, bool keep);
  /// Forgets a failure that was kept, or whose task never ran.
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
