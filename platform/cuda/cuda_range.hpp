/// Named ranges for NVIDIA's profilers.
#pragma once

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define TROUPE_HAS_NVTX
#endif

namespace troupe::platform {

/// What the calling thread does while one lives, shown under its name by a profiler. Without one it costs a test of a
/// pointer. `name` is copied.
class CudaRange {
 public:
#ifdef TROUPE_HAS_NVTX
  explicit CudaRange(const char* name) { nvtxRangePushA(name); }
  ~CudaRange() { nvtxRangePop(); }
#else
  explicit CudaRange(const char* /*name*/) {}
  ~CudaRange() {}
#endif
  CudaRange(const CudaRange&) = delete;
  CudaRange& operator=(const CudaRange&) = delete;
};

}  // namespace troupe::platform
