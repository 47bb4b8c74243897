#include "platform/cuda/cuda_accelerator.hpp"

#include <algorithm>
#include <utility>

#include "platform/cuda/cuda_copy_speed.hpp"
#include "platform/cuda/cuda_pinned_memory.hpp"
#include "platform/cuda/cuda_thread.hpp"

namespace troupe::platform {

namespace {

constexpr Bytes kMeasuredCopy{std::uint64_t{16} << 20};

}  // namespace

OpenCudaAccelerator::OpenCudaAccelerator(const CudaApi& api, const CudaDeviceInfo& info, CudaMemory memory,
                                         Bytes capacity)
    : api_(api),
      index_(info.index),
      name_("GPU " + std::to_string(info.index) + " (" + info.name + ")"),
      model_(info.name),
      memory_(std::move(memory)),
      capacity_(capacity) {
  cuda_opened(index_);
}

Result<std::unique_ptr<CudaAccelerator>> OpenCudaAccelerator::open(const CudaApi& api, const CudaDeviceInfo& info,
                                                                   Bytes size) {
  Result<CudaMemory> memory = make_cuda_memory(api, size);
  if (!memory) return memory.failure();
  std::unique_ptr<OpenCudaAccelerator> made(new OpenCudaAccelerator(api, info, std::move(memory).value(), size));
  if (Result<void> measured = made->measure(); !measured) return measured.failure();
  if (Result<void> started = made->start_engines(); !started) return started.failure();
  return std::unique_ptr<CudaAccelerator>(std::move(made));
}

OpenCudaAccelerator::~OpenCudaAccelerator() {
  stop();
  cuda_closed(index_);
  // The calling thread may have another device as its current one, so a separate thread releases the GPU's resources.
  on_thread_of_its_own([this] {
    (void)api_.cudaSetDevice(index_);
    for (auto& engine : engines_) engine.reset();
    peer_engine_.reset();
    inside_engine_.reset();
    memory_.reset();
  });
}

void OpenCudaAccelerator::stop() {
  // An accelerator that failed to open does not have all engines.
  for (const auto& engine : engines_) {
    if (engine) engine->stop();
  }
  if (peer_engine_) peer_engine_->stop();
  if (inside_engine_) inside_engine_->stop();
}

Result<void> OpenCudaAccelerator::measure() {
  const Bytes size = std::min(kMeasuredCopy, capacity_);
  Result<CudaStream> stream = make_cuda_stream(api_);
  if (!stream) return stream.failure();
  Result<CudaPinnedMemory> host = make_cuda_pinned_memory(api_, size);
  if (!host) return host.failure();
  auto* const pinned = static_cast<std::byte*>(host.value().get());
  for (const CopyDirection direction : {CopyDirection::to_device, CopyDirection::to_host}) {
    const bool to_device = direction == CopyDirection::to_device;
    Result<CopySpeed> speed =
        to_device ? measure_copies(api_, stream.value().get(), memory(), pinned, size, cudaMemcpyHostToDevice)
                  : measure_copies(api_, stream.value().get(), pinned, memory(), size, cudaMemcpyDeviceToHost);
    if (!speed) return speed.failure();
    speeds_[index_of(direction)] = speed.value();
  }
  return {};
}

Result<void> OpenCudaAccelerator::start_engines() {
  CudaCopyEngine::Options options;
  options.api = &api_;
  options.device = index_;
  options.device_name = name_;
  options.loss = loss_;
  const auto start = [&](std::unique_ptr<CudaCopyEngine>& engine) -> Result<void> {
    Result<std::unique_ptr<CudaCopyEngine>> made = CudaCopyEngine::make(options);
    if (!made) return made.failure();
    engine = std::move(made).value();
    return {};
  };
  // The first engine, for copies between GPUs, keeps the kind cudaMemcpyDefault: with it, CUDA finds the two GPUs of a
  // copy from the addresses.
  options.what = "copy from another GPU";
  if (Result<void> started = start(peer_engine_); !started) return started;
  options.what = "copy inside the GPU";
  options.kind = cudaMemcpyDeviceToDevice;
  if (Result<void> started = start(inside_engine_); !started) return started;
  options.what = "copy to the GPU";
  options.kind = cudaMemcpyHostToDevice;
  options.from_host = true;
  options.speed = speeds_[index_of(CopyDirection::to_device)];
  if (Result<void> started = start(engines_[index_of(CopyDirection::to_device)]); !started) return started;
  options.what = "copy from the GPU";
  options.kind = cudaMemcpyDeviceToHost;
  options.from_host = false;
  options.to_host = true;
  options.speed = speeds_[index_of(CopyDirection::to_host)];
  return start(engines_[index_of(CopyDirection::to_host)]);
}

void OpenCudaAccelerator::copy(CopyDirection direction, const BlockCopy& copy, CopyNumber number, bool urgent,
                               CopyDone done) {
  engines_[index_of(direction)]->add(copy, number, urgent, std::move(done));
}

void OpenCudaAccelerator::hurry(CopyNumber number) {
  for (const auto& engine : engines_) engine->hurry(number);
  peer_engine_->hurry(number);
  inside_engine_->hurry(number);
}

bool OpenCudaAccelerator::reaches(const Accelerator& source) const {
  const auto* const other = dynamic_cast<const CudaAccelerator*>(&source);
  if (other == nullptr || other->index() == index_) return false;
  const LockGuard lock(mutex_);
  const auto found = reached_.find(other->index());
  if (found != reached_.end()) return found->second;
  return reached_[other->index()] = enable_access_to(other->index());
}

bool OpenCudaAccelerator::enable_access_to(int other) const {
  return on_thread_of_its_own([&]() TROUPE_REQUIRES(mutex_) {
    int can = 0;
    if (api_.cudaSetDevice(index_) != cudaSuccess) return false;
    if (api_.cudaDeviceCanAccessPeer(&can, index_, other) != cudaSuccess || can == 0) return false;
    const cudaError_t status = api_.cudaDeviceEnablePeerAccess(other, 0);
    if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) return false;
    if (peer_speed_.bytes_per_s == 0) measure_peer(other);
    return true;
  });
}

void OpenCudaAccelerator::measure_peer(int other) const {
  // Measures with memory of its own, because the devices' blocks hold the program's data.
  Result<CudaMemory> to = make_cuda_memory(api_, kMeasuredCopy);
  Result<CudaStream> stream = make_cuda_stream(api_);
  if (!to || !stream || api_.cudaSetDevice(other) != cudaSuccess) return;
  Result<CudaMemory> from = make_cuda_memory(api_, kMeasuredCopy);
  if (!from || api_.cudaSetDevice(index_) != cudaSuccess) return;
  const Result<CopySpeed> speed =
      measure_copies(api_, stream.value().get(), static_cast<std::byte*>(to.value().get()),
                     static_cast<const std::byte*>(from.value().get()), kMeasuredCopy, cudaMemcpyDefault);
  if (speed) peer_speed_ = speed.value();
}

CopySpeed OpenCudaAccelerator::peer_speed() const {
  {
    const LockGuard lock(mutex_);
    if (peer_speed_.bytes_per_s > 0) return peer_speed_;
  }
  // The speed was not measured. The slower direction between host and device is the estimate. A copy through host
  // memory would reach half of this bandwidth.
  CopySpeed speed = speeds_[0];
  speed.bytes_per_s = std::min(speeds_[0].bytes_per_s, speeds_[1].bytes_per_s);
  return speed;
}

void OpenCudaAccelerator::copy_from(Accelerator& /*source*/, const BlockCopy& copy, CopyNumber number, bool urgent,
                                    CopyDone done) {
  peer_engine_->add(copy, number, urgent, std::move(done));
}

}  // namespace troupe::platform
