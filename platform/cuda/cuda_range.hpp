/// Named ranges for NVIDIA's profilers.
#pragma once

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define TROUPE_HAS_NVTX
#endif

namespace troupe::platform {

/// A named range: while it lives, a profiler shows the work of the calling thread under this name. Without a profiler
/// the range costs one test of a pointer. `name` is copied.
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
