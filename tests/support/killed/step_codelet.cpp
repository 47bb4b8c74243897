#include "tests/support/killed/step_codelet.hpp"

#include <cstdint>
#include <vector>

#include "tests/support/random/random_program_check.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::tests {

namespace {

constexpr unsigned kBitsOfMode = 4;

void step(const KernelContext& context) {
  PlannedTask task;
  task.salt = context.argument<std::uint64_t>(0);
  const auto modes = context.argument<std::uint64_t>(1);
  std::vector<DataView> views;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const std::uint64_t mode = modes >> (kBitsOfMode * i) & ((1U << kBitsOfMode) - 1);
    task.accesses.push_back({0, static_cast<AccessMode>(mode)});
    views.push_back(context.data(i));
  }
  volatile std::uint32_t spin = 0;
  while (spin < context.argument<std::uint32_t>(2)) spin = spin + 1;
  compute(task, views);
}

}  // namespace

Codelet step_codelet(bool with_kernel) {
  Codelet codelet = Codelet::variadic("step");
  codelet.takes(
      {ArgumentType::of<std::uint64_t>(), ArgumentType::of<std::uint64_t>(), ArgumentType::of<std::uint32_t>()});
  codelet.known_as("random program/step");
  if (with_kernel) codelet.implement(DeviceKind::cpu_core, step);
  return codelet;
}

Arguments step_arguments(const PlannedTask& task) {
  std::uint64_t modes = 0;
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    modes |= static_cast<std::uint64_t>(task.accesses[i].mode) << (kBitsOfMode * i);
  }
  return args(task.salt, modes, task.duration);
}

}  // namespace troupe::tests
