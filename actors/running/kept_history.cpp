#include "actors/running/kept_history.hpp"

#include <utility>

#include "actors/scheduler/models/history_file.hpp"

namespace troupe::actors {

KeptHistory::KeptHistory(const std::string& folder, const platform::Machine& machine,
                         std::function<void(const std::string&)> warn)
    : machine_key_(scheduler::machine_key(machine)),
      path_(folder.empty() ? folder : scheduler::history_path(folder, machine_key_)),
      warn_(std::move(warn)),
      history_(std::make_shared<scheduler::ExecutionHistory>()) {
  if (path_.empty()) return;
  auto kept = scheduler::read_history(path_, machine_key_);
  if (kept) {
    *history_ = std::move(kept).value();
  } else {
    this->warn(kept.failure().message + "; kernel times are learned anew");
  }
}

void KeptHistory::save() noexcept {
  if (path_.empty() || history_->kernels().empty()) return;
  try {
    if (const auto written = scheduler::write_history(path_, machine_key_, *history_); !written) {
      warn(written.failure().message + "; " + std::string(kTimesLost));
    }
  } catch (...) {
    // No memory is left. A runtime that ends must not throw, so the times are not written.
  }
}

void KeptHistory::warn(const std::string& what) noexcept {
  try {
    if (warn_) warn_(what);
  } catch (...) {
    // `warn_` is the program's function: its exceptions must not keep a runtime from starting or ending.
  }
}

}  // namespace troupe::actors
