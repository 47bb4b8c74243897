/// The arguments of codelets' implementations for GPUs, and the function that gives codelets such an implementation.
#pragma once

#include <cstdint>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/cuda/cuda_stream.hpp"
#include "troupe/codelet.hpp"

namespace troupe::kernels {

/// The context of a task, and the resources of the stream on which the task's kernel runs.
struct Call {
  const KernelContext& context;
  CudaStream& stream;

  template <class T>
  [[nodiscard]] MatrixView<const T> in(std::size_t index) const {
    return context.matrix<const T>(index);
  }
  template <class T>
  [[nodiscard]] MatrixView<T> out(std::size_t index) const {
    return context.matrix<T>(index);
  }
  [[nodiscard]] std::int64_t number(std::size_t index) const { return context.argument<std::int64_t>(index); }
};

/// Sets the codelet's implementation for GPUs. A GPU that is only modelled, in virtual time, runs the implementation
/// for cores.
inline void implement(Codelet& codelet, void (*implementation)(const Call&)) {
  codelet.implement(
      DeviceKind::cuda,
      [implementation, on_cores = codelet.definition().kernel_for(DeviceKind::cpu_core)](const KernelContext& context) {
        // A modelled GPU has no stream, and its data are in host memory.
        if (context.stream == nullptr) return on_cores(context);
        implementation({context, CudaStreams::of(context)});
      });
}

}  // namespace troupe::kernels
