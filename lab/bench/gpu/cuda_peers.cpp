#include "lab/bench/gpu/cuda_peers.hpp"

#include <cublasXt.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_blas.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/cuda/cuda_libraries.hpp"
#include "kernels/cuda/cuda_stream.hpp"
#include "lab/bench/gpu/cuda_peer_stream.hpp"
#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "traces/text/human.hpp"

namespace troupe::bench {

/// The implementation of the classes for NVIDIA's libraries.
namespace peers {

using kernels::DeviceMemory;
using Clock = std::chrono::steady_clock;

double peer_seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The functions of cuSOLVER and cuBLAS that only this comparison uses.
#define TROUPE_PEER_SOLVER(X)    \
  X(cusolverDnCreateParams)      \
  X(cusolverDnDestroyParams)     \
  X(cusolverDnXpotrf_bufferSize) \
  X(cusolverDnXpotrf)            \
  X(cusolverDnXpotrs)

#define TROUPE_PEER_BLAS(X) \
  X(cublasXtCreate)         \
  X(cublasXtDestroy)        \
  X(cublasXtDeviceSelect)   \
  X(cublasXtSetBlockDim)    \
  X(cublasXtDgemm)

#define TROUPE_PEER_MEMBER(name) decltype(&::name) name = nullptr;
#define TROUPE_PEER_FIND(name) api.name = reinterpret_cast<decltype(api.name)>(library.find(#name).value_or_throw());

struct Solver64 {
  TROUPE_PEER_SOLVER(TROUPE_PEER_MEMBER)
};

struct BlasXt {
  TROUPE_PEER_BLAS(TROUPE_PEER_MEMBER)
};

Solver64 load_solver() {
  const auto library =
      platform::open_cuda_library("libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR)).value_or_throw();
  Solver64 api;
  TROUPE_PEER_SOLVER(TROUPE_PEER_FIND)
  return api;
}

BlasXt load_blas_xt() {
  const auto library = platform::open_cuda_library("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)).value_or_throw();
  BlasXt api;
  TROUPE_PEER_BLAS(TROUPE_PEER_FIND)
  return api;
}

#undef TROUPE_PEER_FIND
#undef TROUPE_PEER_MEMBER

std::size_t bytes_of(std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(double); }

double* doubles(const DeviceMemory& memory) { return reinterpret_cast<double*>(memory.data()); }

}  // namespace peers

using namespace peers;

class CusolverCholesky::Work {
 public:
  explicit Work(const GeneratedSystem& system)
      : system_(system),
        solver_(load_solver()),
        tools_(0, stream_.get()),
        matrix_(cuda(), bytes_of(system.n * system.n)),
        info_(cuda(), sizeof(int)) {
    kernels::require(solver_.cusolverDnCreateParams(&params_), "cusolverDnCreateParams");
    std::size_t on_device = 0;
    std::size_t on_host = 0;
    kernels::require(
        solver_.cusolverDnXpotrf_bufferSize(tools_.solver_handle(), params_, CUBLAS_FILL_MODE_LOWER, system.n,
                                            CUDA_R_64F, matrix_.data(), system.n, CUDA_R_64F, &on_device, &on_host),
        "cusolverDnXpotrf_bufferSize");
    device_work_ = std::make_unique<DeviceMemory>(cuda(), std::max<std::size_t>(on_device, 1));
    host_work_.resize(std::max<std::size_t>(on_host, 1));
  }
  ~Work() {
    (void)cuda().cudaStreamSynchronize(stream_.get());
    (void)solver_.cusolverDnDestroyParams(params_);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  double factorize() {
    kernels::fill_symmetric(tools_, matrix(), 0, 0, system_.seed, system_.diagonal());
    stream_.wait("generating the matrix for cuSOLVER");
    const auto start = Clock::now();
    kernels::require(solver_.cusolverDnXpotrf(tools_.solver_handle(), params_, CUBLAS_FILL_MODE_LOWER, system_.n,
                                              CUDA_R_64F, matrix_.data(), system_.n, CUDA_R_64F, device_work_->data(),
                                              device_work_->size(), host_work_.data(), host_work_.size(), info()),
                     "cusolverDnXpotrf");
    stream_.wait("cusolverDnXpotrf");
    const double seconds = peer_seconds_since(start);
    require_success("cusolverDnXpotrf");
    return seconds;
  }

  double residual() {
    const std::int64_t n = system_.n;
    const DeviceMemory solution(cuda(), bytes_of(n));
    const DeviceMemory rest(cuda(), bytes_of(n));
    const MatrixView<double> x{doubles(solution), n, 1, n};
    const MatrixView<double> r{doubles(rest), n, 1, n};
    for (const MatrixView<double>& b : {x, r}) kernels::fill_symmetric(tools_, b, 0, 0, system_.seed + 1, 0.0);
    kernels::require(solver_.cusolverDnXpotrs(tools_.solver_handle(), params_, CUBLAS_FILL_MODE_LOWER, n, 1, CUDA_R_64F,
                                              matrix_.data(), n, CUDA_R_64F, x.data, n, info()),
                     "cusolverDnXpotrs");
    // Computes R <- R - A X, a few columns of A at a time.
    const std::int64_t width = std::min<std::int64_t>(n, 1024);
    const DeviceMemory columns(cuda(), bytes_of(n * width));
    for (std::int64_t j = 0; j < n; j += width) {
      const std::int64_t count = std::min(width, n - j);
      const MatrixView<double> a{doubles(columns), n, count, n};
      kernels::fill_symmetric(tools_, a, 0, j, system_.seed, system_.diagonal());
      const MatrixView<const double> known{x.data + j, count, 1, n};
      kernels::cuda::gemm<double>(tools_, 'N', 'N', -1.0, {a.data, n, count, n}, known, 1.0, r);
    }
    const double largest_x = largest(x);
    require_success("cusolverDnXpotrs");
    return largest(r) / (static_cast<double>(n) * system_.norm() * largest_x * 0x1p-53);
  }

 private:
  [[nodiscard]] MatrixView<double> matrix() const { return {doubles(matrix_), system_.n, system_.n, system_.n}; }
  [[nodiscard]] int* info() const { return reinterpret_cast<int*>(info_.data()); }

  void require_success(const char* call) const {
    int status = 0;
    check(cuda().cudaMemcpyAsync(&status, info(), sizeof status, cudaMemcpyDeviceToHost, stream_.get()),
          "the copy of a status");
    stream_.wait(call);
    if (status != 0) throw Error(ErrorCode::numerical, fmt::format("{} says {}", call, status));
  }

  [[nodiscard]] double largest(MatrixView<double> vector) const {
    std::vector<double> values(static_cast<std::size_t>(vector.rows));
    check(cuda().cudaMemcpyAsync(values.data(), vector.data, bytes_of(vector.rows), cudaMemcpyDeviceToHost,
                                 stream_.get()),
          "the copy of a vector");
    stream_.wait("the copy of a vector");
    double result = 0;
    for (const double value : values) result = std::isnan(value) ? value : std::max(result, std::abs(value));
    return result;
  }

  GeneratedSystem system_;
  Solver64 solver_;
  Stream stream_;
  kernels::CudaStream tools_;
  DeviceMemory matrix_;
  DeviceMemory info_;
  cusolverDnParams_t params_ = nullptr;
  std::unique_ptr<DeviceMemory> device_work_;
  std::vector<std::byte> host_work_;
};

CusolverCholesky::CusolverCholesky(const GeneratedSystem& system) : work_(std::make_unique<Work>(system)) {}
CusolverCholesky::~CusolverCholesky() = default;
double CusolverCholesky::factorize() { return work_->factorize(); }
double CusolverCholesky::residual() { return work_->residual(); }

double cublasxt_product(std::int64_t n, const double* a, const double* b, double* c, int block) {
  const BlasXt xt = load_blas_xt();
  const kernels::CublasApi& blas = *kernels::cublas_api().value_or_throw();
  cublasXtHandle_t handle = nullptr;
  kernels::require(blas, xt.cublasXtCreate(&handle), "cublasXtCreate");
  const auto destroy = [&](cublasXtHandle_t made) { (void)xt.cublasXtDestroy(made); };
  const std::unique_ptr<std::remove_pointer_t<cublasXtHandle_t>, decltype(destroy)> owner(handle, destroy);
  int device = 0;
  kernels::require(blas, xt.cublasXtDeviceSelect(handle, 1, &device), "cublasXtDeviceSelect");
  if (block > 0) kernels::require(blas, xt.cublasXtSetBlockDim(handle, block), "cublasXtSetBlockDim");
  const double minus_one = -1;
  const double one = 1;
  const auto size = static_cast<std::size_t>(n);
  const auto start = Clock::now();
  kernels::require(
      blas,
      xt.cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &minus_one, a, size, b, size, &one, c, size),
      "cublasXtDgemm");
  check(cuda().cudaDeviceSynchronize(), "cublasXtDgemm");
  return peer_seconds_since(start);
}

std::string why_no_gpu() {
  const auto devices = platform::list_cuda_devices();
  return devices ? std::string() : devices.failure().message;
}

std::string gpu_description() {
  const platform::CudaDeviceInfo gpu = platform::list_cuda_devices().value_or_throw().front();
  return fmt::format("{}, {} multiprocessors, {}", gpu.name, gpu.multiprocessors, traces::human_bytes(gpu.memory));
}

}  // namespace troupe::bench
