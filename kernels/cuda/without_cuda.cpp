#include "kernels/gpu_environment.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"

namespace troupe::kernels {

template <class T>
void add_gpu_implementations(SuperBlockCodelets<T>&) {}

template void add_gpu_implementations(SuperBlockCodelets<float>&);
template void add_gpu_implementations(SuperBlockCodelets<double>&);

SuperBlockLaunches super_block_launches() { return {}; }

std::shared_ptr<void> gpu_environment() { return nullptr; }

}  // namespace troupe::kernels
