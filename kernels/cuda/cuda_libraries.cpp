#include "kernels/cuda/cuda_libraries.hpp"

#include "platform/cuda/cuda_api.hpp"
#include "platform/files/dynamic_library.hpp"

namespace troupe::kernels {

namespace {

template <class Function>
Result<void> find(const platform::DynamicLibrary& library, const char* name, Function& function) {
  Result<void*> address = library.find(name);
  if (!address) return address.failure();
  function = reinterpret_cast<Function>(address.value());
  return {};
}

#define TROUPE_CUDA_FIND(name) \
  if (Result<void> found = find(library.value(), #name, api.name); !found) return found.failure();

Result<CublasApi> load_cublas() {
  const auto library = platform::open_cuda_library("libcublas.so." + std::to_string(CUBLAS_VER_MAJOR));
  if (!library) return library.failure();
  CublasApi api;
  api.path = library.value().path();
  TROUPE_CUBLAS_FUNCTIONS(TROUPE_CUDA_FIND)
  return api;
}

Result<CusolverApi> load_cusolver() {
  const auto library = platform::open_cuda_library("libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR));
  if (!library) return library.failure();
  CusolverApi api;
  api.path = library.value().path();
  TROUPE_CUSOLVER_FUNCTIONS(TROUPE_CUDA_FIND)
  return api;
}

#undef TROUPE_CUDA_FIND

/// Returns a status's name; cuSOLVER has no function that returns it.
const char* name_of(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_SUCCESS: return "CUSOLVER_STATUS_SUCCESS";
    case CUSOLVER_STATUS_NOT_INITIALIZED: return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED: return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE: return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH: return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED: return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR: return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED: return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default: return "a status that the headers of this build do not name";
  }
}

}  // namespace

Result<const CublasApi*> cublas_api() {
  static const Result<CublasApi> loaded = load_cublas();
  if (!loaded) return loaded.failure();
  return &loaded.value();
}

Result<const CusolverApi*> cusolver_api() {
  static const Result<CusolverApi> loaded = load_cusolver();
  if (!loaded) return loaded.failure();
  return &loaded.value();
}

void require(const CublasApi& api, cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorCode::kernel_failed, std::string(call) + " failed: " + api.cublasGetStatusName(status) + " (" +
                                            api.cublasGetStatusString(status) + ")");
}

void require(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw Error(ErrorCode::kernel_failed, std::string(call) + " failed: " + name_of(status) + " (" +
                                            std::to_string(static_cast<int>(status)) + ")");
}

}  // namespace troupe::kernels
