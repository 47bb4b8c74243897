#include "platform/opencl/opencl_unbound.hpp"

#include <utility>

namespace troupe::platform {

namespace {

const Result<CpuSet> kPusAtStart = this_thread_binding();

}  // namespace

std::optional<BindingGuard> unbound_for_drivers() {
  if (!kPusAtStart) return std::nullopt;
  Result<BindingGuard> guard = BindingGuard::bind(kPusAtStart.value());
  if (!guard) return std::nullopt;
  return std::optional<BindingGuard>(std::move(guard).value());
}

}  // namespace troupe::platform
