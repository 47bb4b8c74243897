#include "platform/opencl/opencl_accelerator.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "platform/accelerators/link_measurement.hpp"
#include "platform/machine/host_memory.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_node.hpp"
#include "platform/opencl/opencl_unbound.hpp"

namespace troupe::platform {

namespace {

constexpr std::array kDirections{CopyDirection::to_device, CopyDirection::to_host};

std::string described(const OpenClDevice& device) {
  return fmt::format("OpenCL device {} ({})", device.index, device.name);
}

/// What to take of the device's memory.
Result<Bytes> block_size(const OpenClDevice& device, std::optional<Bytes> limit) {
  if (limit && limit->count == 0) {
    return Failure{ErrorCode::invalid_argument, described(device) + " was to be used with no memory"};
  }
  if (limit && *limit > device.memory) {
    return Failure{ErrorCode::out_of_memory, fmt::format("{} bytes of memory were asked for on {}, which has {}",
                                                         limit->count, described(device), device.memory.count)};
  }
  if (limit) return *limit;
  std::uint64_t most = device.memory.count / 10 * 9;
  if (device.shares_host_memory) most = std::min(most, read_host_memory().available.count / 2);
  return Bytes{most};
}

}  // namespace

Result<std::unique_ptr<OpenClAccelerator>> OpenClAccelerator::open(const OpenClDevice& device,
                                                                   std::optional<Bytes> limit) {
  const Result<Bytes> size = block_size(device, limit);
  if (!size) return size.failure();
  const Result<_cl_context*> context = opencl_context(device);
  if (!context) return context.failure();
  std::unique_ptr<OpenClAccelerator> made(new OpenClAccelerator(device, context.value(), size.value()));
  // Queues start threads, too.
  const auto unbound = unbound_for_drivers();
  if (Result<void> reserved = made->reserve_addresses(); !reserved) return reserved.failure();
  if (Result<void> started = made->start_copies(); !started) return started.failure();
  if (Result<void> measured = made->measure(); !measured) return measured.failure();
  return made;
}

OpenClAccelerator::OpenClAccelerator(const OpenClDevice& device, cl_context context, Bytes capacity)
    : device_(device), context_(context), capacity_(capacity) {}

OpenClAccelerator::~OpenClAccelerator() {
  stop();
  for (const auto& [offset, buffer] : buffers_) device_.api->clReleaseMemObject(buffer.memory);
  for (const cl_command_queue queue : queues_) {
    if (queue != nullptr) device_.api->clReleaseCommandQueue(queue);
  }
  if (addresses_ != nullptr) ::munmap(addresses_, capacity_.count);
}

void OpenClAccelerator::stop() {
  for (const auto& engine : engines_) {
    if (engine != nullptr) engine->stop();
  }
}

std::string OpenClAccelerator::name() const { return described(device_); }

Result<void> OpenClAccelerator::check(cl_int status, const std::string& what, ErrorCode code) const {
  if (status == CL_SUCCESS) return {};
  return Failure{code, fmt::format("{} on {} failed: {}", what, name(), opencl_error(status))};
}

Result<void> OpenClAccelerator::reserve_addresses() {
  void* const mapped = ::mmap(nullptr, capacity_.count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("no {} bytes of addresses could be had to stand for the memory "
                               "of {} (ulimit -v?)",
                               capacity_.count, name())};
  }
  addresses_ = static_cast<std::byte*>(mapped);
  return {};
}

Result<cl_command_queue> OpenClAccelerator::make_queue() const {
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue =
      device_.api->clCreateCommandQueue(context_, device_.id, CL_QUEUE_PROFILING_ENABLE, &status);
  if (Result<void> made = check(status, "making a queue", ErrorCode::platform); !made) return made.failure();
  return queue;
}

Result<void> OpenClAccelerator::start_copies() {
  for (const CopyDirection direction : kDirections) {
    const Result<cl_command_queue> queue = make_queue();
    if (!queue) return queue.failure();
    queues_[index_of(direction)] = queue.value();
    CopyEngine::Options options;
    options.name = fmt::format("opencl {}{}", direction == CopyDirection::to_device ? "in " : "out ", device_.index);
    options.speed = {Duration{}, 1};
    options.transfer = [this, direction](const BlockCopy& copy) { return transfer(direction, copy); };
    engines_[index_of(direction)] = std::make_unique<CopyEngine>(std::move(options));
  }
  return {};
}

Result<void> OpenClAccelerator::measure() {
  constexpr std::size_t kMeasured = std::size_t{1} << 20U;
  const std::size_t bytes = std::min(
      {kMeasured, static_cast<std::size_t>(capacity_.count), static_cast<std::size_t>(device_.largest_buffer.count)});
  std::vector<std::byte> host(bytes);
  for (const CopyDirection direction : kDirections) {
    // Too little memory to be measured: as fast as host memory often is.
    speeds_[index_of(direction)] = {std::chrono::microseconds(10), 8e9};
    const auto times = time_copies(*this, direction, host);
    if (times) {
      speeds_[index_of(direction)] = copy_speed_of(times.value());
    } else if (times.failure().code != ErrorCode::invalid_argument) {
      return times.failure();
    }
  }
  return {};
}

void OpenClAccelerator::copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent,
                             CopyDone done) {
  engines_[index_of(direction)]->copy(copy, number, urgent, std::move(done));
}

void OpenClAccelerator::hurry(CopyNumber number) {
  for (const auto& engine : engines_) engine->hurry(number);
}

void OpenClAccelerator::copy_from(Accelerator& /*source*/, const BlockCopy& /*copy*/, CopyNumber /*number*/,
                                  bool /*urgent*/, CopyDone done) {
  done(Failure{ErrorCode::transfer_failed, name() + " has no way to other devices' memory"});
}

Result<void> OpenClAccelerator::transfer(CopyDirection direction, const BlockCopy& copy) {
  if (copy.bytes().count == 0) return {};
  const bool in = direction == CopyDirection::to_device;
  const std::byte* const place = in ? copy.to : copy.from;
  // Copies of a whole piece, without gaps there.
  if (Result<void> there = provide(place, copy.bytes().count); !there) return there;
  const cl_mem buffer = buffer_at(place);
  const cl_command_queue queue = queues_[index_of(direction)];
  const cl_icd_dispatch& api = *device_.api;
  const std::size_t host_pitch = in ? copy.from_pitch : copy.to_pitch;
  cl_int status = CL_SUCCESS;
  if (copy.columns == 1 || host_pitch == copy.column_bytes) {
    const std::size_t bytes = copy.bytes().count;
    status = in ? api.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, copy.from, 0, nullptr, nullptr)
                : api.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, copy.to, 0, nullptr, nullptr);
  } else {
    const std::array<std::size_t, 3> origin{};
    const std::array<std::size_t, 3> region{copy.column_bytes, copy.columns, 1};
    const std::size_t pitch = copy.column_bytes;
    status = in ? api.clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin.data(), origin.data(), region.data(),
                                               pitch, 0, host_pitch, 0, copy.from, 0, nullptr, nullptr)
                : api.clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin.data(), origin.data(), region.data(),
                                              pitch, 0, host_pitch, 0, copy.to, 0, nullptr, nullptr);
  }
  return check(status, in ? "a copy to a buffer" : "a copy from a buffer", ErrorCode::transfer_failed);
}

Result<void> OpenClAccelerator::provide(const std::byte* address, std::size_t bytes) {
  if (bytes == 0) return {};
  const auto offset = static_cast<std::size_t>(address - addresses_);
  const LockGuard lock(mutex_);
  const auto known = buffers_.find(offset);
  if (known != buffers_.end() && known->second.bytes == bytes) return {};
  if (Bytes{bytes} > device_.largest_buffer) {
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("data of {} bytes cannot be on {}, whose largest buffer has {}: use smaller pieces",
                               bytes, name(), device_.largest_buffer.count)};
  }
  drop_overlapping(offset, offset + bytes);
  cl_int status = CL_SUCCESS;
  const cl_mem memory = device_.api->clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  if (Result<void> made = check(status, fmt::format("a buffer of {} bytes", bytes), ErrorCode::out_of_memory); !made) {
    return made;
  }
  buffers_.emplace(offset, Buffer{memory, bytes});
  return {};
}

void OpenClAccelerator::drop_overlapping(std::size_t begin, std::size_t end) {
  auto one = buffers_.upper_bound(begin);
  // The one before may reach into it.
  if (one != buffers_.begin() && std::prev(one)->first + std::prev(one)->second.bytes > begin) --one;
  while (one != buffers_.end() && one->first < end) {
    device_.api->clReleaseMemObject(one->second.memory);
    one = buffers_.erase(one);
  }
}

cl_mem OpenClAccelerator::buffer_at(const std::byte* address) const {
  const LockGuard lock(mutex_);
  const auto found = buffers_.find(static_cast<std::size_t>(address - addresses_));
  return found == buffers_.end() ? nullptr : found->second.memory;
}

Result<std::unique_ptr<Accelerator>> open_opencl_accelerator(const OpenClDevice& device, std::optional<Bytes> limit) {
  auto made = OpenClAccelerator::open(device, limit);
  if (!made) return made.failure();
  return std::unique_ptr<Accelerator>(std::move(made).value());
}

}  // namespace troupe::platform
