/// The data of tasks as an OpenCL device's kernels find them.
#pragma once

#include <atomic>
#include <span>

#include "platform/memory/host_block.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "troupe/access.hpp"
#include "troupe/errors.hpp"

struct _cl_command_queue;
struct _cl_context;
struct _cl_event;
struct _cl_mem;

namespace troupe::platform {

/// The buffers that one device's kernels are given. A task's data are lent before its kernel enqueues anything, brought
/// back behind the kernel, and ended when the task has ended: each once for each piece of data.
class OpenClTaskData {
 public:
  /// A piece of data as a task uses it, without gaps between its columns in its buffer. `block` is in host memory, or
  /// in the device's block of addresses.
  struct Piece {
    HostBlock block;
    AccessMode mode = AccessMode::read_write;
  };
  struct Lent {
    _cl_mem* buffer = nullptr;
    /// The address that the kernel's views give as the begin of the data. No other piece of data has it, except one
    /// that begins with the same bytes.
    std::byte* address = nullptr;
  };

  virtual ~OpenClTaskData() = default;

  /// Called by code that finds that the device has stopped working. Any thread.
  void note_loss() noexcept { lost_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool has_stopped() const noexcept { return lost_.load(std::memory_order_relaxed); }

  [[nodiscard]] virtual const OpenClDevice& device() const = 0;
  [[nodiscard]] virtual _cl_context* context() const = 0;
  /// The queue that all tasks of the device must use; null: each may have a queue of its own.
  [[nodiscard]] virtual _cl_command_queue* only_queue() const = 0;

  /// Lends the buffer, which begins where the data do. Enqueues the commands that must run before a kernel uses it: if
  /// there are any, `last` becomes their event, which then belongs to the caller. Where this fails, with
  /// `out_of_memory` or `kernel_failed`, nothing is lent.
  [[nodiscard]] virtual Result<Lent> lend(_cl_command_queue* queue, const Piece& piece, _cl_event*& last) = 0;
  /// Enqueues the commands that must run before others use the data, after these events; `last` as in `lend`. Fails
  /// with `kernel_failed`.
  [[nodiscard]] virtual Result<void> bring_back(_cl_command_queue* queue, const Piece& piece,
                                                std::span<_cl_event* const> after, _cl_event*& last) = 0;
  virtual void end(const Piece& piece) noexcept = 0;

 private:
  std::atomic<bool> lost_{false};
};

}  // namespace troupe::platform
