/// Tasks that cannot run and fail in their place, so that what depends on them is cancelled as usual.
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

/// The failures of a service's refused tasks, until they have been thrown. One for all sessions, as the runtime keeps
/// for good whatever codelet it has seen. Thread-safe.
class RefusedTasks {
 public:
  /// The codelet of this name whose tasks take any data, and as their only argument a number that `add` gave: they
  /// throw that failure. It stays usable when this object has gone. Names should be few.
  [[nodiscard]] Codelet codelet(const std::string& name);
  /// `keep`: the task may run several times.
  std::uint64_t add(Failure failure, bool keep);
  /// Forgets a task that was kept, or never ran.
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
