#include "opencl/execution/kernel_command.hpp"

#include <CL/cl_icd.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "graph/codelets/opencl_launch.hpp"

namespace troupe::opencl {

namespace {

/// What a kernel may do with a buffer, as far as its declaration, the buffer's flags and its code say. A kernel need
/// not write all of what it may only write.
AccessMode mode_of(const Kernel& kernel, std::size_t index, const Memory& memory) {
  const Parameter& parameter = kernel.parameters()[index];
  const bool constant = parameter.described && (parameter.address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
                                                (parameter.qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0);
  if (constant || !memory.device_writes()) return AccessMode::read;
  const KernelFacts* const facts = kernel.facts();
  return facts != nullptr && !facts->arguments[index].writes ? AccessMode::read : AccessMode::read_write;
}

/// A vendor's memory object, released at the end of the scope: a launch keeps what it needs.
class VendorPart {
 public:
  VendorPart(const cl_icd_dispatch& api, cl_mem memory) : api_(&api), memory_(memory) {}
  VendorPart(VendorPart&& other) noexcept : api_(other.api_), memory_(std::exchange(other.memory_, nullptr)) {}
  VendorPart& operator=(VendorPart&&) = delete;
  VendorPart(const VendorPart&) = delete;
  VendorPart& operator=(const VendorPart&) = delete;
  ~VendorPart() {
    if (memory_ != nullptr) api_->clReleaseMemObject(memory_);
  }

 private:
  const cl_icd_dispatch* api_;
  cl_mem memory_;
};

class KernelCommand final : public RuntimeCommand {
 public:
  KernelCommand(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                std::shared_ptr<const KernelArguments> arguments, const NdRange& range,
                std::span<RealDevice* const> devices)
      : RuntimeCommand(queue, std::move(event)),
        kernel_(&kernel),
        arguments_(std::move(arguments)),
        range_(range),
        workers_(queue.context().execution()->workers_of(devices)) {
    for (std::size_t i = 0; i < arguments_->list.size(); ++i) {
      const KernelArgument& argument = arguments_->list[i];
      if (argument.memory) use(*argument.memory, mode_of(kernel, i, *argument.memory));
    }
  }

 private:
  [[nodiscard]] const Codelet& codelet() override { return kernel_->codelet(); }
  [[nodiscard]] DeviceSet devices() const override { return workers_; }
  void drop() override {
    arguments_.reset();
    kernel_ = {};
  }

  int run(const KernelContext& context) override {
    OpenClLaunch& launch = *static_cast<OpenClLaunch*>(context.stream);
    for (RealDevice* device : queue().real_devices()) {
      if (device->vendor().id == launch.device()) return run_on(*device, launch, context);
    }
    return CL_INVALID_DEVICE;
  }

  int run_on(RealDevice& device, OpenClLaunch& launch, const KernelContext& context) {
    const std::shared_ptr<VendorKernel>& vendor = kernel_->on(device);
    if (vendor == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
    std::vector<VendorPart> parts;
    const LockGuard lock(vendor->mutex());
    for (std::size_t i = 0; i < arguments_->list.size(); ++i) {
      if (const int status = set_argument(static_cast<cl_uint>(i), *vendor, launch, context, parts);
          status != CL_SUCCESS) {
        return status;
      }
    }
    return vendor->api().clEnqueueNDRangeKernel(launch.queue(), vendor->kernel(), range_.dimensions,
                                                range_.offset.data(), range_.global.data(),
                                                range_.has_local ? range_.local.data() : nullptr, 0, nullptr, nullptr);
  }

  int set_argument(cl_uint index, VendorKernel& vendor, OpenClLaunch& launch, const KernelContext& context,
                   std::vector<VendorPart>& parts) const {
    const cl_icd_dispatch& api = vendor.api();
    const KernelArgument& argument = arguments_->list[index];
    if (argument.kind == ParameterKind::local) {
      return api.clSetKernelArg(vendor.kernel(), index, argument.size, nullptr);
    }
    if (argument.kind != ParameterKind::memory) {
      return api.clSetKernelArg(vendor.kernel(), index, argument.size, arguments_->value(argument));
    }
    if (!argument.memory) return api.clSetKernelArg(vendor.kernel(), index, sizeof(cl_mem), nullptr);
    Memory& memory = *argument.memory;
    cl_mem buffer = launch.buffer(begin_of(context, memory.whole()));
    if (memory.parent() != nullptr) {
      const cl_buffer_region region{memory.offset(), memory.size()};
      int status = CL_SUCCESS;
      buffer = api.clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
      if (status != CL_SUCCESS) return status;
      parts.emplace_back(api, buffer);
    }
    return api.clSetKernelArg(vendor.kernel(), index, sizeof buffer, &buffer);
  }

  Ref<Kernel> kernel_;
  std::shared_ptr<const KernelArguments> arguments_;
  NdRange range_;
  DeviceSet workers_;
};

}  // namespace

std::shared_ptr<Command> kernel_command(Queue& queue, std::shared_ptr<EventState> event, Kernel& kernel,
                                        std::shared_ptr<const KernelArguments> arguments, const NdRange& range,
                                        std::span<RealDevice* const> devices) {
  return std::make_shared<KernelCommand>(queue, std::move(event), kernel, std::move(arguments), range, devices);
}

const Codelet& Kernel::codelet() {
  if (codelet_ == nullptr) {
    // Kernels of the same name are told apart by their source: times are learned by codelet.
    const std::size_t source = std::hash<std::string>{}(program_->source());
    codelet_ = std::make_shared<const Codelet>(RuntimeCommand::command_codelet(
        fmt::format("{}@{:08x}", name_, source & 0xffffffffU), kind_set(DeviceKind::opencl)));
  }
  return *codelet_;
}

}  // namespace troupe::opencl
