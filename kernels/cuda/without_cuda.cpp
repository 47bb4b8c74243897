#include "kernels/cuda/gpu_codelets.hpp"
#include "kernels/gpu_environment.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"

namespace troupe::kernels {

template <class T>
void add_gpu_implementations(SuperBlockCodelets<T>&) {}

template void add_gpu_implementations(SuperBlockCodelets<float>&);
template void add_gpu_implementations(SuperBlockCodelets<double>&);

template <class T>
void add_gpu_implementation(Codelet TileCodelets<T>::*, Codelet&) {}

template void add_gpu_implementation<float>(Codelet TileCodelets<float>::*, Codelet&);
template void add_gpu_implementation<double>(Codelet TileCodelets<double>::*, Codelet&);

SuperBlockLaunches super_block_launches() { return {}; }

std::shared_ptr<void> gpu_environment() { return nullptr; }

}  // namespace troupe::kernels
