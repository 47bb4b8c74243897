/// The resources of kernels on one CUDA stream: the libraries' handles, memory for intermediate results, and statuses.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_libraries.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"
#include "platform/cuda/cuda_api.hpp"
#include "proto/mutex.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::kernels {

/// Device memory that is freed with the object. All enqueued work that uses the memory must have ended by then, because
/// freeing waits for such work.
class DeviceMemory {
 public:
  /// Allocates the memory. Throws `out_of_memory`, or `device_lost`.
  DeviceMemory(const platform::CudaApi& api, std::size_t bytes);

  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> memory_;
  std::size_t size_;
};

/// Status values: a few integers that a kernel writes and the host reads once the kernel has ended, in memory that both
/// reach at any time. They come from a pool that grows: each kernel that has not ended yet has one set.
class StatusPool : public std::enable_shared_from_this<StatusPool> {
 public:
  static constexpr std::size_t kValues = 3;
  /// A set of values, which goes back to the pool when its last owner lets go of it; by then no work that writes it may
  /// be under way.
  using Status = std::shared_ptr<std::array<int, kValues>>;

  explicit StatusPool(const platform::CudaApi& api) : api_(&api) {}
  StatusPool(const StatusPool&) = delete;
  StatusPool& operator=(const StatusPool&) = delete;
  ~StatusPool();

  /// Takes a status. May be called from any thread. Throws `out_of_memory`.
  [[nodiscard]] Status take();

 private:
  const platform::CudaApi* api_;
  Mutex mutex_;
  std::vector<void*> blocks_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::array<int, kValues>*> unused_ TROUPE_GUARDED_BY(mutex_);
};

/// The resources of one device and one stream, as a handle of these libraries and its work memory must not serve two
/// streams at a time. To be used by one thread at a time, for which this device is current.
class CudaStream {
 public:
  /// Makes the libraries' handles, which allocates and waits. `device` must be the current device.
  CudaStream(int device, cudaStream_t stream);
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream();

  [[nodiscard]] const platform::CudaApi& cuda() const { return *cuda_; }
  [[nodiscard]] const CublasApi& blas() const { return *blas_; }
  [[nodiscard]] const CusolverApi& solver() const { return *solver_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] cublasHandle_t blas_handle() const { return blas_handle_; }
  [[nodiscard]] cusolverDnHandle_t solver_handle() const { return solver_handle_; }

  /// Returns memory of the device for `count` elements, for work that is enqueued on this stream until the next call;
  /// the work after that call comes later in the stream. Allocates only if more is asked for than ever before. The
  /// kernel's time then counts from this call, so ask before anything is enqueued. Throws `out_of_memory`.
  template <class T>
  [[nodiscard]] T* work_space(std::size_t count) {
    return reinterpret_cast<T*>(work_bytes(count * sizeof(T)));
  }

  /// Returns integers in the device's memory, for work that is enqueued until the next call of `watch`.
  [[nodiscard]] int* device_status() const { return reinterpret_cast<int*>(status_->data()); }
  /// Calls `check`, once the kernel's work has ended, with the values that `device_status` has at this point of the
  /// stream: see `check_at_completion`.
  void watch(std::function<void(const std::array<int, StatusPool::kValues>&)> check);

  /// Counts a task of this step, which needed `launches` calls.
  void count(SuperBlockStep step, std::uint64_t launches);
  /// Returns the counts so far. May be called from any thread.
  [[nodiscard]] SuperBlockLaunches super_block_launches() const;

 private:
  [[nodiscard]] std::byte* work_bytes(std::size_t size);
  /// Destroys handles and memory, in a thread whose device is this one.
  void give_back();

  const platform::CudaApi* cuda_;
  const CublasApi* blas_;
  const CusolverApi* solver_;
  int device_;
  cudaStream_t stream_;
  cublasHandle_t blas_handle_ = nullptr;
  cusolverDnHandle_t solver_handle_ = nullptr;
  /// The work space of cuBLAS. Without it the library would allocate, which waits for the whole device.
  std::unique_ptr<DeviceMemory> blas_memory_;
  /// The work spaces. The last one is in use; enqueued work may still use earlier ones.
  std::vector<std::unique_ptr<DeviceMemory>> work_;
  std::unique_ptr<DeviceMemory> status_;
  std::shared_ptr<StatusPool> statuses_;
  struct Counts {
    std::atomic<std::uint64_t> tasks{0};
    std::atomic<std::uint64_t> launches{0};
  };
  std::array<Counts, kSuperBlockSteps> counts_;
};

/// The streams on which kernels have run since the start of a runtime that knows tile codelets. Thread-safe.
class CudaStreams {
 public:
  /// Returns the object of this process; makes it if nobody holds it. Environments of codelets hold it.
  [[nodiscard]] static std::shared_ptr<CudaStreams> hold();

  /// Returns the resources of the stream of a kernel that runs in this thread, whose device is current. Throws the
  /// libraries' errors if they cannot be used, and `kernel_failed` if nobody holds the streams.
  [[nodiscard]] static CudaStream& of(const KernelContext& context);

  /// Returns the sum of the counts of all streams.
  [[nodiscard]] SuperBlockLaunches super_block_launches();
  /// Returns the object that is held; null if nobody holds it.
  [[nodiscard]] static std::shared_ptr<CudaStreams> held();

 private:
  CudaStream& find(cudaStream_t stream);

  Mutex mutex_;
  /// The table is used for look-ups by device and stream only, so the order of addresses has no effect.
  std::map<std::pair<int, cudaStream_t>, std::unique_ptr<CudaStream>> streams_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::kernels
