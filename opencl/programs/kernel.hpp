/// Kernels. Each consists of one vendor's kernel per real device, and the arguments for the next launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "opencl/objects/memory.hpp"
#include "opencl/programs/division.hpp"
#include "opencl/programs/kernel_parameters.hpp"
#include "opencl/programs/launch_limits.hpp"
#include "opencl/programs/program.hpp"

namespace troupe {
class Codelet;
}

namespace troupe::opencl {

/// One argument of a kernel.
struct KernelArgument {
  bool set = false;
  ParameterKind kind = ParameterKind::value;
  /// The size of the value, or of local memory, in bytes.
  std::size_t size = 0;
  /// The position of a value in `KernelArguments::values`.
  std::size_t place = 0;
  /// The buffer; null if the program passed NULL, which is then passed on to the kernel.
  Ref<Memory> memory;
};

/// All arguments of a kernel at one moment.
struct KernelArguments {
  std::vector<KernelArgument> list;
  std::vector<std::byte> values;
  /// A hash of the integer arguments, because launches with other integers may take other times. A kernel has only a
  /// limited number of different hashes; once they have occurred, every further hash is replaced by 0.
  std::uint64_t footprint = 0;

  [[nodiscard]] const void* value(const KernelArgument& argument) const { return values.data() + argument.place; }
};

class Kernel : public Counted<Kernel, _cl_kernel, ObjectType::kernel, CL_INVALID_KERNEL> {
 public:
  /// Makes a kernel. Refuses with CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME and
  /// CL_INVALID_KERNEL_DEFINITION.
  Kernel(Program& program, const std::string& name);
  ~Kernel();

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] Context& context() const { return program_->context(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  /// Returns the vendor's kernel for the real device; null if the program was not built for the device.
  [[nodiscard]] const std::shared_ptr<VendorKernel>& on(const RealDevice& device) const {
    return devices_[static_cast<std::size_t>(device.number())].kernel;
  }

  /// Returns the limits of a launch on the device; null if the program was not built for the device.
  [[nodiscard]] const LaunchLimits* limits(const RealDevice& device) const {
    const OnDevice& there = devices_[static_cast<std::size_t>(device.number())];
    return there.kernel == nullptr ? nullptr : &there.limits;
  }
  /// Returns the local memory that a group of a launch needs on the device with the current arguments, in bytes.
  [[nodiscard]] cl_ulong local_memory(const RealDevice& device) const {
    return devices_[static_cast<std::size_t>(device.number())].local_memory + local_memory_of_arguments();
  }
  /// Returns the codelet of the kernel's launches; the first call makes it. Implemented in
  /// execution/kernel_command.cpp. Must be called in the order of submission.
  [[nodiscard]] const Codelet& codelet();
  /// Returns the codelet for the slices of launches that are split. Call `codelet` before: it makes both codelets. Must
  /// be called in the order of submission.
  [[nodiscard]] const Codelet& slice_codelet();

  /// Returns the data for splitting the kernel's launches; null if the launches cannot be split. Implemented in
  /// splitting/splittable_kernel.cpp. Must be called in the order of submission.
  [[nodiscard]] const std::shared_ptr<SplittableKernel>& splittable();

  /// Returns the facts about the kernel that its source shows. Returns null if no facts are known, or if the kernel was
  /// built differently for some devices. The first call may wait for the compiler that finds the facts. Any thread of
  /// the program may call this.
  [[nodiscard]] const KernelFacts* facts() const;
  /// Returns true if nothing is ever written through this pointer parameter. There are three proofs: the parameter
  /// points to constant memory; the facts say so; or there are no facts, and the parameter is `const` and the source
  /// never removes the `const`. The first call may wait, as with `facts`.
  [[nodiscard]] bool only_reads(std::size_t parameter) const;

  /// Sets an argument. Refuses as the standard requires, and with the vendor's code if a vendor refuses the argument.
  /// The indices of `Division::has` do not name an argument: they set a member of the `Division`.
  void set_argument(cl_uint index, std::size_t size, const void* value);
  /// Returns the current arguments for a launch; the result keeps the buffers alive. Refuses with
  /// CL_INVALID_KERNEL_ARGS if a buffer was destroyed since it was set. Two threads must not use a kernel's arguments
  /// at the same time.
  [[nodiscard]] std::shared_ptr<const KernelArguments> arguments() const;
  [[nodiscard]] bool all_arguments_set() const;
  /// Returns the program's own division of launches.
  [[nodiscard]] const std::shared_ptr<Division>& division() const { return division_; }
  /// Returns a new kernel with the same arguments.
  [[nodiscard]] Kernel* clone() const;

  void info(cl_kernel_info what, const Info& answer);
  void argument_info(cl_uint index, cl_kernel_arg_info what, const Info& answer);
  /// Answers a query. `device` may be null if the kernel is for one device only.
  void work_group_info(Device* device, cl_kernel_work_group_info what, const Info& answer);

 private:
  struct OnDevice {
    std::shared_ptr<VendorKernel> kernel;
    /// The local memory that the kernel itself declares, without the local memory of its arguments.
    cl_ulong local_memory = 0;
    LaunchLimits limits;
  };

  void set_memory(cl_uint index, std::size_t size, const void* value);
  void set_local(cl_uint index, std::size_t size, const void* value);
  void set_value(cl_uint index, std::size_t size, const void* value);
  void find_facts() const;
  [[nodiscard]] std::shared_ptr<const ProgramFacts> facts_of_all_builds() const;
  [[nodiscard]] bool finds_only_reads(std::size_t parameter) const;
  [[nodiscard]] cl_ulong local_memory_of_arguments() const;
  [[nodiscard]] std::uint64_t footprint() const;

  const Ref<Program> program_;
  const std::string name_;
  /// The vendors' kernels, indexed by `RealDevice::number`.
  std::vector<OnDevice> devices_;
  /// A vendor's kernel that is never launched. It answers queries, and arguments are set on it to find out whether the
  /// vendor accepts them.
  std::unique_ptr<VendorKernel> asked_;
  std::vector<Parameter> parameters_;
  /// For each argument, the size of the last value that the vendor accepted; 0 if there was none.
  std::vector<std::size_t> accepted_sizes_;
  /// The arguments without the buffers.
  KernelArguments arguments_;
  /// The footprints that have occurred so far; their number is limited.
  mutable std::vector<std::uint64_t> footprints_;
  /// The buffers by argument. A kernel does not keep a buffer alive, because the standard's conformance tests wait for
  /// the destruction of buffers.
  std::vector<WeakRef<Memory>> buffers_;
  const std::shared_ptr<Division> division_ = std::make_shared<Division>();
  std::shared_ptr<const Codelet> codelet_;
  std::shared_ptr<const Codelet> slice_codelet_;
  std::optional<std::shared_ptr<SplittableKernel>> splittable_;
  mutable std::once_flag found_facts_;
  mutable std::shared_ptr<const ProgramFacts> program_facts_;
  mutable const KernelFacts* facts_ = nullptr;
  /// The results of `only_reads` by parameter.
  mutable std::vector<bool> only_reads_;
};

}  // namespace troupe::opencl
