/// What a program says of a context when it makes it.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::opencl {

/// Properties of contexts beside the standard's, with SOCL's numbers. Values are addresses of texts, which are copied.
/// The policy, as `troupe run --policy` takes it, or one of StarPU's names.
inline constexpr cl_context_properties kContextPolicy = 0xFF01;
/// A name for people.
inline constexpr cl_context_properties kContextName = 0xFF02;

struct ContextProperties {
  /// As given, with the terminating zero; empty if none was.
  std::vector<cl_context_properties> list;
  /// As our policies are specified; empty: the default.
  std::string policy;
  std::string name;
  bool interop_user_sync = false;

  /// Refuses with CL_INVALID_PROPERTY and CL_INVALID_PLATFORM. A policy that is not known gets a line on standard
  /// error, too: the code alone does not say what is wrong. `list` may be null.
  [[nodiscard]] static ContextProperties parse(const cl_context_properties* list);
};

/// Our specification of the policy that StarPU has under a name; other names are their own.
[[nodiscard]] std::string_view policy_of_starpu(std::string_view name);

}  // namespace troupe::opencl
