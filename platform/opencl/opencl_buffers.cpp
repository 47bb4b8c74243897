#include "platform/opencl/opencl_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::platform {

namespace {

/// Buffers begin at multiples of this number, and their sizes are rounded up to it. So data whose sizes differ a little
/// share a buffer, and empty data have a buffer, too.
constexpr std::uint64_t kGrain = 256;

}  // namespace

Result<void> check_buffer_size(const OpenClDevice& device, Bytes size) {
  if (size <= device.largest_buffer) return {};
  return Failure{ErrorCode::out_of_memory,
                 fmt::format("data of {} bytes are more than the {} bytes that a buffer of OpenCL device {} ({}) may "
                             "have (CL_DEVICE_MAX_MEM_ALLOC_SIZE): divide them into parts",
                             size.count, device.largest_buffer.count, device.index, device.name)};
}

Result<std::unique_ptr<OpenClBuffers>> OpenClBuffers::make(const OpenClDevice& device, cl_context context,
                                                           Bytes capacity) {
  Result<AddressRange> range = AddressRange::reserve(capacity);
  if (!range) return range.failure();
  return std::unique_ptr<OpenClBuffers>(new OpenClBuffers(device, context, std::move(range).value()));
}

OpenClBuffers::OpenClBuffers(const OpenClDevice& device, cl_context context, AddressRange range)
    : device_(device), context_(context), range_(std::move(range)) {}

Result<cl_mem> OpenClBuffers::at(const std::byte* address, Bytes size) {
  assert(address >= begin() && address + size.count <= begin() + capacity().count && "data lie in the block");
  if (auto fits = check_buffer_size(device_, size); !fits) return fits.failure();
  const std::uint64_t grains = std::max<std::uint64_t>(1, (size.count + kGrain - 1) / kGrain);
  const Bytes taken{std::max(size.count, std::min(grains * kGrain, device_.largest_buffer.count))};
  const LockGuard lock(mutex_);
  const auto found = placed_.find(address);
  if (found != placed_.end() && found->second.size == taken) return found->second.buffer.get();
  drop_between(address, address + taken.count);
  cl_int status = CL_SUCCESS;
  const cl_mem buffer = device_.api->clCreateBuffer(context_, CL_MEM_READ_WRITE, taken.count, nullptr, &status);
  if (status != CL_SUCCESS || buffer == nullptr) {
    return Failure{
        ErrorCode::out_of_memory,
        fmt::format("OpenCL device {} ({}) made no buffer of {} bytes: {}; data here have taken {} of {} bytes",
                    device_.index, device_.name, taken.count, opencl_error(status), used_.count, capacity().count)};
  }
  placed_.emplace(address, Placed{taken, OpenClBuffer(*device_.api, buffer)});
  used_ += taken;
  return buffer;
}

void OpenClBuffers::drop_between(const std::byte* begin, const std::byte* end) {
  auto first = placed_.lower_bound(begin);
  // The buffer before `first` may reach into the range.
  if (first != placed_.begin()) {
    const auto before = std::prev(first);
    if (before->first + before->second.size.count > begin) first = before;
  }
  while (first != placed_.end() && first->first < end) {
    used_.count -= first->second.size.count;
    first = placed_.erase(first);
  }
}

void OpenClBuffers::clear() {
  const LockGuard lock(mutex_);
  placed_.clear();
  used_ = {};
}

Bytes OpenClBuffers::used() const {
  const LockGuard lock(mutex_);
  return used_;
}

}  // namespace troupe::platform
