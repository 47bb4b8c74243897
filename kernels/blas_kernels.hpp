/// Which kernels the BLAS library has chosen for this processor.
#pragma once

#include <optional>
#include <string>

namespace troupe::kernels {

/// Returns what is wrong, and what to do about it, if OpenBLAS has taken kernels for processors without AVX2 on one
/// that has it, as it does where it is older than the processor: BLAS then runs at a fifth to a half of its speed.
/// Nothing if its kernels fit, or if another library is linked.
[[nodiscard]] std::optional<std::string> outdated_blas_kernels();

}  // namespace troupe::kernels
