#include "platform/cuda/cuda_copy_engine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "platform/cuda/cuda_pinned_memory.hpp"
#include "platform/cuda/cuda_range.hpp"

namespace troupe::platform {

namespace {

constexpr std::size_t kInFlight = 2;
/// The largest distance between two columns that CUDA's copies of rectangles take.
constexpr std::size_t kMostPitch = std::numeric_limits<std::int32_t>::max();
constexpr Bytes kStaging{std::uint64_t{4} << 20};
/// The sleeping thread wakes up this long before the expected end of a copy.
constexpr Duration kWakeUp = std::chrono::microseconds(60);
/// The thread polls for the end of a copy until this long after its expected end.
constexpr Duration kLook = std::chrono::microseconds(100);

TimeStamp now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

Result<std::unique_ptr<CudaCopyEngine>> CudaCopyEngine::make(Options options) {
  std::unique_ptr<CudaCopyEngine> engine(new CudaCopyEngine(std::move(options)));
  Result<CudaStream> stream = make_cuda_stream(*engine->options_.api);
  if (!stream) return stream.failure();
  engine->stream_ = std::move(stream).value();
  for (std::size_t i = 0; i < kInFlight; ++i) {
    Result<CudaEvent> event = make_cuda_event(*engine->options_.api, false);
    if (!event) return event.failure();
    engine->spare_events_.push_back(std::move(event).value());
  }
  engine->thread_ = std::thread([made = engine.get()] { made->run(); });
  return engine;
}

CudaCopyEngine::~CudaCopyEngine() { stop(); }

void CudaCopyEngine::stop() {
  {
    const LockGuard lock(mutex_);
    ends_ = true;
  }
  added_.notify_all();
  const LockGuard lock(stopping_);
  if (thread_.joinable()) thread_.join();
}

Failure CudaCopyEngine::given_up() const {
  return {ErrorCode::transfer_failed,
          std::string(options_.what) + ": " + options_.device_name + " was given up before it began"};
}

void CudaCopyEngine::add(const BlockCopy& block, CopyNumber number, bool urgent, CopyDone done) {
  {
    UniqueLock lock(mutex_);
    if (ends_) {
      lock.unlock();
      done(given_up());
      return;
    }
    queue_.add({.block = block, .number = number, .done = std::move(done)}, urgent);
  }
  added_.notify_all();
}

void CudaCopyEngine::hurry(CopyNumber number) {
  const LockGuard lock(mutex_);
  queue_.hurry(number);
}

CopyTraffic CudaCopyEngine::traffic() const {
  const LockGuard lock(mutex_);
  return traffic_;
}

void CudaCopyEngine::run() {
  (void)options_.api->cudaSetDevice(options_.device);
  while (true) {
    if (in_flight_.empty()) {
      UniqueLock lock(mutex_);
      added_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return ends_ || !queue_.empty(); });
      if (ends_ && queue_.empty()) break;
    }
    while (in_flight_.size() < kInFlight) {
      std::optional<PendingCopy> copy = next();
      if (!copy) break;
      begin(std::move(*copy));
    }
    if (!in_flight_.empty()) wait();
  }
  // The staging memory is freed here, because the GPU is this thread's current device.
  staging_.reset();
}

std::optional<PendingCopy> CudaCopyEngine::next() {
  const LockGuard lock(mutex_);
  return queue_.take();
}

bool CudaCopyEngine::may_begin() const { return in_flight_.size() < kInFlight && !queue_.empty(); }

void CudaCopyEngine::begin(PendingCopy copy) {
  bool ends = false;
  {
    const LockGuard lock(mutex_);
    ends = ends_;
  }
  if (options_.loss->lost()) {
    copy.done(options_.loss->why());
    return;
  }
  if (ends) {
    copy.done(given_up());
    return;
  }
  const CudaRange range(options_.what);
  CudaEvent end = std::move(spare_events_.back());
  spare_events_.pop_back();
  const TimeStamp begun = now();
  Result<void> enqueued = enqueue(copy.block);
  if (enqueued) enqueued = check(options_.api->cudaEventRecord(end.get(), stream_.get()));
  if (!enqueued) {
    // CUDA may have enqueued a part of the copy: no thread may use the memory before that part has ended.
    (void)options_.api->cudaStreamSynchronize(stream_.get());
    spare_events_.push_back(std::move(end));
    copy.done(failed(enqueued.failure()));
    return;
  }
  const TimeStamp free = in_flight_.empty() ? begun : std::max(begun, in_flight_.back().expected_end);
  Duration expected = options_.speed.latency;
  if (options_.speed.bytes_per_s > 0) {
    expected += std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(static_cast<double>(copy.block.bytes().count) / options_.speed.bytes_per_s));
  }
  in_flight_.push_back({std::move(copy), std::move(end), begun, free + expected});
}

Result<void> CudaCopyEngine::check(cudaError_t status) {
  if (status == cudaSuccess) return {};
  return cuda_check(*options_.api, status, std::string(options_.what) + " on " + options_.device_name,
                    ErrorCode::transfer_failed);
}

Result<void> CudaCopyEngine::enqueue(const BlockCopy& block) {
  if (block.bytes().count == 0) return {};
  if ((options_.from_host && pinned_in_part(block.from, block.from_span())) ||
      (options_.to_host && pinned_in_part(block.to, block.to_span()))) {
    return enqueue_staged(block);
  }
  const cudaError_t status = enqueue_whole(block);
  // CUDA returns cudaErrorInvalidValue for memory that is only partly pinned. The check above does not see this if
  // another thread has begun to pin the memory since then, or if the program itself has pinned it.
  if (status != cudaErrorInvalidValue || (!options_.from_host && !options_.to_host)) return check(status);
  (void)options_.api->cudaGetLastError();
  return enqueue_staged(block);
}

cudaError_t CudaCopyEngine::enqueue_whole(const BlockCopy& block) {
  if (block.in_one_run()) {
    return options_.api->cudaMemcpyAsync(block.to, block.from, block.bytes().count, options_.kind, stream_.get());
  }
  // One call of cudaMemcpy3DAsync is not enough: the distance between its planes must be a multiple of the pitch.
  for (std::size_t i = 0; i < block.planes; ++i) {
    const cudaError_t status = enqueue_plane(block.plane(i));
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

cudaError_t CudaCopyEngine::enqueue_plane(const BlockCopy& plane) {
  if (std::max(plane.to_pitch, plane.from_pitch) <= kMostPitch) {
    return options_.api->cudaMemcpy2DAsync(plane.to, plane.to_pitch, plane.from, plane.from_pitch, plane.column_bytes,
                                           plane.columns, options_.kind, stream_.get());
  }
  for (std::size_t column = 0; column < plane.columns; ++column) {
    const cudaError_t status =
        options_.api->cudaMemcpyAsync(plane.to + column * plane.to_pitch, plane.from + column * plane.from_pitch,
                                      plane.column_bytes, options_.kind, stream_.get());
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

Result<void> CudaCopyEngine::enqueue_staged(const BlockCopy& block) {
  if (staging_.get() == nullptr) {
    Result<CudaPinnedMemory> staging = make_cuda_pinned_memory(*options_.api, kStaging);
    if (!staging) return Failure{ErrorCode::transfer_failed, staging.failure().message};
    staging_ = std::move(staging).value();
  }
  for (std::size_t i = 0; i < block.planes; ++i) {
    if (Result<void> copied = enqueue_plane_staged(block.plane(i)); !copied) return copied;
  }
  return {};
}

Result<void> CudaCopyEngine::enqueue_plane_staged(const BlockCopy& block) {
  // If a column is larger than the staging memory, it is copied in pieces.
  for (std::size_t row = 0; row < block.column_bytes; row += kStaging.count) {
    const std::size_t rows = std::min<std::size_t>(kStaging.count, block.column_bytes - row);
    const std::size_t at_once = kStaging.count / rows;
    for (std::size_t column = 0; column < block.columns; column += at_once) {
      const BlockCopy part{block.from + column * block.from_pitch + row,
                           block.from_pitch,
                           block.to + column * block.to_pitch + row,
                           block.to_pitch,
                           rows,
                           std::min(at_once, block.columns - column)};
      if (Result<void> copied = copy_staged(part); !copied) return copied;
    }
  }
  return {};
}

Result<void> CudaCopyEngine::copy_staged(const BlockCopy& block) {
  auto* const staging = static_cast<std::byte*>(staging_.get());
  for (std::size_t i = 0; options_.from_host && i < block.columns; ++i) {
    std::memcpy(staging + i * block.column_bytes, block.from + i * block.from_pitch, block.column_bytes);
  }
  BlockCopy other = block;
  (options_.from_host ? other.from_pitch : other.to_pitch) = block.column_bytes;
  if (options_.from_host) other.from = staging;
  if (options_.to_host) other.to = staging;
  if (Result<void> begun = check(enqueue_whole(other)); !begun) return begun;
  if (Result<void> ended = check(options_.api->cudaStreamSynchronize(stream_.get())); !ended) return ended;
  for (std::size_t i = 0; options_.to_host && i < block.columns; ++i) {
    std::memcpy(block.to + i * block.to_pitch, staging + i * block.column_bytes, block.column_bytes);
  }
  return {};
}

void CudaCopyEngine::wait() {
  const InFlight& oldest = in_flight_.front();
  if (const Duration left = oldest.expected_end - now(); left > kWakeUp) {
    UniqueLock lock(mutex_);
    if (added_.wait_for(lock, left - kWakeUp, [this]() TROUPE_REQUIRES(mutex_) { return may_begin(); })) return;
  }
  while (now() < oldest.expected_end + kLook) {
    const cudaError_t status = options_.api->cudaEventQuery(oldest.end.get());
    if (status != cudaErrorNotReady) return end_oldest(status);
    {
      const LockGuard lock(mutex_);
      if (may_begin()) return;
    }
    std::this_thread::yield();
  }
  end_oldest(options_.api->cudaEventSynchronize(oldest.end.get()));
}

void CudaCopyEngine::end_oldest(cudaError_t status) {
  InFlight ended = std::move(in_flight_.front());
  in_flight_.pop_front();
  spare_events_.push_back(std::move(ended.end));
  const Result<void> outcome = check(status);
  if (!outcome) {
    ended.copy.done(failed(outcome.failure()));
    return;
  }
  const TimeStamp end = now();
  {
    const LockGuard lock(mutex_);
    traffic_.bytes += ended.copy.block.bytes();
    ++traffic_.copies;
    traffic_.busy += end - std::max(ended.begun, busy_until_);
  }
  busy_until_ = end;
  ended.copy.done({});
}

Failure CudaCopyEngine::failed(const Failure& failure) {
  if (failure.code != ErrorCode::device_lost) return failure;
  options_.loss->report(
      {ErrorCode::device_lost,
       options_.device_name + " was lost, and with it all that only its memory held: " + failure.message});
  return options_.loss->why();
}

}  // namespace troupe::platform
