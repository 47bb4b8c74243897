#include "kernels/cuda/cuda_stream.hpp"

#include <algorithm>
#include <functional>
#include <system_error>

#include "graph/codelets/completion_check.hpp"
#include "platform/cuda/cuda_thread.hpp"
#include "proto/mutex.hpp"

namespace troupe::kernels {

namespace {

const platform::CudaApi& cuda_or_throw() { return *platform::cuda_api().value_or_throw(); }

void check(const platform::CudaApi& api, cudaError_t status, const std::string& what,
           ErrorCode otherwise = ErrorCode::kernel_failed) {
  platform::cuda_check(api, status, what, otherwise).value_or_throw();
}

/// Returns the size of cuBLAS's work space that NVIDIA's manual recommends (cublasSetWorkspace): 32 MiB since compute
/// capability 9.0, 4 MiB before.
std::size_t recommended_workspace(const platform::CudaApi& api, int device) {
  int major = 0;
  check(api, api.cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
  return (major >= 9 ? 32 : 4) * kMebibyte;
}

constexpr std::size_t kStatusesAtOnce = 64;

}  // namespace

DeviceMemory::DeviceMemory(const platform::CudaApi& api, std::size_t bytes) : size_(bytes) {
  void* memory = nullptr;
  check(api, api.cudaMalloc(&memory, bytes), "cudaMalloc of " + std::to_string(bytes) + " bytes for kernels to work in",
        ErrorCode::out_of_memory);
  // If the device is lost, cudaFree fails. This error can be ignored.
  memory_ = {static_cast<std::byte*>(memory), [&api](std::byte* begin) { (void)api.cudaFree(begin); }};
}

StatusPool::~StatusPool() {
  for (void* block : blocks_) (void)api_->cudaFreeHost(block);
}

StatusPool::Status StatusPool::take() {
  const LockGuard lock(mutex_);
  if (unused_.empty()) {
    void* block = nullptr;
    check(*api_, api_->cudaHostAlloc(&block, kStatusesAtOnce * sizeof(std::array<int, kValues>), cudaHostAllocPortable),
          "cudaHostAlloc for the statuses of kernels", ErrorCode::out_of_memory);
    blocks_.push_back(block);
    for (std::size_t i = 0; i < kStatusesAtOnce; ++i) {
      unused_.push_back(static_cast<std::array<int, kValues>*>(block) + i);
    }
  }
  std::array<int, kValues>* const taken = unused_.back();
  unused_.pop_back();
  return {taken, [pool = shared_from_this()](std::array<int, kValues>* back) {
            const LockGuard again(pool->mutex_);
            pool->unused_.push_back(back);
          }};
}

CudaStream::CudaStream(int device, cudaStream_t stream)
    : cuda_(&cuda_or_throw()),
      blas_(cublas_api().value_or_throw()),
      solver_(cusolver_api().value_or_throw()),
      device_(device),
      stream_(stream),
      status_(std::make_unique<DeviceMemory>(*cuda_, StatusPool::kValues * sizeof(int))),
      statuses_(std::make_shared<StatusPool>(*cuda_)) {
  check(*cuda_, cuda_->cudaMemsetAsync(status_->data(), 0, status_->size(), stream), "cudaMemsetAsync");
  // Make the pool allocate its memory now, and not in the first kernel that calls `watch`.
  (void)statuses_->take();
  blas_memory_ = std::make_unique<DeviceMemory>(*cuda_, recommended_workspace(*cuda_, device));
  require(*blas_, blas_->cublasCreate_v2(&blas_handle_), "cublasCreate");
  try {
    require(*blas_, blas_->cublasSetStream_v2(blas_handle_, stream), "cublasSetStream");
    // This call must come after cublasSetStream, which resets the work space.
    require(*blas_, blas_->cublasSetWorkspace_v2(blas_handle_, blas_memory_->data(), blas_memory_->size()),
            "cublasSetWorkspace");
    // Set the default mode, in which cuBLAS computes in the precision of the elements.
    require(*blas_, blas_->cublasSetMathMode(blas_handle_, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    require(solver_->cusolverDnCreate(&solver_handle_), "cusolverDnCreate");
    require(solver_->cusolverDnSetStream(solver_handle_, stream), "cusolverDnSetStream");
  } catch (...) {
    if (solver_handle_ != nullptr) (void)solver_->cusolverDnDestroy(solver_handle_);
    (void)blas_->cublasDestroy_v2(blas_handle_);
    throw;
  }
}

CudaStream::~CudaStream() {
  // Use a separate thread, because the calling thread may have another current device. To change that device and change
  // it back could create a CUDA context: in a thread that never chose a device, the current device is GPU 0.
  try {
    platform::on_thread_of_its_own([this] { give_back(); });
  } catch (const std::system_error&) {  // No thread could be started: the resources are freed when the process ends.
  }
}

void CudaStream::give_back() {
  (void)cuda_->cudaSetDevice(device_);
  // The stream may be destroyed already, so the libraries' handles must not use it again. On a lost device all of these
  // calls fail, which can be ignored.
  (void)solver_->cusolverDnSetStream(solver_handle_, nullptr);
  (void)solver_->cusolverDnDestroy(solver_handle_);
  (void)blas_->cublasSetStream_v2(blas_handle_, nullptr);
  (void)blas_->cublasDestroy_v2(blas_handle_);
  blas_memory_.reset();
  work_.clear();
  status_.reset();
  statuses_.reset();
}

std::byte* CudaStream::work_bytes(std::size_t size) {
  if (work_.empty() || work_.back()->size() < size) {
    // Allocate at least one and a half times the previous size, so that sizes that grow slowly do not need an
    // allocation each time.
    const std::size_t before = work_.empty() ? 0 : work_.back()->size();
    work_.push_back(std::make_unique<DeviceMemory>(*cuda_, std::max(size, before + before / 2)));
    // Later kernels use the memory, too, so the time of its allocation must not count as this kernel's time.
    graph::count_time_from_here();
  }
  return work_.back()->data();
}

void CudaStream::watch(std::function<void(const std::array<int, StatusPool::kValues>&)> check) {
  StatusPool::Status status = statuses_->take();
  kernels::check(*cuda_,
                 cuda_->cudaMemcpyAsync(status.get(), status_->data(), sizeof *status, cudaMemcpyDeviceToHost, stream_),
                 "the copy of a kernel's status");
  check_at_completion([status = std::move(status), check = std::move(check)] { check(*status); });
}

void CudaStream::count(SuperBlockStep step, std::uint64_t launches) {
  Counts& counts = counts_[static_cast<std::size_t>(step)];
  ++counts.tasks;
  counts.launches += launches;
}

SuperBlockLaunches CudaStream::super_block_launches() const {
  SuperBlockLaunches all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {counts_[i].tasks, counts_[i].launches};
  return all;
}

namespace {

/// Refers to the `CudaStreams` object, which the codelets' environments keep alive and kernels look up.
struct Holder {
  Mutex mutex;
  std::weak_ptr<CudaStreams> streams TROUPE_GUARDED_BY(mutex);
};

Holder& holder() {
  static Holder one;
  return one;
}

}  // namespace

std::shared_ptr<CudaStreams> CudaStreams::hold() {
  const LockGuard lock(holder().mutex);
  std::shared_ptr<CudaStreams> streams = holder().streams.lock();
  if (!streams) {
    streams = std::make_shared<CudaStreams>();
    holder().streams = streams;
  }
  return streams;
}

std::shared_ptr<CudaStreams> CudaStreams::held() {
  const LockGuard lock(holder().mutex);
  return holder().streams.lock();
}

SuperBlockLaunches CudaStreams::super_block_launches() {
  const LockGuard lock(mutex_);
  SuperBlockLaunches all;
  for (const auto& [place, stream] : streams_) {
    const SuperBlockLaunches of_stream = stream->super_block_launches();
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].tasks += of_stream[i].tasks;
      all[i].launches += of_stream[i].launches;
    }
  }
  return all;
}

CudaStream& CudaStreams::of(const KernelContext& context) {
  const std::shared_ptr<CudaStreams> streams = held();
  if (!streams) throw Error(ErrorCode::kernel_failed, "a kernel for GPUs ran without its codelet's environment");
  return streams->find(static_cast<cudaStream_t>(context.stream));
}

CudaStream& CudaStreams::find(cudaStream_t stream) {
  int device = 0;
  const platform::CudaApi& api = cuda_or_throw();
  check(api, api.cudaGetDevice(&device), "cudaGetDevice");
  const LockGuard lock(mutex_);
  std::unique_ptr<CudaStream>& found = streams_[{device, stream}];
  if (!found) {
    found = std::make_unique<CudaStream>(device, stream);
    // All kernels of the stream use the libraries' handles and the work space, so the time to make them must not count
    // as this kernel's time.
    graph::count_time_from_here();
  }
  return *found;
}

}  // namespace troupe::kernels
