#include "linalg/gpu_rate.hpp"

#include <algorithm>

#include "client/backend.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "troupe/devices.hpp"

namespace troupe::linalg {

GpuRate rate_of_gpus(std::size_t count, std::optional<Bytes> memory, std::size_t element_bytes) {
  GpuRate gpus;
  gpus.count = count;
  for (std::size_t i = 0; i < count; ++i) {
    const platform::CudaPeak peak = platform::cuda_peak(static_cast<int>(i));
    const double rate = element_bytes == sizeof(float) ? peak.in_float : peak.in_double;
    gpus.flops_per_second = i == 0 ? rate : std::min(gpus.flops_per_second, rate);
    if (rate <= 0) break;
  }
  if (memory) gpus.memory_elements = std::max<std::uint64_t>(memory->count / element_bytes, 1);
  return gpus;
}

namespace {

std::optional<Bytes> smallest_memory(const RunReport& report) {
  std::optional<Bytes> smallest;
  for (const MemoryUse& memory : report.transfers.memories) {
    if (!smallest || memory.capacity < *smallest) smallest = memory.capacity;
  }
  return smallest;
}

}  // namespace

TileSize default_tile_size(const Runtime& runtime, Application application, std::int64_t n, std::size_t element_bytes,
                           std::int64_t tile) {
  GpuRate gpus;
  // A runtime on a service is not asked for a report, because the service does not say which devices it has.
  const bool embedded = runtime.backend().shares_memory();
  const RunReport report = embedded ? runtime.report() : RunReport{};
  if (!report.virtual_time) {
    gpus.count = static_cast<std::size_t>(
        std::count_if(report.workers.begin(), report.workers.end(),
                      [](const WorkerReport& worker) { return worker.kind == DeviceKind::cuda; }));
  }
  if (tile == 0) {
    if (gpus.count > 0) gpus = rate_of_gpus(gpus.count, smallest_memory(report), element_bytes);
    tile = default_tile(application, n, gpus);
  }
  return {default_tile_rows(n, tile, runtime.workers(), gpus), tile};
}

}  // namespace troupe::linalg
