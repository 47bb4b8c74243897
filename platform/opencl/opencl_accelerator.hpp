/// The memory of an OpenCL device as a memory node.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/copy_thread.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "platform/opencl/opencl_task_data.hpp"
#include "troupe/units.hpp"

struct _cl_context;
struct _cl_mem;

namespace troupe::platform {

class OpenClBuffers;

/// An OpenCL device with memory of its own. The addresses in its block of memory only serve as names of data; `lend`
/// (platform/opencl/opencl_buffers.hpp) finds the buffer of an address. Each direction has a thread and a queue,
/// because the call that copies waits for the end of the copy, and some drivers copy inside the call.
class OpenClAccelerator final : public Accelerator, public OpenClTaskData {
 public:
  /// Opens a device. `sharing` is the number of devices opened together that share the host's memory. `capacity` is the
  /// limit for the memory that data take. By default it is nine tenths of the device's memory; for a device that shares
  /// the host's memory, it is half of the available host memory divided by `sharing`. Drivers do not check whether a
  /// device's memory is large enough. Measures the device's copies, which takes some milliseconds. Fails with
  /// `invalid_argument` for a capacity that the device does not have, and with `platform` for other errors.
  [[nodiscard]] static Result<std::unique_ptr<OpenClAccelerator>> open(const OpenClDevice& device,
                                                                       std::optional<Bytes> capacity, int sharing = 1);
  ~OpenClAccelerator() override;

  // The next functions implement OpenClTaskData. The memory manager makes sure that the data are on the device.
  [[nodiscard]] const OpenClDevice& device() const override { return device_; }
  [[nodiscard]] _cl_context* context() const override { return context_.get(); }
  [[nodiscard]] _cl_command_queue* only_queue() const override { return nullptr; }
  [[nodiscard]] Result<Lent> lend(_cl_command_queue* queue, const Piece& piece, _cl_event*& last) override;
  [[nodiscard]] Result<void> bring_back(_cl_command_queue* /*queue*/, const Piece& /*piece*/,
                                        std::span<_cl_event* const> /*after*/, _cl_event*& /*last*/) override {
    return {};
  }
  void end(const Piece& /*piece*/) noexcept override {}
  /// Returns the buffer at an address, as `OpenClBuffers::at` does.
  [[nodiscard]] Result<_cl_mem*> buffer_at(const std::byte* address, Bytes size);

  void stop() override;
  [[nodiscard]] bool lost() const override { return has_stopped(); }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string model() const override { return device_.name; }
  [[nodiscard]] std::byte* memory() const override;
  [[nodiscard]] Bytes capacity() const override;
  [[nodiscard]] Bytes largest_piece() const override { return std::min(capacity(), device_.largest_buffer); }
  void copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  void hurry(CopyNumber number) override;
  void copy_from(Accelerator& source, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  void copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  [[nodiscard]] CopySpeed speed(CopyDirection direction) const override { return speeds_[index_of(direction)]; }
  [[nodiscard]] CopyTraffic traffic(CopyDirection direction) const override;

 private:
  struct Queues;

  OpenClAccelerator(const OpenClDevice& device, OpenClContext context, std::unique_ptr<OpenClBuffers> buffers);
  [[nodiscard]] static std::size_t index_of(CopyDirection direction) { return static_cast<std::size_t>(direction); }
  [[nodiscard]] Result<void> make_queues();
  [[nodiscard]] Result<void> measure();
  void start_threads();
  /// The place where a copy begins: a buffer, and an offset in it in bytes.
  struct Place {
    _cl_mem* buffer = nullptr;
    std::size_t offset = 0;
  };
  /// Returns the place of an address. The data with this address are `data` or, if that is empty, the `span` bytes from
  /// the address on.
  [[nodiscard]] Result<Place> place_of(const std::byte* address, std::size_t span, std::span<const std::byte> data);
  /// `perform` and `perform_inside` make a copy, and return when the copy has ended.
  [[nodiscard]] Result<void> perform(CopyDirection direction, const BlockCopy& copy);
  [[nodiscard]] Result<void> perform_inside(const BlockCopy& copy);
  /// `write`, `read` and `move` return OpenCL's status codes.
  [[nodiscard]] int write(const Place& to, const BlockCopy& copy);
  [[nodiscard]] int read(const Place& from, const BlockCopy& copy);
  [[nodiscard]] int move(const Place& from, const Place& to, const BlockCopy& copy);

  const OpenClDevice device_;
  const OpenClContext context_;
  const std::string name_;
  const std::unique_ptr<OpenClBuffers> buffers_;
  const std::unique_ptr<Queues> queues_;
  /// The entries of `speeds_` and `threads_` are indexed by `CopyDirection`.
  std::array<CopySpeed, 2> speeds_{};
  std::array<std::unique_ptr<CopyThread>, 2> threads_;
  /// The thread for copies inside the device's memory.
  std::unique_ptr<CopyThread> inside_;
};

}  // namespace troupe::platform
