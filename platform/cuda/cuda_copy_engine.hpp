/// A thread and a stream that do one GPU's copies in one direction.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "platform/accelerators/copy_queue.hpp"
#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_loss.hpp"
#include "platform/cuda/cuda_objects.hpp"
#include "proto/mutex.hpp"

namespace troupe::platform {

/// The engine gives CUDA two copies at a time, so that the second begins as soon as the first ends. Other copies wait
/// in the engine's queue, in order. For memory that is not pinned, CUDA copies inside the call, which blocks only the
/// engine's thread. Thread-safe.
class CudaCopyEngine {
 public:
  struct Options {
    const CudaApi* api = nullptr;
    int device = 0;
    /// The GPU's name for messages, such as "GPU 0 (name)".
    std::string device_name;
    /// A description of the engine's work, for messages and profilers: "copy to GPU".
    const char* what = "";
    cudaMemcpyKind kind = cudaMemcpyDefault;
    /// `from_host` is true if copies come from host memory, `to_host` if they go to host memory; between GPUs both are
    /// false.
    bool from_host = false;
    bool to_host = false;
    CopySpeed speed = {};
    std::shared_ptr<CudaLoss> loss;
  };

  [[nodiscard]] static Result<std::unique_ptr<CudaCopyEngine>> make(Options options);
  /// Ends the copies as `Accelerator::~Accelerator` does.
  ~CudaCopyEngine();
  CudaCopyEngine(const CudaCopyEngine&) = delete;
  CudaCopyEngine& operator=(const CudaCopyEngine&) = delete;

  void add(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done);
  void hurry(CopyNumber number);
  void stop();
  [[nodiscard]] CopyTraffic traffic() const;

 private:
  struct InFlight {
    PendingCopy copy;
    CudaEvent end;
    TimeStamp begun{};
    /// The predicted end of the copy, computed from the engine's speed.
    TimeStamp expected_end{};
  };

  explicit CudaCopyEngine(Options options) : options_(std::move(options)) {}
  void run();
  [[nodiscard]] std::optional<PendingCopy> next();
  /// Returns true if another copy waits and may begin.
  [[nodiscard]] bool may_begin() const TROUPE_REQUIRES(mutex_);
  void begin(PendingCopy copy);
  [[nodiscard]] Failure given_up() const;
  [[nodiscard]] Result<void> enqueue(const BlockCopy& block);
  [[nodiscard]] cudaError_t enqueue_whole(const BlockCopy& block);
  [[nodiscard]] cudaError_t enqueue_plane(const BlockCopy& plane);
  [[nodiscard]] Result<void> enqueue_staged(const BlockCopy& block);
  [[nodiscard]] Result<void> enqueue_plane_staged(const BlockCopy& block);
  [[nodiscard]] Result<void> copy_staged(const BlockCopy& block);
  /// Waits until the oldest copy in flight has ended, or until another copy may begin.
  void wait();
  void end_oldest(cudaError_t status);
  /// Converts `failure` to the failure of a copy; if the device is lost, also reports the loss.
  [[nodiscard]] Failure failed(const Failure& failure);
  [[nodiscard]] Result<void> check(cudaError_t status);

  const Options options_;
  CudaStream stream_;
  // Only the engine's thread uses the next members.
  std::deque<InFlight> in_flight_;
  std::vector<CudaEvent> spare_events_;
  /// The staging memory for copies of host memory that is only partly pinned.
  CudaPinnedMemory staging_;
  TimeStamp busy_until_{};

  mutable Mutex mutex_;
  std::condition_variable added_;
  CopyQueue queue_ TROUPE_GUARDED_BY(mutex_);
  bool ends_ TROUPE_GUARDED_BY(mutex_) = false;
  CopyTraffic traffic_ TROUPE_GUARDED_BY(mutex_);

  Mutex stopping_;
  /// The engine's thread. The lock `stopping_` is held while it is joined. Declared last, because the thread uses all
  /// other members.
  std::thread thread_;
};

}  // namespace troupe::platform
