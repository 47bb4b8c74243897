/// The functions of CUDA's runtime library, loaded when they are first needed, so that one program runs with or without
/// a GPU, and with or without CUDA installed.
#pragma once

#include <cuda_runtime_api.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/files/dynamic_library.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// The functions of the library that Troupe calls. Every release since CUDA 12.8 has all of them.
#define TROUPE_CUDA_FUNCTIONS(X)      \
  X(cudaDriverGetVersion)             \
  X(cudaRuntimeGetVersion)            \
  X(cudaGetDeviceCount)               \
  X(cudaGetDeviceProperties)          \
  X(cudaDeviceGetAttribute)           \
  X(cudaDeviceGetPCIBusId)            \
  X(cudaGetDevice)                    \
  X(cudaSetDevice)                    \
  X(cudaDeviceSynchronize)            \
  X(cudaMemGetInfo)                   \
  X(cudaMalloc)                       \
  X(cudaFree)                         \
  X(cudaHostAlloc)                    \
  X(cudaFreeHost)                     \
  X(cudaHostRegister)                 \
  X(cudaHostUnregister)               \
  X(cudaHostGetDevicePointer)         \
  X(cudaPointerGetAttributes)         \
  X(cudaMemcpyAsync)                  \
  X(cudaMemcpy2DAsync)                \
  X(cudaMemcpyPeerAsync)              \
  X(cudaMemcpy3DPeerAsync)            \
  X(cudaMemsetAsync)                  \
  X(cudaDeviceCanAccessPeer)          \
  X(cudaDeviceEnablePeerAccess)       \
  X(cudaDeviceGetStreamPriorityRange) \
  X(cudaStreamCreateWithPriority)     \
  X(cudaStreamDestroy)                \
  X(cudaStreamSynchronize)            \
  X(cudaStreamQuery)                  \
  X(cudaStreamWaitEvent)              \
  X(cudaEventCreateWithFlags)         \
  X(cudaEventDestroy)                 \
  X(cudaEventRecord)                  \
  X(cudaEventQuery)                   \
  X(cudaEventSynchronize)             \
  X(cudaEventElapsedTime)             \
  X(cudaLaunchHostFunc)               \
  X(cudaGetLastError)                 \
  X(cudaPeekAtLastError)              \
  X(cudaGetErrorName)                 \
  X(cudaLibraryLoadData)              \
  X(cudaLibraryUnload)                \
  X(cudaLibraryGetKernel)             \
  X(cudaLaunchKernel)                 \
  X(cudaLaunchKernelExC)              \
  X(cudaFuncSetAttribute)             \
  X(cudaGetErrorString)

/// The functions of the library, each as a member with its own name: `api.cudaMalloc(&memory, size)`. A file that
/// includes this header must not include cuda_runtime.h, whose templates overload some of the names; it includes
/// cuda_runtime_api.h instead.
struct CudaApi {
#define TROUPE_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  TROUPE_CUDA_FUNCTIONS(TROUPE_CUDA_MEMBER)
#undef TROUPE_CUDA_MEMBER

  /// The path that the library was loaded from, for messages.
  std::string path;
};

/// Loads one of CUDA's libraries, such as "libcublas.so.13" (`file`). Looks first in the folder that the environment
/// variable TROUPE_CUDA_LIBRARIES names, then where the dynamic loader looks, then in /usr/local/cuda/lib64. The
/// project loads all of CUDA's libraries with this function.
[[nodiscard]] Result<DynamicLibrary> open_cuda_library(const std::string& file);

/// Returns the runtime library, "libcudart.so.13" for the toolkit of this build; loaded by the first call. Fails with
/// `platform` if it cannot be loaded. Success does not say that a driver and a GPU are there. May be called from any
/// thread.
[[nodiscard]] Result<const CudaApi*> cuda_api();

/// Returns success if `status` is success, otherwise a failure that names the attempted call and CUDA's name of the
/// error, such as "cudaMalloc of 3 GiB on GPU 0 failed: out of memory (cudaErrorMemoryAllocation)". The failure's code
/// is `device_lost` if the error makes the device useless for the rest of this process, and `otherwise` for all other
/// errors. Removes the error from CUDA's record of the calling thread's last error.
[[nodiscard]] Result<void> cuda_check(const CudaApi& api, cudaError_t status, std::string_view what,
                                      ErrorCode otherwise = ErrorCode::platform);

/// Returns true if no call on the device succeeds after this error. Such errors are a fault in a kernel, a fault of the
/// hardware, or the end of the service by which the process shares the device.
[[nodiscard]] bool is_sticky(cudaError_t status);

/// Returns true if the error says that NVIDIA's Multi-Process Service, which controls the device, does not serve this
/// process, or no longer does.
[[nodiscard]] bool is_of_mps(cudaError_t status);

}  // namespace troupe::platform
