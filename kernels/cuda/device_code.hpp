/// The compiled kernels for GPUs, as bytes in the library, so that no file has to be found at run time.
#pragma once

#include <cstddef>
#include <span>

namespace troupe::kernels {

/// Returns the code for cudaLibraryLoadData: machine code for some architectures, and an intermediate form for the
/// others. The result is empty if the build had no compiler for GPUs. cmake/TroupeEmbed.cmake generates this function.
[[nodiscard]] std::span<const std::byte> device_code();

}  // namespace troupe::kernels
