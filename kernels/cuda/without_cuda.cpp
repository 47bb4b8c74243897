#include "kernels/cuda/gpu_codelets.hpp"

namespace troupe::kernels {

template <class T>
void add_gpu_implementations(TileCodelets<T>&) {}

template void add_gpu_implementations(TileCodelets<float>&);
template void add_gpu_implementations(TileCodelets<double>&);

std::shared_ptr<void> gpu_environment() { return nullptr; }

}  // namespace troupe::kernels
