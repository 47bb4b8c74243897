/// The parameters of a kernel. The compiler describes them, or trial calls find them out.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "opencl/programs/vendor_program.hpp"

namespace troupe::opencl {

/// The kind of value that a parameter takes: bytes, a buffer, or the size of local memory. The platform has no images
/// and samplers; their kinds exist only so that they are recognized.
enum class ParameterKind { value, memory, local, image, sampler };

/// One parameter as the compiler describes it.
struct Parameter {
  ParameterKind kind = ParameterKind::value;
  /// False if the vendor keeps no such information; then only `kind` is known.
  bool described = false;
  cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
  std::string type_name;
  std::string name;
};

/// Asks the vendor for the parameters. If the vendor has no information, finds the kinds by setting arguments. So
/// `kernel` must not be a kernel that is launched.
[[nodiscard]] std::vector<Parameter> parameters_of(VendorKernel& kernel);

}  // namespace troupe::opencl
