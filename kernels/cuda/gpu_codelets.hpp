/// The implementations of the tile codelets for GPUs.
#pragma once

#include "kernels/codelets.hpp"

namespace troupe::kernels {

/// Gives the codelet of a member of `TileCodelets` its implementation for `DeviceKind::cuda`, if there is one. If the
/// build had no compiler for device code, codelets that need Troupe's own kernels run only on cores
/// (docs/gpu-kernels.md); in a build without CUDA, all codelets run only on cores. A GPU that is only modelled, in
/// virtual time, has its data in host memory and runs the implementation for cores. `T` is float or double.
template <class T>
void add_gpu_implementation(Codelet TileCodelets<T>::*member, Codelet& codelet);

}  // namespace troupe::kernels
