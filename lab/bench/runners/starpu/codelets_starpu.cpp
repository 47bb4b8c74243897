#include "lab/bench/runners/starpu/codelets_starpu.hpp"

#include <stdexcept>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"

namespace troupe::bench {
namespace {

starpu_data_access_mode mode_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::read: return STARPU_R;
    case AccessMode::write: return STARPU_W;
    default: return STARPU_RW;
  }
}

/// Returns one view of all pieces: it begins at the first piece, and its height is the sum of the heights.
DataView view_of(std::span<void* const> pieces) {
  DataView view;
  view.data = reinterpret_cast<std::byte*>(STARPU_MATRIX_GET_PTR(pieces.front()));
  view.layout.rows = 0;
  for (void* const piece : pieces) view.layout.rows += STARPU_MATRIX_GET_NX(piece);
  view.layout.cols = STARPU_MATRIX_GET_NY(pieces.front());
  view.layout.ld = STARPU_MATRIX_GET_LD(pieces.front());
  view.layout.element_size = static_cast<std::uint32_t>(STARPU_MATRIX_GET_ELEMSIZE(pieces.front()));
  // If the elements are not doubles, they are pivots (ints).
  view.layout.element_tag = view.layout.element_size == sizeof(double) ? type_tag<double>() : type_tag<int>();
  return view;
}

}  // namespace

void CodeletTasks::run(void** buffers, void* argument) {
  const Call& call = *static_cast<const Call*>(argument);
  std::array<DataView, kMostOperands> views;
  std::array<const DataView*, kMostOperands> data;
  for (std::size_t i = 0; i < call.operands; ++i) {
    const auto count = static_cast<std::size_t>(call.pieces[i]);
    views[i] = view_of({buffers, count});
    data[i] = &views[i];
    buffers += count;
  }
  const Arguments& arguments = call.arguments;
  (*call.kernel)(KernelContext({data.data(), call.operands}, arguments.view()));
}

starpu_codelet& CodeletTasks::codelet_for(const Codelet& codelet) {
  const auto [found, added] = codelets_.try_emplace(&codelet.definition());
  if (added) {
    initialize(found->second, codelet.name().c_str(), run);
    found->second.nbuffers = STARPU_VARIABLE_NBUFFERS;
  }
  return found->second;
}

void CodeletTasks::submit(const Codelet& codelet, std::initializer_list<Operand> operands, const Arguments& arguments,
                          int priority) {
  Call& call = calls_.emplace_back();
  call.kernel = &codelet.definition().kernels[static_cast<int>(DeviceKind::cpu_core)];
  call.arguments = arguments;
  call.operands = 0;
  std::vector<starpu_data_descr> data;
  for (const Operand& operand : operands) {
    const starpu_data_access_mode mode =
        mode_of(operand.mode ? *operand.mode : codelet.definition().modes[call.operands]);
    for (const starpu_data_handle_t piece : operand.pieces) data.push_back({piece, mode});
    call.pieces[call.operands++] = static_cast<int>(operand.pieces.size());
  }
  const int refused =
      starpu_task_insert(&codelet_for(codelet), STARPU_DATA_MODE_ARRAY, data.data(), static_cast<int>(data.size()),
                         STARPU_CL_ARGS_NFREE, &call, sizeof call, STARPU_PRIORITY, priority, 0);
  if (refused != 0) throw std::runtime_error("StarPU refused a task");
}

}  // namespace troupe::bench
