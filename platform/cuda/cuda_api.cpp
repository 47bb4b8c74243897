#include "platform/cuda/cuda_api.hpp"

#include <array>

#include "platform/environment_value.hpp"

namespace troupe::platform {

namespace {

/// Returns the name of the library whose binary interface the toolkit's headers describe.
std::string runtime_file() { return "libcudart.so." + std::to_string(CUDART_VERSION / 1000); }

// Expands a name before it becomes text, because the headers of some releases define one name as another ("…_v2").
#define TROUPE_CUDA_TEXT_OF(name) #name
#define TROUPE_CUDA_TEXT(name) TROUPE_CUDA_TEXT_OF(name)

template <class Function>
Result<void> find(const DynamicLibrary& library, const char* name, Function& function) {
  Result<void*> address = library.find(name);
  if (!address) return address.failure();
  function = reinterpret_cast<Function>(address.value());
  return {};
}

Result<CudaApi> load_runtime() {
  Result<DynamicLibrary> library = open_cuda_library(runtime_file());
  if (!library) return library.failure();
  CudaApi api;
  api.path = library.value().path();
#define TROUPE_CUDA_FIND(name) \
  if (Result<void> found = find(library.value(), TROUPE_CUDA_TEXT(name), api.name); !found) return found.failure();
  TROUPE_CUDA_FUNCTIONS(TROUPE_CUDA_FIND)
#undef TROUPE_CUDA_FIND
  return api;
}

}  // namespace

Result<DynamicLibrary> open_cuda_library(const std::string& file) {
  const std::array<std::string, 1> before{environment_value("TROUPE_CUDA_LIBRARIES")};
  const std::array<std::string, 1> after{"/usr/local/cuda/lib64"};
  return DynamicLibrary::open(file, before, after);
}

Result<const CudaApi*> cuda_api() {
  static const Result<CudaApi> loaded = load_runtime();
  if (!loaded) return loaded.failure();
  return &loaded.value();
}

bool is_of_mps(cudaError_t status) {
  // The range goes from cudaErrorMpsConnectionFailed to cudaErrorMpsClientTerminated. It is given in numbers, because
  // older headers do not name all of these errors.
  constexpr int kFirst = 805;
  constexpr int kLast = 810;
  const int number = status;
  return number >= kFirst && number <= kLast;
}

bool is_sticky(cudaError_t status) {
  // The numbers stand for cudaErrorContained and cudaErrorTensorMemoryLeak, which older toolkits' headers do not name.
  if (const int number = status; number == 226 || number == 721) return true;
  if (is_of_mps(status)) return true;
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown: return true;
    default: return false;
  }
}

Result<void> cuda_check(const CudaApi& api, cudaError_t status, std::string_view what, ErrorCode otherwise) {
  if (status == cudaSuccess) return {};
  // Clears the thread's last error. Otherwise the next caller of cudaGetLastError would take it for an error of another
  // call.
  (void)api.cudaGetLastError();
  return Failure{
      is_sticky(status) ? ErrorCode::device_lost : otherwise,
      std::string(what) + " failed: " + api.cudaGetErrorString(status) + " (" + api.cudaGetErrorName(status) + ")"};
}

}  // namespace troupe::platform
