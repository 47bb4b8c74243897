/// The resources that kernels on GPUs share.
#pragma once

#include <memory>

namespace troupe::kernels {

/// Returns the owner of the GPU libraries' handles and work memory. Whoever runs kernels on GPUs must keep it. Null in
/// a build without CUDA.
[[nodiscard]] std::shared_ptr<void> gpu_environment();

}  // namespace troupe::kernels
