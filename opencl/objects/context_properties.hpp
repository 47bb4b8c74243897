/// The properties with which a program makes a context.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::opencl {

/// Two properties of contexts that are not in the standard; their numbers are those of SOCL. The value of each is the
/// address of a text, which Troupe copies. The text of `kContextPolicy` names a policy, as `troupe run --policy` or
/// StarPU does.
inline constexpr cl_context_properties kContextPolicy = 0xFF01;
/// The text of this property is the name of the context, for people.
inline constexpr cl_context_properties kContextName = 0xFF02;

struct ContextProperties {
  /// The list as given, with the terminating zero; empty if none was given.
  std::vector<cl_context_properties> list;
  /// The policy in Troupe's notation; empty if it is the default.
  std::string policy;
  std::string name;
  bool interop_user_sync = false;

  /// Parses a list of properties. Refuses with CL_INVALID_PROPERTY and CL_INVALID_PLATFORM. For an unknown policy it
  /// also writes a line on standard error, because the code alone does not say what is wrong. `list` may be null.
  [[nodiscard]] static ContextProperties parse(const cl_context_properties* list);
};

/// Returns Troupe's name of the policy that StarPU calls `name`; returns all other names unchanged.
[[nodiscard]] std::string_view policy_of_starpu(std::string_view name);

}  // namespace troupe::opencl
