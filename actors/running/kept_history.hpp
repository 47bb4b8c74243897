/// Kept history: the kernel times that a starting runtime reads from a file, and that an ending runtime saves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "actors/scheduler/models/execution_history.hpp"
#include "platform/machine/machine.hpp"

namespace troupe::actors {

/// The last words of the warning that a file of kernel times could not be written.
inline constexpr std::string_view kTimesLost = "what was learned of kernel times is lost";

/// The kernel times of one machine. The constructor reads the file; the scheduler then adds to the history.
class KeptHistory {
 public:
  /// With an empty `folder`, the history begins empty and is not kept. `warn` is called like
  /// `ObservationOptions::on_warning`.
  KeptHistory(const std::string& folder, const platform::Machine& machine,
              std::function<void(const std::string&)> warn);

  [[nodiscard]] const std::shared_ptr<scheduler::ExecutionHistory>& history() const { return history_; }
  /// Writes the file. No other thread may add to the history meanwhile.
  void save() noexcept;

 private:
  void warn(const std::string& what) noexcept;

  const std::string machine_key_;
  /// The file's path; empty if nothing is kept.
  const std::string path_;
  const std::function<void(const std::string&)> warn_;
  std::shared_ptr<scheduler::ExecutionHistory> history_;
};

}  // namespace troupe::actors
