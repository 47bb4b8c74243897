/// The numbers by which a session refers to its codelets.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "client/remote/connection/session.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "proto/mutex.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"

namespace troupe::remote {

/// Asks the service for the number of each codelet once, and keeps the answer. Thread-safe.
class CodeletNumbers {
 public:
  explicit CodeletNumbers(Session& session) : session_(session) {}

  /// Returns the codelet's number. Blocks when a codelet is used for the first time. Fails with `no_implementation` if
  /// the service does not know the codelet, with `signature_mismatch` if the service's codelet has other parameters,
  /// and with the session's failure if the session is lost.
  Result<std::uint32_t> number_of(const Codelet& codelet);

 private:
  struct Entry {
    std::shared_ptr<const CodeletDefinition> definition;
    Result<std::uint32_t> number{0};
  };
  Result<std::uint32_t> ask(const CodeletDefinition& definition) TROUPE_REQUIRES(mutex_);

  Session& session_;
  /// A cache of entries, which can be read without the lock. All entries live as long as this object.
  std::array<std::atomic<const Entry*>, 16> recent_{};
  Mutex mutex_;
  std::unordered_map<const CodeletDefinition*, std::unique_ptr<Entry>> entries_ TROUPE_GUARDED_BY(mutex_);
  std::uint32_t next_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::remote
