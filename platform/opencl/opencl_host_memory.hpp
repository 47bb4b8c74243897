/// Host memory that an OpenCL device uses in place, without copies.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "platform/accelerators/host_device.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "platform/opencl/opencl_task_data.hpp"

namespace troupe::platform {

/// A device that works on host memory. Each piece of data has a buffer over its place in host memory; the buffer stays
/// until the data are forgotten (`forget`). The buffer is mapped except while tasks of the device use it: the content
/// of a mapped buffer belongs to the host, that of an unmapped buffer to the device. The host or another device may
/// write while the buffer is mapped, so the buffer is always mapped for reading and writing: unmapping then makes the
/// present content visible to the device, even if the driver caches data.
///
/// All tasks share one in-order queue, so no count of the tasks that use a buffer is needed for mapping: a buffer that
/// two tasks read is mapped after the first task and unmapped for the second.
///
/// Data whose columns lie apart, or whose place is not aligned, have a buffer in the driver's memory instead. Such data
/// are copied to their buffer before a task, and are copied back after a task that writes. Thread-safe.
class OpenClHostMemory final : public HostDevice, public OpenClTaskData {
 public:
  /// Opens a device. Data at addresses that are multiples of `alignment` are used in place; 0 stands for the alignment
  /// that suits every type of the device. The caller must know that the device can work in place. Fails with
  /// `platform`.
  [[nodiscard]] static Result<std::unique_ptr<OpenClHostMemory>> open(const OpenClDevice& device,
                                                                      std::size_t alignment = 0);
  OpenClHostMemory(const OpenClHostMemory&) = delete;
  OpenClHostMemory& operator=(const OpenClHostMemory&) = delete;
  /// Must not be called while a task runs.
  ~OpenClHostMemory() override;

  // The next functions implement HostDevice.
  [[nodiscard]] std::string name() const override { return name_of(device_); }
  [[nodiscard]] std::string model() const override { return device_.name; }
  void forget(const HostBlock& data) noexcept override;

  // The next functions implement OpenClTaskData.
  [[nodiscard]] const OpenClDevice& device() const override { return device_; }
  [[nodiscard]] _cl_context* context() const override { return context_.get(); }
  [[nodiscard]] _cl_command_queue* only_queue() const override;
  [[nodiscard]] Result<Lent> lend(_cl_command_queue* queue, const Piece& piece, _cl_event*& last) override;
  [[nodiscard]] Result<void> bring_back(_cl_command_queue* queue, const Piece& piece, std::span<_cl_event* const> after,
                                        _cl_event*& last) override;
  void end(const Piece& piece) noexcept override;

  /// Returns the number of pieces of data that have buffers.
  [[nodiscard]] std::size_t buffers() const;

 private:
  class Buffers;

  OpenClHostMemory(const OpenClDevice& device, OpenClContext context, std::size_t alignment);

  const OpenClDevice device_;
  const OpenClContext context_;
  const std::unique_ptr<Buffers> buffers_;
};

}  // namespace troupe::platform
