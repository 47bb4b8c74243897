/// Warnings about causes of slow runs.
#pragma once

#include <string>

namespace troupe::apps {

/// Warns on standard error if a local policy has left the GPUs idle for more than half of the time. `gpus_busy` is the
/// mean busy fraction of the GPUs' time, from 0 to 1.
void remark_on_idle_gpus(const std::string& policy, double gpus_busy);

/// Warns on standard error if the BLAS library uses its kernels for older processors.
void remark_on_blas_kernels();

}  // namespace troupe::apps
