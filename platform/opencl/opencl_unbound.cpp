#include "platform/opencl/opencl_unbound.hpp"

#include <utility>

namespace troupe::platform {

namespace {

/// The processing units that the process could use before any thread was bound.
const Result<CpuSet> kPusAtStart = this_thread_binding();

}  // namespace

std::optional<BindingGuard> unbind_for_drivers() {
  if (!kPusAtStart) return std::nullopt;
  Result<BindingGuard> guard = BindingGuard::bind(kPusAtStart.value());
  if (!guard) return std::nullopt;
  return std::move(guard).value();
}

}  // namespace troupe::platform
