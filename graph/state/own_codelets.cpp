#include "graph/state/own_codelets.hpp"

#include <coroutine>
#include <exception>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_record.hpp"
#include "graph/data/reduction.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::graph {

namespace {

/// Makes the codelet of combining tasks. It runs on a device that reaches host memory. If no such device runs tasks (on
/// a described machine whose cores all drive GPUs), any device runs the codelet.
Codelet make_combine_codelet(KindSet kinds) {
  const Kernel combine = [](const KernelContext& context) {
    context.argument<DataRecord*>(0)->reduction->combine(context.data(0), context.argument<bool>(1));
  };
  Codelet codelet = Codelet::internal("combine", {AccessMode::read_write});
  for (const DeviceTraits& row : kDeviceTraits) {
    if ((kinds & kind_set(row.kind)) != 0) codelet.implement(row.kind, combine);
  }
  return codelet;
}

// All graphs share each of these codelets, because learned times and traces refer to codelets even when a graph is
// gone.

const Codelet& combine_codelet(KindSet kinds) {
  static const Codelet at_home = make_combine_codelet(kOnCores);
  static const Codelet on_any_device = make_combine_codelet(kEveryKind);
  return (kinds & kOnCores) != 0 ? at_home : on_any_device;
}

const Codelet& replay_codelet() {
  static const Codelet codelet("recorded graph", {});
  return codelet;
}

const Codelet& divide_codelet() {
  static const Codelet codelet = Codelet::internal("divide", {}).cpu([](const KernelContext&) {});
  return codelet;
}

const Codelet& resume_codelet() {
  static const Codelet codelet = Codelet::internal("resume", {}).cpu([](const KernelContext& context) {
    std::coroutine_handle<>::from_address(context.argument<void*>(0)).resume();
  });
  return codelet;
}

}  // namespace

OwnCodelets::OwnCodelets(KindSet kinds)
    : combine(combine_codelet(kinds)), replay(replay_codelet()), divide(divide_codelet()), resume(resume_codelet()) {}

const Codelet& FailingCodelets::in_place_of(const CodeletDefinition& definition) {
  const LockGuard lock(mutex_);
  auto found = made_.find(&definition);
  if (found == made_.end()) {
    Codelet made(definition.name, definition.modes);
    made.implement(DeviceKind::cpu_core, [](const KernelContext& context) {
      std::rethrow_exception(*context.argument<const std::exception_ptr*>(0));
    });
    found = made_.emplace(&definition, std::move(made)).first;
  }
  return found->second;
}

}  // namespace troupe::graph
