/// An OpenCL device's memory as one block of addresses.
#pragma once

#include <map>
#include <memory>

#include "platform/memory/address_range.hpp"
#include "platform/opencl/opencl_devices.hpp"
#include "platform/opencl/opencl_objects.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

/// Fails with `out_of_memory`, and a message with both sizes, if the device's buffers cannot have this many bytes.
[[nodiscard]] Result<void> check_buffer_size(const OpenClDevice& device, Bytes size);

/// The memory manager places data by offsets in one block; OpenCL has buffers, which have no addresses. Therefore the
/// block is a range of addresses without memory. Each piece of data that is placed there has a buffer, which is made at
/// its first use.
///
/// The memory manager does not report when data leave the block, and does not have to. A buffer stays until the manager
/// uses its addresses for data with another place or size, which happens only when nobody needs the old data. The old
/// buffer is then released before the new one is made. Data that are placed at the same address with the same size have
/// the same buffer, so no driver calls are needed when such data leave and return. Buffers never overlap: together they
/// never take more memory than the size of the block. Thread-safe.
class OpenClBuffers {
 public:
  /// Makes the block and its buffers. `capacity` must be above zero. The context must outlive the buffers. Fails with
  /// `out_of_memory`.
  [[nodiscard]] static Result<std::unique_ptr<OpenClBuffers>> make(const OpenClDevice& device, cl_context context,
                                                                   Bytes capacity);

  [[nodiscard]] std::byte* begin() const { return range_.begin(); }
  [[nodiscard]] Bytes capacity() const { return range_.size(); }

  /// Returns the buffer of the data that are placed at this address of the block; `size` is the size of the whole data.
  /// The buffer stays as long as the data are there. Fails with `out_of_memory` if the driver has no memory, or makes
  /// no buffer of that size.
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
