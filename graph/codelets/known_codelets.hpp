/// Known codelets: the definitions and environments of the codelets that were submitted to a graph.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/device_set.hpp"
#include "proto/mutex.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

/// Keeps the definitions of codelets alive.
using CodeletDefinitions = std::unordered_map<const CodeletDefinition*, std::shared_ptr<const CodeletDefinition>>;

/// The codelets that a graph knows. All functions may be called from any thread.
class KnownCodelets {
 public:
  /// Returns true if the codelet is in the cache of the codelets that were submitted last. If the result is false, call
  /// `add`, even though the codelet may have been added before.
  [[nodiscard]] bool knows(const CodeletDefinition& definition) {
    return recent(definition).load(std::memory_order_acquire) == &definition;
  }
  /// Keeps the codelet's definition, and makes the environment that its kernels need. Fails if the environment cannot
  /// be made.
  Result<void> add(const Codelet& codelet);
  /// Returns `codelet` restricted to these devices. Calls with the same arguments return the same object. `find`
  /// translates `devices` into devices of the runtime. Fails as `find` does, and with `invalid_argument` if more than
  /// `most_named` different restrictions give devices by number or name.
  Result<const Codelet*> only_on(const Codelet& codelet, const DeviceSet& devices, std::size_t most_named,
                                 const std::function<Result<DevicesHere>()>& find);
  /// Returns all definitions and forgets them.
  CodeletDefinitions take();

 private:
  [[nodiscard]] std::atomic<const CodeletDefinition*>& recent(const CodeletDefinition& definition) {
    return recent_[(reinterpret_cast<std::uintptr_t>(&definition) >> 6U) % recent_.size()];
  }

  CodeletDefinitions definitions_ TROUPE_GUARDED_BY(mutex_);
  std::map<std::pair<const CodeletDefinition*, DeviceSet>, Codelet> restricted_ TROUPE_GUARDED_BY(mutex_);
  /// The number of entries of `restricted_` whose devices are given by number or name.
  std::size_t named_devices_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<Environment, std::shared_ptr<void>>> environments_ TROUPE_GUARDED_BY(mutex_);
  Mutex mutex_;
  /// A cache of the codelets submitted last, with which `knows` avoids the lock. An entry is replaced only by another
  /// known codelet. `add` stores an entry with release order as its last step; `knows` loads with acquire order.
  std::array<std::atomic<const CodeletDefinition*>, 16> recent_{};
};

}  // namespace troupe::graph
