#include "platform/opencl/opencl_accelerator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "platform/accelerators/link_measurement.hpp"
#include "platform/machine/clock.hpp"
#include "platform/machine/host_memory.hpp"
#include "platform/memory/host_buffer.hpp"
#include "platform/opencl/opencl_buffers.hpp"
#include "platform/opencl/opencl_objects.hpp"

namespace troupe::platform {

namespace {

constexpr std::array kDirections{CopyDirection::to_device, CopyDirection::to_host};
/// The sizes of the copies that are measured: enough to tell the latency of copies from their speed, and small enough
/// to take little time.
constexpr std::array kMeasuredSizes{std::size_t{64} << 10U, std::size_t{1} << 20U};
constexpr int kMeasurements = 3;

Failure unusable(const OpenClDevice& device, ErrorCode code, const std::string& what) {
  return {code, name_of(device) + ": " + what};
}

/// Checks that the driver has the functions of OpenCL 1.2 that Troupe calls.
Result<void> check_functions(const OpenClDevice& device) {
  const _cl_icd_dispatch& api = *device.api;
  const bool all = api.clCreateContext != nullptr && api.clCreateBuffer != nullptr &&
                   api.clCreateCommandQueue != nullptr && api.clEnqueueReadBufferRect != nullptr &&
                   api.clEnqueueWriteBufferRect != nullptr && api.clEnqueueCopyBuffer != nullptr &&
                   api.clEnqueueCopyBufferRect != nullptr && api.clEnqueueMarkerWithWaitList != nullptr &&
                   api.clSetEventCallback != nullptr;
  if (all) return {};
  return unusable(device, ErrorCode::platform, "its driver lacks functions of OpenCL 1.2: it is of " + device.version);
}

Result<Bytes> capacity_of(const OpenClDevice& device, std::optional<Bytes> wanted, int sharing) {
  if (wanted) {
    if (wanted->count > 0 && *wanted <= device.memory) return *wanted;
    return unusable(
        device, ErrorCode::invalid_argument,
        fmt::format("{} bytes of memory were asked for, and it has {}", wanted->count, device.memory.count));
  }
  std::uint64_t capacity = device.memory.count / 10 * 9;
  if (device.shares_host_memory) {
    const std::uint64_t available = read_host_memory().available.count;
    capacity = std::min(capacity, available / 2 / static_cast<std::uint64_t>(std::max(1, sharing)));
  }
  return Bytes{std::max<std::uint64_t>(capacity, kMeasuredSizes.back())};
}

/// Returns the position of a byte in a buffer, in the form that OpenCL's copies of rectangles take: byte in the column,
/// then column.
std::array<std::size_t, 3> origin_of(std::size_t offset, std::size_t pitch) {
  return {offset % pitch, offset / pitch, 0};
}

}  // namespace

struct OpenClAccelerator::Queues {
  OpenClQueue to_device;
  OpenClQueue to_host;
  OpenClQueue inside;
};

Result<std::unique_ptr<OpenClAccelerator>> OpenClAccelerator::open(const OpenClDevice& device,
                                                                   std::optional<Bytes> capacity, int sharing) {
  if (auto usable = check_functions(device); !usable) return usable.failure();
  const Result<Bytes> size = capacity_of(device, capacity, sharing);
  if (!size) return size.failure();
  const Result<OpenClContext> context = opencl_context(device);
  if (!context) return context.failure();
  auto buffers = OpenClBuffers::make(device, context.value().get(), size.value());
  if (!buffers) return unusable(device, buffers.failure().code, buffers.failure().message);
  std::unique_ptr<OpenClAccelerator> made(new OpenClAccelerator(device, context.value(), std::move(buffers).value()));
  if (auto queues = made->make_queues(); !queues)
    return unusable(device, queues.failure().code, queues.failure().message);
  if (auto measured = made->measure(); !measured) return measured.failure();
  made->start_threads();
  return made;
}

OpenClAccelerator::OpenClAccelerator(const OpenClDevice& device, OpenClContext context,
                                     std::unique_ptr<OpenClBuffers> buffers)
    : device_(device),
      context_(std::move(context)),
      name_(name_of(device)),
      buffers_(std::move(buffers)),
      queues_(std::make_unique<Queues>()) {}

OpenClAccelerator::~OpenClAccelerator() { stop(); }

Result<OpenClTaskData::Lent> OpenClAccelerator::lend(cl_command_queue /*queue*/, const Piece& piece,
                                                     cl_event& /*last*/) {
  const Result<_cl_mem*> buffer = buffer_at(piece.block.address, piece.block.bytes());
  if (!buffer) return buffer.failure();
  return Lent{buffer.value(), piece.block.address};
}

Result<_cl_mem*> OpenClAccelerator::buffer_at(const std::byte* address, Bytes size) {
  return buffers_->at(address, size);
}

std::byte* OpenClAccelerator::memory() const { return buffers_->begin(); }

Bytes OpenClAccelerator::capacity() const { return buffers_->capacity(); }

void OpenClAccelerator::stop() {
  // If opening the accelerator failed, some threads may not exist.
  for (const auto& thread : threads_) {
    if (thread) thread->stop();
  }
  if (inside_) inside_->stop();
}

Result<void> OpenClAccelerator::make_queues() {
  for (OpenClQueue* queue : {&queues_->to_device, &queues_->to_host, &queues_->inside}) {
    Result<OpenClQueue> made = make_opencl_queue(*device_.api, context_.get(), device_.id, false);
    if (!made) return made.failure();
    *queue = std::move(made).value();
  }
  return {};
}

Result<void> OpenClAccelerator::measure() {
  const std::size_t most =
      std::min<std::size_t>({kMeasuredSizes.back(), capacity().count, device_.largest_buffer.count});
  Result<HostBuffer> host = HostBuffer::allocate({most});
  if (!host) return host.failure();
  const SteadyClock clock;
  for (const CopyDirection direction : kDirections) {
    std::vector<CopyTime> times;
    for (const std::size_t wanted : kMeasuredSizes) {
      const std::size_t size = std::min(wanted, most);
      if (!times.empty() && times.back().size.count == size) break;
      const bool to_device = direction == CopyDirection::to_device;
      std::byte* const near = host.value().data();
      const BlockCopy copy{to_device ? near : memory(), size, to_device ? memory() : near, size, size, 1};
      std::array<Duration, kMeasurements> taken{};
      // The first copy makes the buffer, so it is not timed.
      if (auto first = perform(direction, copy); !first) return first;
      for (Duration& one : taken) {
        const TimeStamp begin = clock.now();
        if (auto copied = perform(direction, copy); !copied) return copied;
        one = std::max(clock.now() - begin, Duration(1));
      }
      std::ranges::sort(taken);
      times.push_back({{size}, taken[kMeasurements / 2]});
    }
    speeds_[index_of(direction)] = copy_speed_of(times);
  }
  buffers_->clear();
  return {};
}

void OpenClAccelerator::start_threads() {
  for (const CopyDirection direction : kDirections) {
    const bool to_device = direction == CopyDirection::to_device;
    threads_[index_of(direction)] = std::make_unique<CopyThread>(
        CopyThread::Options{.name = fmt::format("opencl {} {}", to_device ? "to" : "from", device_.index),
                            .what = (to_device ? "copy to " : "copy from ") + name_,
                            .copy = [this, direction](const BlockCopy& copy) { return perform(direction, copy); }});
  }
  inside_ = std::make_unique<CopyThread>(
      CopyThread::Options{.name = fmt::format("opencl in {}", device_.index),
                          .what = "copy inside " + name_,
                          .copy = [this](const BlockCopy& copy) { return perform_inside(copy); }});
}

Result<OpenClAccelerator::Place> OpenClAccelerator::place_of(const std::byte* address, std::size_t span,
                                                             std::span<const std::byte> data) {
  const std::byte* const begin = data.empty() ? address : data.data();
  const Result<cl_mem> buffer = buffers_->at(begin, {data.empty() ? span : data.size()});
  if (!buffer) return Failure{ErrorCode::transfer_failed, buffer.failure().message};
  return Place{buffer.value(), static_cast<std::size_t>(address - begin)};
}

Result<void> OpenClAccelerator::perform(CopyDirection direction, const BlockCopy& copy) {
  const bool to_device = direction == CopyDirection::to_device;
  const Result<Place> place = to_device ? place_of(copy.to, copy.to_span(), copy.to_data)
                                        : place_of(copy.from, copy.from_span(), copy.from_data);
  if (!place) return place.failure();
  const cl_int status = to_device ? write(place.value(), copy) : read(place.value(), copy);
  if (status != CL_SUCCESS &&
      device_.api->clFinish((to_device ? queues_->to_device : queues_->to_host).get()) != CL_SUCCESS) {
    // If `clFinish` fails, the reason cannot be the copy, so the device is lost.
    note_loss();
  }
  return opencl_check(status, (to_device ? "a copy to " : "a copy from ") + name_, ErrorCode::transfer_failed);
}

Result<void> OpenClAccelerator::perform_inside(const BlockCopy& copy) {
  const Result<Place> from = place_of(copy.from, copy.from_span(), copy.from_data);
  if (!from) return from.failure();
  const Result<Place> to = place_of(copy.to, copy.to_span(), copy.to_data);
  if (!to) return to.failure();
  const cl_int status = move(from.value(), to.value(), copy);
  // The copy only counts when it has ended. If `clFinish` fails, the reason cannot be the copy, so the device is lost.
  const cl_int ended = device_.api->clFinish(queues_->inside.get());
  if (ended != CL_SUCCESS) note_loss();
  return opencl_check(status != CL_SUCCESS ? status : ended, "a copy inside " + name_, ErrorCode::transfer_failed);
}

int OpenClAccelerator::move(const Place& from, const Place& to, const BlockCopy& copy) {
  const cl_command_queue queue = queues_->inside.get();
  if (copy.in_one_run()) {
    return device_.api->clEnqueueCopyBuffer(queue, from.buffer, to.buffer, from.offset, to.offset, copy.bytes().count,
                                            0, nullptr, nullptr);
  }
  for (std::size_t i = 0; i < copy.planes; ++i) {
    const auto from_origin = origin_of(from.offset + i * copy.from_plane_pitch, copy.from_pitch);
    const auto to_origin = origin_of(to.offset + i * copy.to_plane_pitch, copy.to_pitch);
    const std::size_t region[3]{copy.column_bytes, copy.columns, 1};
    const cl_int status =
        device_.api->clEnqueueCopyBufferRect(queue, from.buffer, to.buffer, from_origin.data(), to_origin.data(),
                                             region, copy.from_pitch, 0, copy.to_pitch, 0, 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

int OpenClAccelerator::write(const Place& to, const BlockCopy& copy) {
  const cl_command_queue queue = queues_->to_device.get();
  if (copy.in_one_run()) {
    return device_.api->clEnqueueWriteBuffer(queue, to.buffer, CL_TRUE, to.offset, copy.bytes().count, copy.from, 0,
                                             nullptr, nullptr);
  }
  // One copy in three dimensions is not enough: the distance between its planes must be a multiple of the pitch.
  for (std::size_t i = 0; i < copy.planes; ++i) {
    constexpr std::size_t kOrigin[3]{};
    const std::size_t region[3]{copy.column_bytes, copy.columns, 1};
    const cl_int status = device_.api->clEnqueueWriteBufferRect(
        queue, to.buffer, CL_TRUE, origin_of(to.offset + i * copy.to_plane_pitch, copy.to_pitch).data(), kOrigin,
        region, copy.to_pitch, 0, copy.from_pitch, 0, copy.plane(i).from, 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

int OpenClAccelerator::read(const Place& from, const BlockCopy& copy) {
  const cl_command_queue queue = queues_->to_host.get();
  if (copy.in_one_run()) {
    return device_.api->clEnqueueReadBuffer(queue, from.buffer, CL_TRUE, from.offset, copy.bytes().count, copy.to, 0,
                                            nullptr, nullptr);
  }
  for (std::size_t i = 0; i < copy.planes; ++i) {
    constexpr std::size_t kOrigin[3]{};
    const std::size_t region[3]{copy.column_bytes, copy.columns, 1};
    const cl_int status = device_.api->clEnqueueReadBufferRect(
        queue, from.buffer, CL_TRUE, origin_of(from.offset + i * copy.from_plane_pitch, copy.from_pitch).data(),
        kOrigin, region, copy.from_pitch, 0, copy.to_pitch, 0, copy.plane(i).to, 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

void OpenClAccelerator::copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent,
                             CopyDone done) {
  threads_[index_of(direction)]->add(copy, number, urgent, std::move(done));
}

void OpenClAccelerator::hurry(CopyNumber number) {
  for (const auto& thread : threads_) thread->hurry(number);
  inside_->hurry(number);
}

void OpenClAccelerator::copy_from(Accelerator& /*source*/, const BlockCopy& /*copy*/, CopyNumber number, bool urgent,
                                  CopyDone done) {
  assert(false && "an OpenCL device reaches no other: contexts have one device each");
  // An empty copy delivers the failure, because `done` must not be called inside this call.
  threads_[0]->add({}, number, urgent, [end = std::move(done)](const Result<void>&) {
    end(Failure{ErrorCode::transfer_failed, "OpenCL devices do not copy from one another"});
  });
}

void OpenClAccelerator::copy_inside(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) {
  inside_->add(copy, number, urgent, std::move(done));
}

CopyTraffic OpenClAccelerator::traffic(CopyDirection direction) const {
  return threads_[index_of(direction)]->traffic();
}

}  // namespace troupe::platform
