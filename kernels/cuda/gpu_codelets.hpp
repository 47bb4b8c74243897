/// The parts that a build with CUDA adds to the tile codelets. A build without CUDA adds nothing.
#pragma once

#include "kernels/codelets.hpp"
#include "kernels/gpu_environment.hpp"
#include "troupe/devices.hpp"

namespace troupe::kernels {

/// Gives the codelets their implementation for `DeviceKind::cuda`. Where the build had no compiler for device code,
/// codelets that need our own kernels stay on cores (docs/gpu-kernels.md). A modelled GPU, whose data are in host
/// memory, runs the implementation for cores.
template <class T>
void add_gpu_implementations(TileCodelets<T>& codelets);

}  // namespace troupe::kernels
