/// The kernel times that a runtime goes on with and leaves behind.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "actors/scheduler/models/execution_history.hpp"
#include "platform/machine/machine.hpp"

namespace troupe::actors {

/// How the warning ends that says that a file of kernel times could not be written.
inline constexpr std::string_view kTimesLost = "what was learned of kernel times is lost";

/// Read when it is made; the scheduler then adds to it.
class KeptHistory {
 public:
  /// `folder`: empty to begin with nothing and to keep nothing. `warn`: see `RuntimeOptions::on_warning`.
  KeptHistory(const std::string& folder, const platform::Machine& machine,
              std::function<void(const std::string&)> warn);

  [[nodiscard]] const std::shared_ptr<scheduler::ExecutionHistory>& history() const { return history_; }
  /// Nobody adds to it meanwhile.
  void save() noexcept;

 private:
  void warn(const std::string& what) noexcept;

  const std::string machine_key_;
  /// Empty: nothing is kept.
  const std::string path_;
  const std::function<void(const std::string&)> warn_;
  std::shared_ptr<scheduler::ExecutionHistory> history_;
};

}  // namespace troupe::actors
