/// Troupe's kernels as tasks of StarPU.
#pragma once

#include <starpu.h>

#include <array>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::bench {

/// One operand of a kernel: one registered matrix, or several that lie below one another in memory and form one matrix.
/// `mode` is set if the codelet is variadic.
struct Operand {
  std::span<const starpu_data_handle_t> pieces;
  std::optional<AccessMode> mode;

  Operand(const starpu_data_handle_t& piece) : pieces(&piece, 1) {}  // NOLINT: a handle is an operand of one piece
  Operand(const starpu_data_handle_t& piece, AccessMode how) : pieces(&piece, 1), mode(how) {}
  Operand(std::span<const starpu_data_handle_t> some, AccessMode how) : pieces(some), mode(how) {}
};

/// Submits Troupe's codelets as tasks, with the access modes of the codelets or of the operands. This object must
/// outlive the tasks, and a session must outlive this object. If a kernel throws, the process ends.
class CodeletTasks {
 public:
  /// Throws std::runtime_error if StarPU refuses the task.
  void submit(const Codelet& codelet, std::initializer_list<Operand> operands, const Arguments& arguments = {},
              int priority = 0);

 private:
  static constexpr std::size_t kMostOperands = 4;
  /// The arguments that a task passes to its kernel.
  struct Call {
    const Kernel* kernel;
    Arguments arguments;
    std::array<int, kMostOperands> pieces;
    std::size_t operands;
  };
  static void run(void** buffers, void* argument);
  starpu_codelet& codelet_for(const Codelet& codelet);

  std::map<const CodeletDefinition*, starpu_codelet> codelets_;
  std::deque<Call> calls_;
};

}  // namespace troupe::bench
