#include "platform/cuda/cuda_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "platform/cuda/cuda_accelerator.hpp"
#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_thread.hpp"

namespace troupe::platform {

namespace {

/// The amount of a GPU's memory that stays free for kernel libraries, which need working memory for each stream.
constexpr Bytes kForLibraries{std::uint64_t{512} << 20U};

/// Returns "13.0" for 13000.
std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string size_text(Bytes bytes) {
  return bytes.count >= std::uint64_t{1} << 30
             ? fmt::format("{:.2f} GiB", static_cast<double>(bytes.count) / (1ULL << 30))
             : fmt::format("{:.2f} MiB", static_cast<double>(bytes.count) / (1 << 20));
}

/// Returns the reason why CUDA reports no device.
Failure no_devices(const CudaApi& api, cudaError_t status) {
  (void)api.cudaGetLastError();
  int driver = 0;
  int runtime = 0;
  (void)api.cudaDriverGetVersion(&driver);
  (void)api.cudaRuntimeGetVersion(&runtime);
  if (status == cudaErrorInsufficientDriver && driver == 0) {
    return {ErrorCode::platform,
            "no GPUs: no NVIDIA driver is installed, or it cannot be used from here (in a "
            "container the driver's library libcuda.so.1 has to be passed in)"};
  }
  if (status == cudaErrorInsufficientDriver) {
    return {ErrorCode::platform,
            fmt::format("no GPUs: the NVIDIA driver is too old: it is for CUDA {}, and {} is CUDA {}; install a newer "
                        "driver, or libraries of CUDA {} or older (TROUPE_CUDA_LIBRARIES names their folder)",
                        version_text(driver), api.path, version_text(runtime), version_text(driver))};
  }
  if (status == cudaErrorNoDevice) {
    const char* const chosen = std::getenv("CUDA_VISIBLE_DEVICES");
    if (chosen != nullptr) {
      return {ErrorCode::platform,
              fmt::format("no GPUs: the environment variable CUDA_VISIBLE_DEVICES is \"{}\", which "
                          "leaves none to be seen; unset it, or name some",
                          chosen)};
    }
    return {ErrorCode::platform, "no GPUs: the NVIDIA driver finds none in this machine"};
  }
  return {ErrorCode::platform, fmt::format("no GPUs: CUDA cannot count them: {} ({})", api.cudaGetErrorString(status),
                                           api.cudaGetErrorName(status))};
}

Result<int> count_devices(const CudaApi& api) {
  int count = 0;
  const cudaError_t status = api.cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return no_devices(api, status);
  if (count == 0) return no_devices(api, cudaErrorNoDevice);
  return count;
}

/// Returns the NUMA node of the host that the device is attached to; -1 if the system does not say.
int numa_node_of(const std::string& bus_id) {
  std::ifstream file("/sys/bus/pci/devices/" + bus_id + "/numa_node");
  int node = -1;
  return file >> node ? node : -1;
}

/// Returns the number of multiply-adds in float that a multiprocessor begins per clock (CUDA C++ Programming Guide,
/// table "Throughput of Native Arithmetic Instructions").
int lanes_of_multiprocessor(int major, int minor) {
  const bool half = major == 7 || (minor == 0 && (major == 6 || major == 8));
  return half ? 64 : 128;
}

/// Returns true if tensor cores multiply matrices in double precision twice as fast as the other units do. cuBLAS uses
/// tensor cores without being asked, because they round like the other units. GPUs such as B200 (10.0) also have such
/// tensor cores, but there they are not faster.
bool tensor_cores_double_the_rate(int major, int minor) { return minor == 0 && (major == 8 || major == 9); }

/// Returns an attribute of a device; 0 if CUDA does not know the attribute.
int attribute(const CudaApi& api, cudaDeviceAttr which, int index) {
  int value = 0;
  if (api.cudaDeviceGetAttribute(&value, which, index) == cudaSuccess) return value;
  (void)api.cudaGetLastError();
  return 0;
}

CudaPeak peak_of(const CudaApi& api, int index) {
  const int major = attribute(api, cudaDevAttrComputeCapabilityMajor, index);
  const int minor = attribute(api, cudaDevAttrComputeCapabilityMinor, index);
  const double clock_hz = 1e3 * attribute(api, cudaDevAttrClockRate, index);
  const double lanes = static_cast<double>(attribute(api, cudaDevAttrMultiProcessorCount, index)) *
                       lanes_of_multiprocessor(major, minor);
  CudaPeak peak;
  peak.in_float = 2 * lanes * clock_hz;
  const int ratio = attribute(api, cudaDevAttrSingleToDoublePrecisionPerfRatio, index);
  if (ratio > 0) peak.in_double = peak.in_float / ratio * (tensor_cores_double_the_rate(major, minor) ? 2 : 1);
  return peak;
}

Result<CudaDeviceInfo> describe(const CudaApi& api, int index) {
  cudaDeviceProp properties{};
  std::array<char, 32> bus{};
  cudaError_t status = api.cudaGetDeviceProperties(&properties, index);
  if (status == cudaSuccess) status = api.cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), index);
  if (Result<void> asked = cuda_check(api, status, fmt::format("asking for what GPU {} is", index)); !asked) {
    return asked.failure();
  }
  CudaDeviceInfo info;
  info.index = index;
  info.name = properties.name;
  info.memory = {properties.totalGlobalMem};
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.bus_id = bus.data();
  // The system writes the bus id in lower case.
  for (char& c : info.bus_id) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  info.numa_node = numa_node_of(info.bus_id);
  return info;
}

/// Makes the device the calling thread's current device, which starts CUDA on it. Returns the free memory of the
/// device.
Result<Bytes> use(const CudaApi& api, const CudaDeviceInfo& info) {
  cudaError_t status = api.cudaSetDevice(info.index);
  std::size_t free = 0;
  std::size_t total = 0;
  // In older releases cudaSetDevice does not start CUDA on the device yet; this call does.
  if (status == cudaSuccess) status = api.cudaFree(nullptr);
  if (status == cudaSuccess) status = api.cudaMemGetInfo(&free, &total);
  if (status == cudaErrorDevicesUnavailable) {
    (void)api.cudaGetLastError();
    return Failure{ErrorCode::platform,
                   fmt::format("GPU {} ({}) is not free to be used: another process has it for itself, or computing on "
                               "it is forbidden (\"nvidia-smi -q -d COMPUTE\" shows its mode)",
                               info.index, info.name)};
  }
  if (is_of_mps(status)) {
    (void)api.cudaGetLastError();
    return Failure{
        ErrorCode::platform,
        fmt::format("GPU {} ({}) belongs to NVIDIA's Multi-Process Service, which does not take this process: "
                    "{} ({}); look at its log, or stop it (\"echo quit | nvidia-cuda-mps-control\")",
                    info.index, info.name, api.cudaGetErrorString(status), api.cudaGetErrorName(status))};
  }
  if (Result<void> used = cuda_check(api, status, fmt::format("beginning to use GPU {} ({})", info.index, info.name));
      !used) {
    return used.failure();
  }
  return Bytes{free};
}

/// Returns how many bytes of the free memory the accelerator takes.
Result<Bytes> block_size(const CudaDeviceInfo& info, Bytes free, std::optional<Bytes> limit) {
  if (limit && limit->count == 0) {
    return Failure{ErrorCode::invalid_argument, fmt::format("GPU {} was to be used with no memory", info.index)};
  }
  if (limit && *limit > free) {
    return Failure{
        ErrorCode::out_of_memory,
        fmt::format("{} of memory were asked for on GPU {} ({}), but only {} of its {} are free; ask for less",
                    size_text(*limit), info.index, info.name, size_text(free), size_text(info.memory))};
  }
  const std::uint64_t usual = free.count / 10 * 9;
  const Bytes most{free.count >= 2 * kForLibraries.count ? std::min(usual, free.count - kForLibraries.count) : usual};
  if (!limit && most.count == 0) {
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("GPU {} ({}) has no free memory: others use it all", info.index, info.name)};
  }
  return limit ? *limit : most;
}

Result<std::unique_ptr<CudaAccelerator>> open(const CudaApi& api, int index, std::optional<Bytes> limit) {
  Result<int> count = count_devices(api);
  if (!count) return count.failure();
  if (index < 0 || index >= count.value()) {
    return Failure{ErrorCode::platform,
                   fmt::format("there is no GPU {}: CUDA sees {}, counted from 0", index, count.value())};
  }
  Result<CudaDeviceInfo> info = describe(api, index);
  if (!info) return info.failure();
  Result<Bytes> free = use(api, info.value());
  if (!free) return free.failure();
  Result<Bytes> size = block_size(info.value(), free.value(), limit);
  if (!size) return size.failure();
  return OpenCudaAccelerator::open(api, info.value(), size.value());
}

}  // namespace

Result<std::vector<CudaDeviceInfo>> list_cuda_devices(AskFreeMemory free_memory) {
  Result<const CudaApi*> api = cuda_api();
  if (!api) return Failure{ErrorCode::platform, "no GPUs: " + api.failure().message};
  Result<int> count = count_devices(*api.value());
  if (!count) return count.failure();
  std::vector<CudaDeviceInfo> devices;
  for (int index = 0; index < count.value(); ++index) {
    Result<CudaDeviceInfo> info = describe(*api.value(), index);
    if (!info) return info.failure();
    if (free_memory == AskFreeMemory::yes) {
      const Result<Bytes> free = on_thread_of_its_own([&] { return use(*api.value(), info.value()); });
      if (free) info.value().free = free.value();
    }
    devices.push_back(std::move(info).value());
  }
  return devices;
}

CudaPeak cuda_peak(int index) {
  Result<const CudaApi*> api = cuda_api();
  return api ? peak_of(*api.value(), index) : CudaPeak{};
}

Result<std::unique_ptr<CudaAccelerator>> open_cuda_accelerator(int index, std::optional<Bytes> limit) {
  Result<const CudaApi*> api = cuda_api();
  if (!api) return Failure{ErrorCode::platform, "no GPUs: " + api.failure().message};
  return on_thread_of_its_own([&] { return open(*api.value(), index, limit); });
}

}  // namespace troupe::platform
