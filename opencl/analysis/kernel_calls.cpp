/// The effects of a kernel's calls. Functions without a body must be OpenCL's own: a program that calls any other
/// function without a body does not link.
#include <algorithm>
#include <array>

#include "opencl/analysis/kernel_reader.hpp"

namespace troupe::opencl {
namespace {

template <std::size_t kCount>
bool is_among(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// These functions access memory only through their pointer arguments.
constexpr std::array<std::string_view, 9> kThroughPointers{"fract",
                                                           "frexp",
                                                           "lgamma_r",
                                                           "modf",
                                                           "remquo",
                                                           "sincos",
                                                           "wait_group_events",
                                                           "async_work_group_copy",
                                                           "async_work_group_strided_copy"};
constexpr std::array<std::string_view, 6> kFences{"barrier",        "work_group_barrier", "mem_fence",
                                                  "read_mem_fence", "write_mem_fence",    "atomic_work_item_fence"};
/// These functions return the same value in a slice of a launch as in the whole launch, so a call of such a function is
/// not noted in `asks`.
constexpr std::array<std::string_view, 6> kQuietQuestions{
    "get_global_id", "get_local_id", "get_local_size", "get_work_dim", "get_local_linear_id", "get_sub_group_local_id"};
constexpr std::array<std::string_view, 8> kNothing{"llvm.lifetime.start",
                                                   "llvm.lifetime.end",
                                                   "llvm.assume",
                                                   "llvm.dbg.value",
                                                   "llvm.dbg.declare",
                                                   "llvm.dbg.label",
                                                   "llvm.experimental.noalias.scope.decl",
                                                   "llvm.donothing"};

bool is_among_intrinsics(std::string_view name) {
  return std::ranges::any_of(kNothing, [&](std::string_view known) { return name.starts_with(known); });
}

/// Returns the number of elements in the function's name: 4 for `vload4`, 1 for a name without a number.
unsigned elements_of(std::string_view name) {
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos) return 1;
  const std::size_t end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  return static_cast<unsigned>(code_number(name.substr(digits, end - digits)).value_or(0));
}

}  // namespace

void KernelReader::read_call(const CodeInstruction& call, const Moment& moment) {
  if (module_.function(call.callee) != nullptr) return read_own_function(call);
  const std::string_view name = plain_name(call.callee);
  if (name.starts_with("get_")) return read_question(call, name);
  if (is_among(name, kFences)) return read_fence(call);
  if (name.starts_with("vload") || name.starts_with("vstore")) return read_vector_access(call, name, moment);
  if (name.starts_with("llvm.mem")) return read_copy(call, moment);
  if (call.effects.pure || name == "prefetch" || is_among_intrinsics(name)) return;
  const bool of_group = name.starts_with("work_group_") || name.starts_with("sub_group_");
  const bool atomic = name.starts_with("atom_") || name.starts_with("atomic_");
  PointerRoots roots;
  for (const CodeOperand& operand : call.operands) {
    if (module_.types().is_pointer(operand.type)) roots |= pointers_.roots(operand);
  }
  if (atomic && !roots.none()) refuse("an atomic operation on global memory");
  if (name == "printf") return refuse("a call of printf");
  if (!atomic && !of_group && !is_among(name, kThroughPointers)) {
    refuse("a call of a function that is not known");
    // The function may find further pointers in the memory that its arguments point to.
    return lose({0, false, true}, true, true);
  }
  if (name.starts_with("async_work_group_") && call.operands.size() > 1) {
    lose(pointers_.roots(call.operands[0]), false, true);
    return lose(pointers_.roots(call.operands[1]), true, false);
  }
  lose_arguments_of(call);
}

void KernelReader::lose_arguments_of(const CodeInstruction& call) {
  for (const CodeOperand& operand : call.operands) {
    if (module_.types().is_pointer(operand.type)) lose(pointers_.roots(operand), true, !call.effects.only_reads);
  }
}

void KernelReader::read_question(const CodeInstruction& call, std::string_view name) {
  if (is_among(name, kQuietQuestions)) return;
  std::array<bool, 3>* asked = nullptr;
  if (name == "get_global_size") asked = &facts_.asks.global_size;
  if (name == "get_num_groups") asked = &facts_.asks.num_groups;
  if (name == "get_group_id") asked = &facts_.asks.group_id;
  if (asked == nullptr) {
    lose_arguments_of(call);
    return refuse("a question whose answer differs between chunks");
  }
  const CodeOperand& dimension = call.operands.at(0);
  for (unsigned d = 0; d < 3; ++d) {
    (*asked)[d] |= dimension.kind != CodeOperand::Kind::number || dimension.number == static_cast<std::int64_t>(d);
  }
}

void KernelReader::read_fence(const CodeInstruction& call) {
  constexpr std::int64_t kLocalMemory = 1;
  const bool local = !call.operands.empty() && call.operands[0].kind == CodeOperand::Kind::number &&
                     (call.operands[0].number & ~kLocalMemory) == 0;
  if (!local) refuse("a barrier or fence for global memory");
}

/// Reads calls of vloadn(offset, p) and vstoren(data, offset, p), and of their variants for half. The elements lie
/// directly behind one another, except that `vloada_half3` and `vstorea_half3` advance in steps of four.
void KernelReader::read_vector_access(const CodeInstruction& call, std::string_view name, const Moment& moment) {
  const bool is_store = name.starts_with("vstore");
  const std::size_t operands = is_store ? 3 : 2;
  const unsigned elements = elements_of(name);
  if (call.operands.size() != operands || elements == 0) {
    refuse("a call of a function that is not known");
    return lose_arguments_of(call);
  }
  Span span;
  const CodeOperand& pointer = call.operands[operands - 1];
  try {
    const CodeTypes& types = module_.types();
    const CodeTypeId data = is_store ? call.operands[0].type : call.type;
    const bool half = name.find("half") != std::string_view::npos;
    span.certain_size = half ? std::uint64_t{2} * elements : types.stored_size(data);
    span.stride = name.find("a_half3") != std::string_view::npos ? 8 : span.certain_size;
    span.size = span.stride;
  } catch (const CodeNotUnderstood&) {
    return lose_arguments_of(call);
  }
  const auto index = numbers_.number(call.operands[operands - 2]);
  const auto place = numbers_.offset(pointer);
  std::optional<ExpressionId> offset;
  if (index && place) offset = numbers_.add(*place, numbers_.scaled(*index, span.stride));
  add_access(pointer, offset, span, is_store, moment);
}

/// Reads calls of llvm.memcpy(to, from, bytes, volatile) and llvm.memset(to, value, bytes, volatile).
void KernelReader::read_copy(const CodeInstruction& call, const Moment& moment) {
  const bool is_set = call.callee.starts_with("llvm.memset");
  const bool is_known = is_set || call.callee.starts_with("llvm.memcpy") || call.callee.starts_with("llvm.memmove");
  if (!is_known || call.operands.size() != 4) {
    refuse("a call of a function that is not known");
    return lose_arguments_of(call);
  }
  const CodeOperand& to = call.operands[0];
  const CodeOperand& from = call.operands[1];
  const CodeOperand& count = call.operands[2];
  PointerRoots roots = pointers_.roots(to);
  if (!is_set) roots |= pointers_.roots(from);
  const CodeOperand& special = call.operands[3];
  if ((special.kind != CodeOperand::Kind::number || special.number != 0) && !roots.none()) refuse("a volatile access");
  const bool counted = count.kind == CodeOperand::Kind::number && count.number >= 0;
  const auto bytes = counted ? static_cast<std::uint64_t>(count.number) : 0;
  const auto place = [&](const CodeOperand& pointer) { return counted ? numbers_.offset(pointer) : std::nullopt; };
  if (counted && bytes == 0) return;
  add_access(to, place(to), {bytes, bytes, 0}, true, moment);
  if (!is_set) add_access(from, place(from), {bytes, bytes, 0}, false, moment);
}

void KernelReader::read_own_function(const CodeInstruction& call) {
  note_questions(*module_.function(call.callee), 0);
  if (call.effects.pure) return;
  refuse("a call of a function that the compiler did not put in its place");
  // The function may find further pointers in the memory that it can reach.
  lose({0, false, true}, true, true);
}

void KernelReader::note_questions(const CodeFunction& function, int depth) {
  constexpr int kDeepest = 20;
  if (depth == kDeepest) return refuse("functions call one another too deeply");
  for (const CodeBlock& block : function.blocks) {
    for (const CodeInstruction& instruction : block.instructions) {
      if (instruction.operation != "call") continue;
      const std::string_view name = plain_name(instruction.callee);
      if (const CodeFunction* own = module_.function(instruction.callee)) {
        note_questions(*own, depth + 1);
      } else if (name.starts_with("get_")) {
        read_question(instruction, name);
      }
    }
  }
}

}  // namespace troupe::opencl
