#include "opencl/analysis/kernel_reader.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

namespace troupe::opencl {
namespace {

constexpr unsigned kGlobal = 1;
constexpr unsigned kConstant = 2;

}  // namespace

KernelReader::KernelReader(const CodeModule& module, const CodeFunction& kernel)
    : module_(module), kernel_(kernel), flow_(kernel), pointers_(module, kernel), numbers_(module, kernel, pointers_) {}

KernelFacts KernelReader::read() {
  facts_.name = kernel_.name;
  if (kernel_.argument_count != kernel_.parameters.size())
    throw CodeNotUnderstood("arguments are not as in the source");
  facts_.arguments.resize(kernel_.parameters.size());
  for (KernelFacts::Argument& argument : facts_.arguments) argument.knows_loads = argument.knows_stores = true;
  for (std::size_t i = 0; i < kernel_.blocks.size(); ++i) {
    if (flow_.is_reachable(i)) read_block(i);
  }
  for (std::size_t i = 0; i < facts_.arguments.size(); ++i) finish_argument(i);
  facts_.expressions = numbers_.take();
  for (unsigned d = 0; d < 3; ++d) facts_.can_split[d] = facts_.refusal.empty() && may_split(d);
  if (facts_.can_split == std::array<bool, 3>{})
    refuse("where it loads and stores does not follow from the items' ids");
  return std::move(facts_);
}

void KernelReader::read_block(std::size_t block) {
  const Moment moment = moment_of(block);
  for (const CodeInstruction& instruction : kernel_.blocks[block].instructions) read_instruction(instruction, moment);
}

KernelReader::Moment KernelReader::moment_of(std::size_t block) {
  Moment moment;
  std::set<CodeFlow::Edge> closed;
  for (const CodeFlow::Decision& decision : flow_.decisions_before(block)) {
    const CodeInstruction& branch = kernel_.blocks[decision.block].instructions.back();
    if (branch.operation != "br" || branch.operands.empty()) continue;
    if (numbers_.add_conditions(branch.operands[0], decision.truth, moment.conditions)) closed.insert(decision.other);
  }
  moment.certain = flow_.is_unavoidable(block, closed);
  return moment;
}

void KernelReader::read_instruction(const CodeInstruction& instruction, const Moment& moment) {
  const std::string_view operation = instruction.operation;
  if (operation == "load" || operation == "store") {
    read_access(instruction, moment);
  } else if (operation == "call") {
    read_call(instruction, moment);
  } else if (operation == "atomic") {
    PointerRoots roots;
    for (const CodeOperand& operand : instruction.operands) {
      if (operand.name != instruction.result) roots |= pointers_.roots(operand);
    }
    // A pointer to the group's local memory has no roots: atomic operations on local memory are allowed.
    lose(roots, true, true);
    if (!roots.none()) refuse("an atomic operation on global memory");
  } else if (operation.empty()) {
    lose({0, false, true}, true, true);
  }
}

void KernelReader::read_access(const CodeInstruction& access, const Moment& moment) {
  const bool is_store = access.operation == "store";
  const CodeOperand& pointer = access.operands.back();
  const PointerRoots roots = pointers_.roots(pointer);
  if (access.is_special && !roots.none()) refuse("a volatile or atomic access");
  Span span;
  try {
    span = {module_.types().stride(access.type), module_.types().stored_size(access.type), 0};
  } catch (const CodeNotUnderstood&) {
    return lose(roots, !is_store, is_store);
  }
  add_access(pointer, numbers_.offset(pointer), span, is_store, moment);
}

void KernelReader::add_access(const CodeOperand& pointer, std::optional<ExpressionId> offset, Span span, bool is_store,
                              const Moment& moment) {
  const PointerRoots roots = pointers_.roots(pointer);
  const bool of_one = std::has_single_bit(roots.arguments) && !roots.variable && !roots.anything;
  if (!of_one || !offset || span.size > std::numeric_limits<std::uint32_t>::max()) {
    return lose(roots, !is_store, is_store);
  }
  KernelFacts::Argument& argument = facts_.arguments[static_cast<std::size_t>(std::countr_zero(roots.arguments))];
  (is_store ? argument.stores : argument.loads)
      .push_back({*offset, static_cast<std::uint32_t>(span.size), static_cast<std::uint32_t>(span.certain_size),
                  moment.conditions, moment.certain});
}

void KernelReader::lose(const PointerRoots& roots, bool loads, bool stores) {
  for (std::size_t i = 0; i < facts_.arguments.size(); ++i) {
    if (!roots.anything && (roots.arguments >> i & 1U) == 0) continue;
    if (loads) facts_.arguments[i].knows_loads = false;
    if (stores) facts_.arguments[i].knows_stores = false;
  }
  if (roots.variable) refuse("a variable of the program in global memory");
  if (roots.anything) refuse("a pointer of unknown origin");
}

void KernelReader::refuse(const char* reason) {
  if (facts_.refusal.empty()) facts_.refusal = reason;
}

/// Adds the facts that the compiler found: unlike this reader, the compiler follows pointers through functions and
/// loops.
void KernelReader::finish_argument(std::size_t index) {
  const CodeParameter& parameter = kernel_.parameters[index];
  const CodeType& type = module_.types()[parameter.type];
  KernelFacts::Argument& argument = facts_.arguments[index];
  const bool is_memory = type.kind == CodeType::Kind::pointer && !parameter.by_value &&
                         (type.address_space == kGlobal || type.address_space == kConstant);
  if (!is_memory) {
    argument = {false, false, true, true, {}, {}};
    return;
  }
  if (parameter.never_written && argument.stores.empty()) argument.knows_stores = true;
  if (parameter.never_read && argument.loads.empty()) argument.knows_loads = true;
  argument.writes = !argument.knows_stores || !argument.stores.empty();
  argument.reads = !argument.knows_loads || !argument.loads.empty();
}

/// Returns, for each expression, the dimensions along which its value differs between groups, as bits.
std::vector<unsigned> KernelReader::dimensions_in_expressions() const {
  std::vector<unsigned> dimensions(facts_.expressions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const Expression& expression = facts_.expressions[i];
    if (expression.kind == Expression::Kind::global_id || expression.kind == Expression::Kind::group_id) {
      dimensions[i] = 1U << static_cast<unsigned>(expression.left);
    }
    if (expression.kind < Expression::Kind::add) continue;
    dimensions[i] |= dimensions[static_cast<std::size_t>(expression.left)];
    if (expression.kind < Expression::Kind::sign_extend) {
      dimensions[i] |= dimensions[static_cast<std::size_t>(expression.right)];
    }
  }
  return dimensions;
}

bool KernelReader::may_split(unsigned dimension) const {
  const auto dimensions = dimensions_in_expressions();
  return std::ranges::all_of(facts_.arguments, [&](const KernelFacts::Argument& argument) {
    if (!argument.writes) return true;
    if (!argument.knows_stores || (argument.reads && !argument.knows_loads)) return false;
    const bool stores_apart = std::ranges::all_of(argument.stores, [&](const KernelFacts::Access& store) {
      return (dimensions[static_cast<std::size_t>(store.offset)] >> dimension & 1U) != 0;
    });
    return stores_apart && std::ranges::all_of(argument.loads, [&](const KernelFacts::Access& load) {
             return std::ranges::any_of(argument.stores, [&](const KernelFacts::Access& store) {
               return store.offset == load.offset && load.size <= store.size;
             });
           });
  });
}

}  // namespace troupe::opencl
