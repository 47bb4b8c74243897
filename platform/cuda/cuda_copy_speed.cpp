#include "platform/cuda/cuda_copy_speed.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::platform {

namespace {

constexpr Bytes kSmall{4096};
constexpr int kSmallCopies = 10;
constexpr int kLargeCopies = 3;

}  // namespace

Result<CopySpeed> measure_copies(const CudaApi& api, cudaStream_t stream, std::byte* to, const std::byte* from,
                                 Bytes size, cudaMemcpyKind kind) {
  // Returns the shortest of several times, because other work of the machine makes some copies slower.
  const auto shortest = [&](Bytes bytes, int times) -> Result<Duration> {
    Duration least = Duration::max();
    for (int i = 0; i < times; ++i) {
      const auto begun = std::chrono::steady_clock::now();
      cudaError_t status = api.cudaMemcpyAsync(to, from, bytes.count, kind, stream);
      if (status == cudaSuccess) status = api.cudaStreamSynchronize(stream);
      if (Result<void> done = cuda_check(api, status, "measuring copies"); !done) return done.failure();
      least = std::min<Duration>(least, std::chrono::steady_clock::now() - begun);
    }
    return std::max(least, Duration(1));
  };
  const Bytes little = std::min(size, kSmall);
  // The first copy of each size takes longer, because CUDA creates objects on first use. The minimum excludes that
  // copy.
  Result<Duration> latency = shortest(little, kSmallCopies);
  if (!latency) return latency.failure();
  Result<Duration> all = shortest(size, kLargeCopies);
  if (!all) return all.failure();
  const Duration more = std::max(all.value() - latency.value(), Duration(1));
  if (size.count <= 2 * little.count || all.value() <= latency.value()) {
    // The sizes differ too little to tell latency and bandwidth apart.
    return CopySpeed{latency.value(), static_cast<double>(size.count) / seconds(all.value())};
  }
  return CopySpeed{latency.value(), static_cast<double>(size.count - little.count) / seconds(more)};
}

}  // namespace troupe::platform
