/// What a build with CUDA adds to the tile codelets. Without it there is nothing to add.
#pragma once

#include "kernels/codelets.hpp"
#include "kernels/gpu_environment.hpp"
#include "proto/device_kinds.hpp"

namespace troupe::kernels {

/// Gives the codelets their implementation for `DeviceKind::cuda`. Left on cores is, where the build had no compiler
/// for device code, what needs kernels of ours (docs/gpu-kernels.md). A modelled GPU, whose data are in host memory,
/// runs the implementation for cores.
template <class T>
void add_gpu_implementations(TileCodelets<T>& codelets);

}  // namespace troupe::kernels
