/// The codelets that one client has opened.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "service/codelets/codelet_source.hpp"
#include "service/sessions/refused_tasks.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

struct SessionCodelet {
  /// The service's codelet; null if the client's codelet was refused, and then `refusal` has the reason.
  const ServiceCodelet* known = nullptr;
  std::shared_ptr<const Failure> refusal = nullptr;
  /// True if each task has its own number of data and arguments.
  bool variadic = false;
  std::vector<AccessMode> modes = {};
  std::vector<ArgumentType> arguments = {};
  /// The size in bytes of the arguments of one task.
  std::size_t argument_bytes = 0;
  /// The codelet that replaces this codelet in tasks that cannot run.
  Codelet refused;
};

/// The codelets of one client, by the client's numbers. Only one thread may use this class.
class SessionCodelets {
 public:
  SessionCodelets(const CodeletSource& source, RefusedTasks& refused) : source_(source), refused_(refused) {}

  /// Adds the codelet of a message. Fails if the message breaks the protocol; otherwise returns the reason if the
  /// codelet was refused, and nothing if it was accepted.
  Result<std::optional<Failure>> open(const v1::OpenCodelet& message);
  /// Returns the codelet with this number; null if there is none.
  [[nodiscard]] const SessionCodelet* find(std::uint32_t number) const {
    return number < codelets_.size() ? &codelets_[number] : nullptr;
  }

  /// Returns the estimated size of the codelets.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const CodeletSource& source_;
  RefusedTasks& refused_;
  std::vector<SessionCodelet> codelets_;
  std::uint64_t bytes_ = 0;
};

}  // namespace troupe::service
