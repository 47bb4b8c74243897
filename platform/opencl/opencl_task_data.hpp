/// The data of tasks as buffers for an OpenCL device's kernels.
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

/// The buffers that the kernels of one device use. For each piece of data of a task, `lend` is called once before the
/// kernel enqueues a command, `bring_back` once after the kernel, and `end` once when the task has ended.
class OpenClTaskData {
 public:
  /// A piece of data that a task uses; its buffer has no gaps between the columns. `block` is in host memory, or in the
  /// device's block of addresses.
  struct Piece {
    HostBlock block;
    AccessMode mode = AccessMode::read_write;
  };
  struct Lent {
    _cl_mem* buffer = nullptr;
    /// The address that the kernel's views return as the beginning of the data. Two pieces of data have the same
    /// address only if they begin with the same bytes.
    std::byte* address = nullptr;
  };

  virtual ~OpenClTaskData() = default;

  /// Called by code that finds out that the device has stopped working. May be called from any thread.
  void note_loss() noexcept { lost_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool has_stopped() const noexcept { return lost_.load(std::memory_order_relaxed); }

  [[nodiscard]] virtual const OpenClDevice& device() const = 0;
  [[nodiscard]] virtual _cl_context* context() const = 0;
  /// Returns the queue that all tasks of the device must use; null if each task may have its own queue.
  [[nodiscard]] virtual _cl_command_queue* only_queue() const = 0;

  /// Lends the buffer of a piece of data; the buffer begins with the data. Enqueues the commands that must run before a
  /// kernel uses the buffer. If there are any, `last` becomes the event of the last command and belongs to the caller.
  /// Fails with `out_of_memory` or `kernel_failed`; then nothing is lent.
  [[nodiscard]] virtual Result<Lent> lend(_cl_command_queue* queue, const Piece& piece, _cl_event*& last) = 0;
  /// Enqueues, after the events `after`, the commands that must run before other tasks use the data. `last` has the
  /// same meaning as in `lend`. Fails with `kernel_failed`.
  [[nodiscard]] virtual Result<void> bring_back(_cl_command_queue* queue, const Piece& piece,
                                                std::span<_cl_event* const> after, _cl_event*& last) = 0;
  virtual void end(const Piece& piece) noexcept = 0;

 private:
  std::atomic<bool> lost_{false};
};

}  // namespace troupe::platform
