/// A started runtime, with short functions that tests call.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "actors/running/runtime_system.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

class TestRuntime {
 public:
  explicit TestRuntime(const RuntimeOptions& options, std::unique_ptr<scheduler::PlacingPolicy> placing = nullptr)
      : system_(actors::RuntimeSystem::start(options, std::move(placing)).value_or_throw()) {}

  Future submit(const Codelet& codelet, const std::vector<Access>& accesses = {}, const TaskOptions& options = {}) {
    return system_->graph().submit({codelet, accesses, {}, options}).value_or_throw();
  }
  template <class T>
  Handle scalar(T& value) {
    return system_->graph().register_data({layout_of<T>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, {}});
  }
  /// Waits for all tasks. Returns the text of the first failure; empty if nothing failed.
  std::string wait() {
    const Result<void> outcome = system_->graph().wait_all();
    return outcome ? std::string() : outcome.failure().message;
  }

  actors::RuntimeSystem* operator->() { return system_.get(); }

 private:
  std::unique_ptr<actors::RuntimeSystem> system_;
};

/// Returns options for `count` workers, which are not bound to cores if the machine has fewer cores than workers.
inline RuntimeOptions workers(int count, std::string policy = "lws") {
  RuntimeOptions options;
  options.cores = count;
  options.policy = std::move(policy);
  options.threads.oversubscribe = true;
  return options;
}

}  // namespace troupe::tests
