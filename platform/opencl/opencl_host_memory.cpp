#include "platform/opencl/opencl_host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "platform/opencl/opencl_buffers.hpp"
#include "platform/opencl/opencl_objects.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

namespace {

/// The size of OpenCL's largest type, for drivers that do not report an alignment.
constexpr std::size_t kWidestType = 128;

std::size_t alignment_of(const OpenClDevice& device) {
  cl_uint bits = 0;
  const cl_int status =
      device.api->clGetDeviceInfo(device.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
  return status == CL_SUCCESS && bits >= 8 ? bits / 8 : kWidestType;
}

/// Returns success if the command was enqueued, otherwise a failure with the text "WHAT DEVICE failed: …".
Result<void> sent(cl_int status, std::string_view what, const OpenClDevice& device) {
  const auto text = [&] { return fmt::format("{} {}", what, name_of(device)); };
  return opencl_check(status, text, ErrorCode::kernel_failed);
}

/// One plane of a block, as OpenCL copies it between host memory and a buffer without gaps.
struct Rectangle {
  std::array<std::size_t, 3> in_buffer{};
  std::array<std::size_t, 3> in_host{};
  std::array<std::size_t, 3> region{};
  std::byte* host = nullptr;
};

/// Calls `enqueue(rectangle, is_first, is_last)` for each plane, until a call fails. The commands of one queue run in
/// order. So only the first command has to wait for earlier events, and it is enough to wait for the last command.
template <class Enqueue>
cl_int by_planes(const HostBlock& block, const Enqueue& enqueue) {
  for (std::size_t i = 0; i < block.planes; ++i) {
    const Rectangle plane{.in_buffer = {0, i * block.columns, 0},
                          .region = {block.column_bytes, block.columns, 1},
                          .host = block.address + i * block.plane_pitch};
    const cl_int status = enqueue(plane, i == 0, i + 1 == block.planes);
    if (status != CL_SUCCESS) return status;
  }
  return CL_SUCCESS;
}

}  // namespace

class OpenClHostMemory::Buffers {
 public:
  /// The device must outlive this object.
  Buffers(const OpenClDevice& device, cl_context context, std::size_t alignment)
      : device_(device), context_(context), alignment_(alignment) {}
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  [[nodiscard]] Result<void> make_queues();
  [[nodiscard]] cl_command_queue queue() const { return queue_.get(); }
  [[nodiscard]] Result<Lent> lend(cl_command_queue queue, const Piece& piece, cl_event& last);
  [[nodiscard]] Result<void> bring_back(cl_command_queue queue, const Piece& piece, std::span<const cl_event> after,
                                        cl_event& last);
  void end(const Piece& piece) noexcept;
  void forget(const HostBlock& data) noexcept;
  [[nodiscard]] std::size_t size() const;

 private:
  /// The address, the bytes of a column, the number of columns, the pitch, the number of planes, and their pitch.
  using Key = std::tuple<std::byte*, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t>;
  struct Kept {
    OpenClBuffer buffer;
    bool in_place = false;
    /// True if the buffer is mapped; used for buffers in place only.
    bool mapped = false;
    int tasks = 0;
  };

  [[nodiscard]] static Key key_of(const HostBlock& block);
  [[nodiscard]] Result<Kept*> find(const HostBlock& block) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] cl_int show_device(cl_command_queue queue, const Piece& piece, Kept& kept, cl_event& last)
      TROUPE_REQUIRES(mutex_);
  [[nodiscard]] cl_int copy_back(cl_command_queue queue, const Piece& piece, const Kept& kept,
                                 std::span<const cl_event> after, cl_event& last);
  void give_up(const Key& key, Kept kept) noexcept;

  const OpenClDevice& device_;
  const cl_context context_;
  const std::size_t alignment_;
  OpenClQueue queue_;
  /// The queue for commands that must not wait for kernels.
  OpenClQueue idle_queue_;
  mutable Mutex mutex_;
  std::map<Key, Kept> kept_ TROUPE_GUARDED_BY(mutex_);
};

OpenClHostMemory::Buffers::~Buffers() {
  std::map<Key, Kept> all;
  {
    const LockGuard lock(mutex_);
    all.swap(kept_);
  }
  for (auto& [key, kept] : all) give_up(key, std::move(kept));
}

Result<void> OpenClHostMemory::Buffers::make_queues() {
  for (const bool profiled : {true, false}) {
    Result<OpenClQueue> made = make_opencl_queue(*device_.api, context_, device_.id, profiled);
    if (!made) return made.failure();
    (profiled ? queue_ : idle_queue_) = std::move(made).value();
  }
  return {};
}

OpenClHostMemory::Buffers::Key OpenClHostMemory::Buffers::key_of(const HostBlock& block) {
  if (block.in_one_run()) return {block.address, block.bytes().count, 1, 0, 1, 0};
  return {block.address, block.column_bytes, block.columns, block.pitch, block.planes, block.plane_pitch};
}

Result<OpenClHostMemory::Buffers::Kept*> OpenClHostMemory::Buffers::find(const HostBlock& block) {
  const Key key = key_of(block);
  if (const auto known = kept_.find(key); known != kept_.end()) return &known->second;
  if (auto fits = check_buffer_size(device_, block.bytes()); !fits) return fits.failure();
  Kept made;
  made.in_place = block.in_one_run() && block.bytes().count > 0 &&
                  reinterpret_cast<std::uintptr_t>(block.address) % alignment_ == 0;
  // Data of zero bytes have a buffer, too, because OpenCL has no empty buffers.
  const std::size_t size = std::max<std::size_t>(1, block.bytes().count);
  cl_int status = CL_SUCCESS;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (made.in_place ? CL_MEM_USE_HOST_PTR : 0U);
  const cl_mem buffer =
      device_.api->clCreateBuffer(context_, flags, size, made.in_place ? block.address : nullptr, &status);
  if (status != CL_SUCCESS || buffer == nullptr) {
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("{} made no buffer of {} bytes{}: {}", name_of(device_), size,
                               made.in_place ? " over host memory" : "", opencl_error(status))};
  }
  made.buffer = OpenClBuffer(*device_.api, buffer);
  return &kept_.emplace(key, std::move(made)).first->second;
}

Result<OpenClTaskData::Lent> OpenClHostMemory::Buffers::lend(cl_command_queue queue, const Piece& piece,
                                                             cl_event& last) {
  const LockGuard lock(mutex_);
  const Result<Kept*> found = find(piece.block);
  if (!found) return found.failure();
  Kept& kept = *found.value();
  if (auto shown = sent(show_device(queue, piece, kept, last), "giving data to", device_); !shown) {
    // After this failure the buffer's content is unknown, so the next task must get another buffer.
    if (kept.tasks == 0) kept_.erase(key_of(piece.block));
    return shown.failure();
  }
  ++kept.tasks;
  const cl_mem buffer = kept.buffer.get();
  // For copied data, the address of the buffer object stands for the data. Their address in host memory would not be
  // unique: an empty piece of data, or the first part of a matrix, begins where other data begin.
  return Lent{buffer, kept.in_place ? piece.block.address : reinterpret_cast<std::byte*>(buffer)};
}

cl_int OpenClHostMemory::Buffers::show_device(cl_command_queue queue, const Piece& piece, Kept& kept, cl_event& last) {
  const HostBlock& block = piece.block;
  const _cl_icd_dispatch& api = *device_.api;
  if (kept.in_place) {
    if (!std::exchange(kept.mapped, false)) return CL_SUCCESS;
    return api.clEnqueueUnmapMemObject(queue, kept.buffer.get(), block.address, 0, nullptr, &last);
  }
  if (piece.mode == AccessMode::write || block.bytes().count == 0) return CL_SUCCESS;
  if (block.in_one_run()) {
    return api.clEnqueueWriteBuffer(queue, kept.buffer.get(), CL_FALSE, 0, block.bytes().count, block.address, 0,
                                    nullptr, &last);
  }
  const cl_int status = by_planes(block, [&](const Rectangle& r, bool /*is_first*/, bool is_last) {
    return api.clEnqueueWriteBufferRect(queue, kept.buffer.get(), CL_FALSE, r.in_buffer.data(), r.in_host.data(),
                                        r.region.data(), block.column_bytes, 0, block.pitch, 0, r.host, 0, nullptr,
                                        is_last ? &last : nullptr);
  });
  // Planes that were sent before the failed plane still read the memory.
  if (status != CL_SUCCESS) (void)api.clFinish(queue);
  return status;
}

Result<void> OpenClHostMemory::Buffers::bring_back(cl_command_queue queue, const Piece& piece,
                                                   std::span<const cl_event> after, cl_event& last) {
  const LockGuard lock(mutex_);
  const auto found = kept_.find(key_of(piece.block));
  assert(found != kept_.end() && "what is brought back has been lent");
  Kept& kept = found->second;
  if (!kept.in_place) return sent(copy_back(queue, piece, kept, after, last), "copying data back from", device_);
  const auto count = static_cast<cl_uint>(after.size());
  cl_int status = CL_SUCCESS;
  const void* const place = device_.api->clEnqueueMapBuffer(queue, kept.buffer.get(), CL_FALSE,
                                                            CL_MAP_READ | CL_MAP_WRITE, 0, piece.block.bytes().count,
                                                            count, count == 0 ? nullptr : after.data(), &last, &status);
  if (auto mapped = sent(status, "taking data back from", device_); !mapped) return mapped;
  kept.mapped = place == piece.block.address;
  if (kept.mapped) return {};
  (void)device_.api->clEnqueueUnmapMemObject(queue, kept.buffer.get(), const_cast<void*>(place), 0, nullptr, nullptr);
  return Failure{ErrorCode::kernel_failed, name_of(device_) + " has mapped host memory elsewhere"};
}

cl_int OpenClHostMemory::Buffers::copy_back(cl_command_queue queue, const Piece& piece, const Kept& kept,
                                            std::span<const cl_event> after, cl_event& last) {
  const HostBlock& block = piece.block;
  if (piece.mode == AccessMode::read || block.bytes().count == 0) return CL_SUCCESS;
  const auto count = static_cast<cl_uint>(after.size());
  const cl_event* const events = count == 0 ? nullptr : after.data();
  if (block.in_one_run()) {
    return device_.api->clEnqueueReadBuffer(queue, kept.buffer.get(), CL_FALSE, 0, block.bytes().count, block.address,
                                            count, events, &last);
  }
  return by_planes(block, [&](const Rectangle& r, bool is_first, bool is_last) {
    return device_.api->clEnqueueReadBufferRect(
        queue, kept.buffer.get(), CL_FALSE, r.in_buffer.data(), r.in_host.data(), r.region.data(), block.column_bytes,
        0, block.pitch, 0, r.host, is_first ? count : 0, is_first ? events : nullptr, is_last ? &last : nullptr);
  });
}

void OpenClHostMemory::Buffers::end(const Piece& piece) noexcept {
  const LockGuard lock(mutex_);
  const auto found = kept_.find(key_of(piece.block));
  assert(found != kept_.end() && found->second.tasks > 0 && "what ends has been lent");
  --found->second.tasks;
}

void OpenClHostMemory::Buffers::forget(const HostBlock& data) noexcept {
  Kept kept;
  const Key key = key_of(data);
  {
    const LockGuard lock(mutex_);
    const auto found = kept_.find(key);
    // A task may use this buffer for other data in the same memory. Then the buffer stays until those data are
    // forgotten.
    if (found == kept_.end() || found->second.tasks > 0) return;
    kept = std::move(found->second);
    kept_.erase(found);
  }
  give_up(key, std::move(kept));
}

void OpenClHostMemory::Buffers::give_up(const Key& key, Kept kept) noexcept {
  if (!kept.mapped) return;
  (void)device_.api->clEnqueueUnmapMemObject(idle_queue_.get(), kept.buffer.get(), std::get<0>(key), 0, nullptr,
                                             nullptr);
  (void)device_.api->clFinish(idle_queue_.get());
}

std::size_t OpenClHostMemory::Buffers::size() const {
  const LockGuard lock(mutex_);
  return kept_.size();
}

Result<std::unique_ptr<OpenClHostMemory>> OpenClHostMemory::open(const OpenClDevice& device, std::size_t alignment) {
  const Result<OpenClContext> context = opencl_context(device);
  if (!context) return context.failure();
  if (alignment == 0) alignment = alignment_of(device);
  std::unique_ptr<OpenClHostMemory> made(new OpenClHostMemory(device, context.value(), alignment));
  if (auto queues = made->buffers_->make_queues(); !queues) {
    return Failure{queues.failure().code, made->name() + ": " + queues.failure().message};
  }
  return made;
}

OpenClHostMemory::OpenClHostMemory(const OpenClDevice& device, OpenClContext context, std::size_t alignment)
    : device_(device),
      context_(std::move(context)),
      buffers_(std::make_unique<Buffers>(device_, context_.get(), alignment)) {}

OpenClHostMemory::~OpenClHostMemory() = default;

cl_command_queue OpenClHostMemory::only_queue() const { return buffers_->queue(); }

Result<OpenClTaskData::Lent> OpenClHostMemory::lend(cl_command_queue queue, const Piece& piece, cl_event& last) {
  return buffers_->lend(queue, piece, last);
}

Result<void> OpenClHostMemory::bring_back(cl_command_queue queue, const Piece& piece, std::span<const cl_event> after,
                                          cl_event& last) {
  return buffers_->bring_back(queue, piece, after, last);
}

void OpenClHostMemory::end(const Piece& piece) noexcept { buffers_->end(piece); }

void OpenClHostMemory::forget(const HostBlock& data) noexcept { buffers_->forget(data); }

std::size_t OpenClHostMemory::buffers() const { return buffers_->size(); }

}  // namespace troupe::platform
