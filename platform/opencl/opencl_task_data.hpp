/// Where an OpenCL device's kernels find the data of their tasks.
#pragma once

#include <atomic>
#include <span>

#include "platform/memory/host_block.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "proto/access.hpp"
#include "proto/errors.hpp"

struct _cl_command_queue;
struct _cl_context;
struct _cl_event;
struct _cl_mem;

namespace troupe::platform {

/// Of one device: the buffers that its kernels are given. A task's data are lent before its kernel enqueues anything,
/// brought back behind that, and ended when the task has ended: each once for each piece of data.
class OpenClTaskData {
 public:
  /// A piece of data as a task uses it, without gaps between its columns in its buffer. `block`: in host memory, or in
  /// the device's block of addresses.
  struct Piece {
    HostBlock block;
    AccessMode mode = AccessMode::read_write;
  };
  struct Lent {
    _cl_mem* buffer = nullptr;
    /// Where the kernel's views are to say that the data begin: no other piece of data has it, but for one that begins
    /// with the same bytes.
    std::byte* address = nullptr;
  };

  virtual ~OpenClTaskData() = default;

  /// The device has stopped working: whoever finds that out says so. Any thread.
  void note_loss() noexcept { lost_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool has_stopped() const noexcept { return lost_.load(std::memory_order_relaxed); }

  [[nodiscard]] virtual const OpenClDevice& device() const = 0;
  [[nodiscard]] virtual _cl_context* context() const = 0;
  /// Where all tasks of the device have to enqueue; null: each may have a queue of its own.
  [[nodiscard]] virtual _cl_command_queue* only_queue() const = 0;

  /// The buffer, which begins where the data do. What has to be done before a kernel uses it is enqueued: if anything
  /// is, `last` becomes its event, which is the caller's then. Where this fails, with `out_of_memory` or
  /// `kernel_failed`, nothing is lent.
  [[nodiscard]] virtual Result<Lent> lend(_cl_command_queue* queue, const Piece& piece, _cl_event*& last) = 0;
  /// Enqueues what has to be done before others use the data, after these events; `last` as above. Fails with
  /// `kernel_failed`.
  [[nodiscard]] virtual Result<void> bring_back(_cl_command_queue* queue, const Piece& piece,
                                                std::span<_cl_event* const> after, _cl_event*& last) = 0;
  virtual void end(const Piece& piece) noexcept = 0;

 private:
  std::atomic<bool> lost_{false};
};

}  // namespace troupe::platform
