/// An OpenCL device's memory as one block of addresses.
#pragma once

#include <map>
#include <memory>

#include "platform/memory/address_range.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "platform/opencl/opencl_handles.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

/// Fails with `out_of_memory`, and a message with both sizes, if the device's buffers cannot have this many bytes.
[[nodiscard]] Result<void> check_buffer_size(const OpenClDevice& device, Bytes size);

/// The memory manager places data by offsets in one block; OpenCL has buffers, which have no addresses. Therefore the
/// block is a range of addresses without memory, and each piece of data that is placed there has a buffer, made when it
/// is first used.
///
/// The manager does not report a placement's end, and it need not: a buffer stays until its addresses are used for data
/// with another place or size, which the manager does only when the old data are of no use any more. The old buffer is
/// then released before the new one is made. Data that are placed at the same address with the same size have the same
/// buffer, so data that come and go cost no calls. Buffers never overlap: together they never take more than the block
/// has. Thread-safe.
class OpenClBuffers {
 public:
  /// Makes the buffers' block. `capacity` is above zero. The context must outlive them. Fails with `out_of_memory`.
  [[nodiscard]] static Result<std::unique_ptr<OpenClBuffers>> make(const OpenClDevice& device, cl_context context,
                                                                   Bytes capacity);

  [[nodiscard]] std::byte* begin() const { return range_.begin(); }
  [[nodiscard]] Bytes capacity() const { return range_.size(); }

  /// Returns the buffer of the data that are placed at this address of the block and have this whole size. The buffer
  /// stays as long as the data are there. Fails with `out_of_memory` if the driver has no memory, or makes no buffer of
  /// that size.
  [[nodiscard]] Result<cl_mem> at(const std::byte* address, Bytes size);

  /// Releases all buffers; afterwards no data have a buffer.
  void clear();

  /// Returns how many bytes of the device's memory the buffers take.
  [[nodiscard]] Bytes used() const;

 private:
  struct Placed {
    Bytes size;
    OpenClBuffer buffer;
  };

  OpenClBuffers(const OpenClDevice& device, cl_context context, AddressRange range);
  void drop_between(const std::byte* begin, const std::byte* end) TROUPE_REQUIRES(mutex_);

  const OpenClDevice device_;
  const cl_context context_;
  const AddressRange range_;
  mutable Mutex mutex_;
  std::map<const std::byte*, Placed> placed_ TROUPE_GUARDED_BY(mutex_);
  Bytes used_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::platform
