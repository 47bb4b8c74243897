#include "opencl/programs/kernel_parameters.hpp"

namespace troupe::opencl {
namespace {

/// A query about a parameter; the answer is zero if the vendor does not know the answer.
class ParameterQuery {
 public:
  ParameterQuery(VendorKernel& kernel, cl_uint index) : kernel_(kernel), index_(index) {}

  /// Asks for a value. Returns false if the vendor keeps no such information.
  template <class T>
  bool ask(cl_kernel_arg_info what, T& value) const {
    auto* query = kernel_.api().clGetKernelArgInfo;
    return query != nullptr && query(kernel_.kernel(), index_, what, sizeof value, &value, nullptr) == CL_SUCCESS;
  }

  [[nodiscard]] std::string text(cl_kernel_arg_info what) const {
    auto* query = kernel_.api().clGetKernelArgInfo;
    std::size_t size = 0;
    if (query(kernel_.kernel(), index_, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string value(size, '\0');
    if (query(kernel_.kernel(), index_, what, size, value.data(), nullptr) != CL_SUCCESS) return {};
    return value.substr(0, value.find('\0'));
  }

 private:
  VendorKernel& kernel_;
  cl_uint index_;
};

ParameterKind kind_of(const Parameter& parameter) {
  if (parameter.type_name == "sampler_t") return ParameterKind::sampler;
  // Only images have access qualifiers.
  if (parameter.access != CL_KERNEL_ARG_ACCESS_NONE) return ParameterKind::image;
  switch (parameter.address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
    case CL_KERNEL_ARG_ADDRESS_CONSTANT: return ParameterKind::memory;
    case CL_KERNEL_ARG_ADDRESS_LOCAL: return ParameterKind::local;
    default: return ParameterKind::value;
  }
}

/// Finds the kind of a parameter by setting null arguments: for a value the driver refuses null, for a buffer it
/// accepts null, and for local memory it accepts any size.
ParameterKind kind_by_trying(VendorKernel& kernel, cl_uint index) {
  constexpr std::size_t kOddSize = 40;
  const auto takes_nothing = [&](std::size_t size) {
    return kernel.api().clSetKernelArg(kernel.kernel(), index, size, nullptr) == CL_SUCCESS;
  };
  if (takes_nothing(kOddSize)) return ParameterKind::local;
  return takes_nothing(sizeof(cl_mem)) ? ParameterKind::memory : ParameterKind::value;
}

Parameter parameter_of(VendorKernel& kernel, cl_uint index) {
  const ParameterQuery query(kernel, index);
  Parameter parameter;
  if (!query.ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER, parameter.address)) {
    parameter.kind = kind_by_trying(kernel, index);
    return parameter;
  }
  parameter.described = true;
  (void)query.ask(CL_KERNEL_ARG_ACCESS_QUALIFIER, parameter.access);
  (void)query.ask(CL_KERNEL_ARG_TYPE_QUALIFIER, parameter.qualifiers);
  parameter.type_name = query.text(CL_KERNEL_ARG_TYPE_NAME);
  parameter.name = query.text(CL_KERNEL_ARG_NAME);
  parameter.kind = kind_of(parameter);
  return parameter;
}

}  // namespace

std::vector<Parameter> parameters_of(VendorKernel& kernel) {
  cl_uint count = 0;
  accept(kernel.api().clGetKernelInfo(kernel.kernel(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr));
  std::vector<Parameter> parameters;
  for (cl_uint index = 0; index < count; ++index) parameters.push_back(parameter_of(kernel, index));
  return parameters;
}

}  // namespace troupe::opencl
