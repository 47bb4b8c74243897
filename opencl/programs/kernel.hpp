/// Kernels: one vendor's kernel per real device, and arguments that are kept until a launch takes them.
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
  /// Tells launches apart whose integers differ, by which they may take longer; 0 for those of many different ones.
  std::uint64_t footprint = 0;

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
  [[nodiscard]] const std::shared_ptr<VendorKernel>& on(const RealDevice& device) const {
    return devices_[static_cast<std::size_t>(device.number())].kernel;
  }

  /// Null where the program was not built for the device.
  [[nodiscard]] const LaunchLimits* limits(const RealDevice& device) const {
    const OnDevice& there = devices_[static_cast<std::size_t>(device.number())];
    return there.kernel == nullptr ? nullptr : &there.limits;
  }
  /// What a group of a launch takes there with the arguments as they are set, in bytes.
  [[nodiscard]] cl_ulong local_memory(const RealDevice& device) const {
    return devices_[static_cast<std::size_t>(device.number())].local_memory + local_memory_of_arguments();
  }
  /// What its launches are to the runtime; made at the first call. Of execution/kernel_command.cpp. Called in the order
  /// of submission.
  [[nodiscard]] const Codelet& codelet();
  /// What the parts of launches are that are split. The same.
  [[nodiscard]] const Codelet& part_codelet();

  /// Null where its launches cannot be split. Of splitting/splittable_kernel.cpp. Called in the order of submission.
  [[nodiscard]] const std::shared_ptr<SplittableKernel>& splittable();

  /// What the source says of it; null where nothing is known, and where it was built differently for some devices. The
  /// first call may wait for the compiler that finds it. Any thread of the program's.
  [[nodiscard]] const KernelFacts* facts() const;
  /// Nothing is ever written through this pointer of its parameters: it is in constant memory, what is known says so,
  /// or where nothing is known it is declared `const` and the source keeps that. As with `facts`, the first call may
  /// wait.
  [[nodiscard]] bool only_reads(std::size_t parameter) const;

  /// Refuses as the standard says, and with whatever code a vendor refuses with. Some indices are the `Division`'s.
  void set_argument(cl_uint index, std::size_t size, const void* value);
  /// What is set now, for a launch: buffers are held as long as this is. Refuses with CL_INVALID_KERNEL_ARGS where one
  /// was destroyed since. As with everything about the arguments, not from two threads at once.
  [[nodiscard]] std::shared_ptr<const KernelArguments> arguments() const;
  [[nodiscard]] bool all_arguments_set() const;
  /// The program's own way to split launches.
  [[nodiscard]] const std::shared_ptr<Division>& division() const { return division_; }
  /// A new one with the same arguments.
  [[nodiscard]] Kernel* clone() const;

  void info(cl_kernel_info what, const Info& answer);
  void argument_info(cl_uint index, cl_kernel_arg_info what, const Info& answer);
  /// `device` may be null where the kernel is for one device only.
  void work_group_info(Device* device, cl_kernel_work_group_info what, const Info& answer);

 private:
  struct OnDevice {
    std::shared_ptr<VendorKernel> kernel;
    /// Of the kernel's own; that of arguments comes on top.
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
  /// Indexed by `RealDevice::number`.
  std::vector<OnDevice> devices_;
  /// A vendor's kernel that nothing is launched with: it is asked, and told arguments to see whether it refuses them.
  std::unique_ptr<VendorKernel> asked_;
  std::vector<Parameter> parameters_;
  /// Sizes that the vendor has taken; 0: none yet.
  std::vector<std::size_t> accepted_sizes_;
  /// Without the buffers.
  KernelArguments arguments_;
  /// Footprints that there have been, as long as they are few.
  mutable std::vector<std::uint64_t> footprints_;
  /// By index. A kernel keeps no buffer alive: the standard's tests wait for its destruction.
  std::vector<WeakRef<Memory>> buffers_;
  const std::shared_ptr<Division> division_ = std::make_shared<Division>();
  std::shared_ptr<const Codelet> codelet_;
  std::shared_ptr<const Codelet> part_codelet_;
  std::optional<std::shared_ptr<SplittableKernel>> splittable_;
  mutable std::once_flag found_facts_;
  mutable std::shared_ptr<const ProgramFacts> program_facts_;
  mutable const KernelFacts* facts_ = nullptr;
  /// By parameter.
  mutable std::vector<bool> only_reads_;
};

}  // namespace troupe::opencl
