/// The memory of an OpenCL device as a memory node.
#pragma once

#include <CL/cl_icd.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/copy_engine.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

/// OpenCL has buffers, no addresses. So the block of memory is a range of addresses of this process without access, of
/// which a piece stands for a buffer of the same size. A buffer is made when something is first copied to its piece or
/// a kernel first uses it, and goes when another piece covers a part of it: by then the memory manager has given its
/// place to other data. Drivers keep buffers until the commands that use them have ended.
class OpenClAccelerator final : public Accelerator {
 public:
  /// `limit`: the most memory to take; else as `RuntimeOptions::opencl_memory` says. Measures what copies cost, in some
  /// milliseconds. Fails with `platform` where the driver does not give a context or queues, with `invalid_argument`
  /// for no memory, with `out_of_memory` for more than the device has.
  [[nodiscard]] static Result<std::unique_ptr<OpenClAccelerator>> open(const OpenClDevice& device,
                                                                       std::optional<Bytes> limit);
  ~OpenClAccelerator() override;
  OpenClAccelerator(const OpenClAccelerator&) = delete;
  OpenClAccelerator& operator=(const OpenClAccelerator&) = delete;

  void stop() override;
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string model() const override { return device_.name; }
  [[nodiscard]] std::byte* memory() const override { return addresses_; }
  [[nodiscard]] Bytes capacity() const override { return capacity_; }
  void copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  void hurry(CopyNumber number) override;
  /// Never called: it reaches no other.
  void copy_from(Accelerator& source, const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) override;
  [[nodiscard]] CopySpeed speed(CopyDirection direction) const override { return speeds_[index_of(direction)]; }
  [[nodiscard]] CopyTraffic traffic(CopyDirection direction) const override {
    return engines_[index_of(direction)]->traffic();
  }

  [[nodiscard]] const OpenClDevice& device() const { return device_; }
  [[nodiscard]] cl_context context() const { return context_; }
  /// A queue in order that measures; whoever asks releases it. Fails with `platform`.
  [[nodiscard]] Result<cl_command_queue> make_queue() const;
  /// Makes the buffer of a piece that data were placed at, where there is none. Fails with `out_of_memory` where the
  /// driver has no memory for it, and where it is larger than buffers of the device may be; the message says which.
  [[nodiscard]] Result<void> provide(const std::byte* address, std::size_t bytes);
  /// The buffer that begins at the address; null where none does. It stays while the data are there.
  [[nodiscard]] cl_mem buffer_at(const std::byte* address) const;

 private:
  struct Buffer {
    cl_mem memory = nullptr;
    std::size_t bytes = 0;
  };

  OpenClAccelerator(const OpenClDevice& device, cl_context context, Bytes capacity);
  [[nodiscard]] static std::size_t index_of(CopyDirection direction) { return static_cast<std::size_t>(direction); }
  [[nodiscard]] Result<void> reserve_addresses();
  [[nodiscard]] Result<void> start_copies();
  [[nodiscard]] Result<void> measure();
  /// In the engine's thread: returns when the bytes have arrived.
  [[nodiscard]] Result<void> transfer(CopyDirection direction, const BlockCopy& copy);
  [[nodiscard]] Result<void> check(cl_int status, const std::string& what, ErrorCode code) const;
  void drop_overlapping(std::size_t begin, std::size_t end) TROUPE_REQUIRES(mutex_);

  const OpenClDevice device_;
  const cl_context context_;
  const Bytes capacity_;
  std::byte* addresses_ = nullptr;
  /// By direction.
  std::array<cl_command_queue, 2> queues_{};
  std::array<CopySpeed, 2> speeds_{};
  std::array<std::unique_ptr<CopyEngine>, 2> engines_;

  mutable Mutex mutex_;
  /// By where they begin, in bytes from the begin of the block; none overlap.
  std::map<std::size_t, Buffer> buffers_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::platform
