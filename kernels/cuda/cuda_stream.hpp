/// The resources of kernels on one CUDA stream: handles of cuBLAS and cuSOLVER, memory for work, and statuses.
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

/// Device memory that is freed with the object. All enqueued work that uses the memory must have ended before, because
/// cudaFree would wait for the work.
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

/// Status values: a few integers that a kernel writes and the host reads when the kernel has ended. The values lie in
/// memory that host and device can access. Each kernel that has not ended yet has one set of values, from a pool that
/// grows.
class StatusPool : public std::enable_shared_from_this<StatusPool> {
 public:
  static constexpr std::size_t kValues = 3;
  /// A set of values, which returns to the pool when its last owner is destroyed. All enqueued work that writes the
  /// values must have ended before.
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

/// The resources of one device and one stream. Each stream has its own, because two streams must not use a handle of
/// cuBLAS or cuSOLVER, or its work space, at the same time. Only one thread at a time may use the object, and this
/// device must be current in that thread.
class CudaStream {
 public:
  /// Makes the handles of cuBLAS and cuSOLVER, which allocates and waits. `device` must be the current device.
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

  /// Returns device memory for `count` elements. Only work that is enqueued on this stream before the next call may use
  /// the memory; the next call may return the same memory. Allocates only if the size is larger than ever before. After
  /// an allocation the kernel's time is measured from this call on, so call this before anything is enqueued. Throws
  /// `out_of_memory`.
  template <class T>
  [[nodiscard]] T* work_space(std::size_t count) {
    return reinterpret_cast<T*>(work_bytes(count * sizeof(T)));
  }

  /// Returns integers in the device's memory. Only work that is enqueued before the next call of `watch` may use them.
  [[nodiscard]] int* device_status() const { return reinterpret_cast<int*>(status_->data()); }
  /// Calls `check` when the kernel's work has ended, with the values that `device_status` has at this point of the
  /// stream. See `check_at_completion`.
  void watch(std::function<void(const std::array<int, StatusPool::kValues>&)> check);

  /// Counts a task that ran `step` with `launches` library calls and launches of our own kernels.
  void count(SuperBlockStep step, std::uint64_t launches);
  /// Returns the sums of `count` so far. May be called from any thread.
  [[nodiscard]] SuperBlockLaunches super_block_launches() const;

 private:
  [[nodiscard]] std::byte* work_bytes(std::size_t size);
  /// Destroys the libraries' handles and frees the memory. Makes this object's device current in the calling thread.
  void give_back();

  const platform::CudaApi* cuda_;
  const CublasApi* blas_;
  const CusolverApi* solver_;
  int device_;
  cudaStream_t stream_;
  cublasHandle_t blas_handle_ = nullptr;
  cusolverDnHandle_t solver_handle_ = nullptr;
  /// The work space of cuBLAS. Without it cuBLAS would allocate memory itself, which waits for all work on the device.
  std::unique_ptr<DeviceMemory> blas_memory_;
  /// The work spaces. The last work space is in use; enqueued work may still use earlier work spaces.
  std::vector<std::unique_ptr<DeviceMemory>> work_;
  std::unique_ptr<DeviceMemory> status_;
  std::shared_ptr<StatusPool> statuses_;
  struct Counts {
    std::atomic<std::uint64_t> tasks{0};
    std::atomic<std::uint64_t> launches{0};
  };
  std::array<Counts, kSuperBlockSteps> counts_;
};

/// The streams on which kernels have run since a runtime first got a tile codelet. Thread-safe.
class CudaStreams {
 public:
  /// Returns the object of this process, and makes the object if there is none. The environments of codelets own it.
  [[nodiscard]] static std::shared_ptr<CudaStreams> hold();

  /// Returns the resources of a kernel's stream. Called by the kernel, in a thread in which the kernel's device is
  /// current. Throws the libraries' errors if they cannot be used, and `kernel_failed` if the object of this process
  /// does not exist.
  [[nodiscard]] static CudaStream& of(const KernelContext& context);

  /// Returns the sum of the counts of all streams.
  [[nodiscard]] SuperBlockLaunches super_block_launches();
  /// Returns the object of this process; null if it does not exist.
  [[nodiscard]] static std::shared_ptr<CudaStreams> held();

 private:
  CudaStream& find(cudaStream_t stream);

  Mutex mutex_;
  /// The resources of each stream, by device and stream. The table is only searched and summed up, so the order of the
  /// addresses in its keys has no effect.
  std::map<std::pair<int, cudaStream_t>, std::unique_ptr<CudaStream>> streams_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::kernels
