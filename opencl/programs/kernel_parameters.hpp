/// What a kernel's parameters are, as its compiler says or as can be found out.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "opencl/programs/vendor_program.hpp"

namespace troupe::opencl {

/// What kind of value a parameter takes: bytes, a buffer, the size of local memory; or images and samplers, of which
/// there are none.
enum class ParameterKind { value, memory, local, image, sampler };

/// One parameter as the compiler sees it.
struct Parameter {
  ParameterKind kind = ParameterKind::value;
  /// False where the vendor keeps no such information; then only `kind` is known.
  bool described = false;
  cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
  std::string type_name;
  std::string name;
};

/// Asks the vendor. Where the vendor has no information, the kind is found by setting arguments: the kernel must not be
/// one that is launched.
[[nodiscard]] std::vector<Parameter> parameters_of(VendorKernel& kernel);

}  // namespace troupe::opencl
