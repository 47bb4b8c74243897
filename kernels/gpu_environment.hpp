/// The resources that kernels on GPUs share.
#pragma once

#include <memory>

namespace troupe::kernels {

/// Returns an object that lives as long as kernels may run on GPUs; it owns the libraries' handles and their work
/// memory. Null in a build without CUDA.
[[nodiscard]] std::shared_ptr<void> gpu_environment();

}  // namespace troupe::kernels
