/// Finds the facts about one kernel in the intermediate code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opencl/analysis/code/code_flow.hpp"
#include "opencl/analysis/code/code_numbers.hpp"
#include "opencl/analysis/code/code_pointers.hpp"
#include "opencl/analysis/kernel_facts.hpp"

namespace troupe::opencl {

/// Reads each instruction of a kernel once. The order does not matter, because the facts hold for all orders of
/// execution. Throws CodeNotUnderstood if no facts can be found.
class KernelReader {
 public:
  KernelReader(const CodeModule& module, const CodeFunction& kernel);
  [[nodiscard]] KernelFacts read();

 private:
  using Conditions = std::vector<KernelFacts::Condition>;
  /// The conditions under which an access happens, as far as they are known.
  struct Moment {
    Conditions conditions;
    bool certain = false;
  };
  /// The bytes that a call of a built-in function, such as vload4, loads or stores.
  struct Span {
    std::uint64_t size = 0;
    std::uint64_t certain_size = 0;
    std::uint64_t stride = 0;
  };

  void read_block(std::size_t block);
  [[nodiscard]] Moment moment_of(std::size_t block);
  void read_instruction(const CodeInstruction& instruction, const Moment& moment);
  void read_access(const CodeInstruction& access, const Moment& moment);
  void add_access(const CodeOperand& pointer, std::optional<ExpressionId> offset, Span span, bool is_store,
                  const Moment& moment);
  void lose(const PointerRoots& roots, bool loads, bool stores);
  void refuse(const char* reason);
  void finish_argument(std::size_t index);
  [[nodiscard]] bool may_split(unsigned dimension) const;
  [[nodiscard]] std::vector<unsigned> dimensions_in_expressions() const;

  // The following members are in kernel_calls.cpp.
  void read_call(const CodeInstruction& call, const Moment& moment);
  void read_question(const CodeInstruction& call, std::string_view name);
  void read_fence(const CodeInstruction& call);
  void read_vector_access(const CodeInstruction& call, std::string_view name, const Moment& moment);
  void read_copy(const CodeInstruction& call, const Moment& moment);
  void read_own_function(const CodeInstruction& call);
  void note_questions(const CodeFunction& function, int depth);
  void lose_arguments_of(const CodeInstruction& call);

  const CodeModule& module_;
  const CodeFunction& kernel_;
  CodeFlow flow_;
  CodePointers pointers_;
  CodeNumbers numbers_;
  KernelFacts facts_;
};

}  // namespace troupe::opencl
