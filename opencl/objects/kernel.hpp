/// Kernels: one vendor's kernel per real device, and arguments that are kept until a launch takes them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "opencl/objects/memory.hpp"
#include "opencl/objects/program.hpp"

namespace troupe::opencl {

/// What kind of value a parameter takes.
enum class ParameterKind { value, memory, local, other };

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

/// One argument.
struct KernelArgument {
  bool set = false;
  ParameterKind kind = ParameterKind::value;
  /// Of the value, or of local memory, in bytes.
  std::size_t size = 0;
  /// Of a value: where it lies in `KernelArguments::values`.
  std::size_t place = 0;
  /// Null: the program gave NULL, which the kernel sees.
  Ref<Memory> memory;
};

/// All arguments of a kernel at one moment.
struct KernelArguments {
  std::vector<KernelArgument> list;
  std::vector<std::byte> values;

  [[nodiscard]] const void* value(const KernelArgument& argument) const { return values.data() + argument.place; }
};

class Kernel : public Counted<Kernel, _cl_kernel, ObjectType::kernel, CL_INVALID_KERNEL> {
 public:
  /// Refuses with CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME and CL_INVALID_KERNEL_DEFINITION.
  Kernel(Program& program, const std::string& name);
  ~Kernel();

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] Context& context() const { return program_->context(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Of the real device; null where the program was not built for it.
  [[nodiscard]] const std::shared_ptr<VendorKernel>& on(const RealDevice& device) const;

  /// Refuses as the standard says, and with whatever code a vendor refuses with.
  void set_argument(cl_uint index, std::size_t size, const void* value);
  /// What is set now. It does not change any more: arguments that are set later go into another one. As with everything
  /// about the arguments, not from two threads at once.
  [[nodiscard]] std::shared_ptr<const KernelArguments> arguments() const { return arguments_; }
  [[nodiscard]] bool all_arguments_set() const;

  void info(cl_kernel_info what, const Info& answer);
  void argument_info(cl_uint index, cl_kernel_arg_info what, const Info& answer);
  /// `device` may be null where the kernel is for one device only.
  void work_group_info(Device* device, cl_kernel_work_group_info what, const Info& answer);

 private:
  const Ref<Program> program_;
  const std::string name_;
  std::vector<Parameter> parameters_;
  /// Indexed by `RealDevice::number`.
  std::vector<std::shared_ptr<VendorKernel>> vendor_;
  std::shared_ptr<KernelArguments> arguments_;
};

}  // namespace troupe::opencl
