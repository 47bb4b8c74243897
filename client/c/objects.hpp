/// What is behind the C interface's pointers, and how its values become ours.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/c/troupe.h"
#include "client/runtime.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/kernel_context.hpp"

struct troupe_runtime {
  std::unique_ptr<troupe::Runtime> runtime;
};
struct troupe_data {
  troupe::Data data;
};
struct troupe_codelet {
  troupe::Codelet codelet;
};
struct troupe_hold {
  troupe::HostAccess access;
};
struct troupe_recording {
  troupe::RecordedGraph graph;
};
struct troupe_kernel_context {
  const troupe::KernelContext& context;
  /// What the kernel said with `troupe_kernel_fail`; mutable as kernels get a constant context.
  mutable std::optional<std::string> failure;
};

namespace troupe::c {

[[nodiscard]] inline Handle handle_of(const troupe_handle& handle) {
  return {static_cast<graph::DataRecord*>(handle.record), HandleId(handle.id)};
}
[[nodiscard]] inline troupe_handle to_c(const Handle& handle) { return {handle.record(), handle.id().value()}; }
[[nodiscard]] inline Future future_of(const troupe_future& future) {
  return {static_cast<graph::TaskOwner*>(future.owner), static_cast<graph::Task*>(future.task), TaskId(future.id)};
}
[[nodiscard]] inline troupe_future to_c(const Future& future) {
  return {future.owner(), future.task(), future.id().value()};
}

/// These throw `invalid_argument` for numbers that mean nothing.
[[nodiscard]] AccessMode mode_of(troupe_mode mode);
[[nodiscard]] ArgumentType argument_of(troupe_type type);
[[nodiscard]] troupe_status to_c(TaskStatus status);

/// Calls `use.template operator()<T>()` with the C++ type of a type.
template <class Use>
auto with_type(troupe_type type, const Use& use) {
  switch (type) {
    case TROUPE_FLOAT: return use.template operator()<float>();
    case TROUPE_DOUBLE: return use.template operator()<double>();
    case TROUPE_INT32: return use.template operator()<std::int32_t>();
    case TROUPE_INT64: return use.template operator()<std::int64_t>();
    case TROUPE_UINT32: return use.template operator()<std::uint32_t>();
    case TROUPE_UINT64: return use.template operator()<std::uint64_t>();
  }
  throw Error(ErrorCode::invalid_argument, "there is no troupe_type " + std::to_string(type));
}

}  // namespace troupe::c
