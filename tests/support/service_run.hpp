/// Random programs of clients whose service runs in this process, on cores or with emulated accelerators.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/backend.hpp"
#include "proto/random.hpp"
#include "tests/support/drawing.hpp"
#include "tests/support/random/random_policy.hpp"
#include "tests/support/random/random_program.hpp"
#include "tests/support/running_service.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

class BackendPlace final : public ProgramPlace {
 public:
  explicit BackendPlace(client::Backend& backend) : backend_(backend) {}

  Result<Handle> register_data(graph::DataDescription description) override {
    return backend_.register_data(std::move(description));
  }
  std::shared_ptr<std::byte> allocate(Bytes size) override {
    return backend_.allocate(size, NumaId{}).value_or_throw().data;
  }
  Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) override {
    return backend_.partition(whole, blocks);
  }
  Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) override {
    return backend_.repartition(whole, blocks);
  }
  Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) override {
    return backend_.halos(whole, blocks, rim);
  }
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods) override {
    return backend_.set_reduction(handle, std::move(methods));
  }
  Result<void> release(const Handle& handle) override { return backend_.release(handle); }
  Result<void> discard(const Handle& handle) override { return backend_.discard(handle); }
  Result<Future> submit(const graph::TaskSpecification& specification) override {
    return backend_.submit(specification);
  }
  Result<void> wait_all() override { return backend_.wait_all(); }
  Result<Held> acquire(const Handle& handle, AccessMode mode) override {
    const auto acquired = backend_.acquire(handle, mode);
    if (!acquired) return acquired.failure();
    return Held{acquired.value().hold, acquired.value().view};
  }
  void give_back(const Held& held) override { backend_.give_back(held.hold); }

 private:
  client::Backend& backend_;
};

/// The codelets of random programs, which the service offers.
class ProgramCodelets final : public service::CodeletSource {
 public:
  explicit ProgramCodelets(Gate& /*gate*/) {
    for (const Codelet& codelet : service_codelets(DeviceKind::emulated)) {
      codelets_.emplace(codelet.name(), service::ServiceCodelet{codelet, nullptr});
    }
  }
  [[nodiscard]] const service::ServiceCodelet* find(std::string_view name) const override {
    const auto found = codelets_.find(name);
    return found == codelets_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, service::ServiceCodelet, std::less<>> codelets_;
};

/// The number of consecutive seeds for which the same service is used. Starting a service takes longer than running a
/// program.
inline constexpr std::uint64_t kSeedsPerService = 20;

/// Runs the random program of each seed.
class ServiceRuns {
 public:
  explicit ServiceRuns(bool accelerators) : accelerators_(accelerators) {}

  /// Runs the program of one seed. Returns the problems.
  std::vector<std::string> execute(std::uint64_t seed) {
    if (!service_ || seed / kSeedsPerService != service_of_) start(seed / kSeedsPerService);
    Random random(seed * 0x9e3779b97f4a7c15ULL + 11);
    ProgramOptions program;
    program.seed = seed;
    program.submitters = chance(random, 50) ? 1 : 2 + static_cast<int>(random.below(3));
    program.operations = 10 + static_cast<int>(random.below(60));
    program.faults = chance(random, 20);
    program.waits = chance(random, 90);
    program.repartitions = program.waits;
    program.scale = 1 + static_cast<int>(random.below(6));
    program.on_service = true;
    program.devices = {true, true, accelerators_, least_, DeviceKind::emulated};
    Runtime runtime = Runtime::connect({service_->folder(), "random program"});
    BackendPlace place(runtime.backend());
    return run_program(place, program);
  }
  [[nodiscard]] std::string describe() const { return description_; }

 private:
  void start(std::uint64_t number) {
    service_of_ = number;
    Random random(number * 0xd1b54a32d192ed03ULL + 7);
    service::ServerOptions options;
    options.runtime.policy = random_policy(random);
    description_ = options.runtime.policy;
    least_ = Bytes{~std::uint64_t{0}};
    for (std::uint64_t i = 0; accelerators_ && i < 1 + random.below(2); ++i) {
      platform::EmulationOptions one;
      one.memory = {(2 + random.below(20)) * 256};
      one.latency = std::chrono::microseconds(random.below(40));
      least_ = std::min(least_, one.memory);
      options.runtime.accelerators.emulated_gpus.push_back(one);
      description_ += ", GPU with " + std::to_string(one.memory.count) + " bytes";
    }
    service_.reset();
    service_ = std::make_unique<ServiceWith<ProgramCodelets>>(options);
  }

  const bool accelerators_;
  std::unique_ptr<ServiceWith<ProgramCodelets>> service_;
  std::uint64_t service_of_ = 0;
  Bytes least_;
  std::string description_;
};

}  // namespace troupe::tests
