#include "opencl/analysis/code/code_pointers.hpp"

namespace troupe::opencl {
namespace {

constexpr unsigned kVariables = 1;
constexpr unsigned kConstants = 2;
constexpr unsigned kGroupMemory = 3;

}  // namespace

PointerRoots& PointerRoots::operator|=(const PointerRoots& other) {
  arguments |= other.arguments;
  variable |= other.variable;
  anything |= other.anything;
  return *this;
}

CodePointers::CodePointers(const CodeModule& module, const CodeFunction& function) : module_(module) {
  if (function.parameters.size() > 64) throw CodeNotUnderstood("too many parameters");
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const CodeParameter& parameter = function.parameters[i];
    const bool of_group = module.types()[parameter.type].address_space == kGroupMemory;
    if (module.types().is_pointer(parameter.type) && !of_group) {
      roots_[parameter.name].arguments = std::uint64_t{1} << i;
    }
  }
  // The sets of roots only grow, so this loop ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (const CodeBlock& block : function.blocks) {
      for (const CodeInstruction& instruction : block.instructions) {
        if (instruction.result.empty()) continue;
        PointerRoots& known = roots_[instruction.result];
        PointerRoots all = known;
        all |= roots_of_result(instruction);
        changed |= all != known;
        known = all;
      }
    }
  }
}

PointerRoots CodePointers::roots(const CodeOperand& operand) const {
  PointerRoots roots;
  switch (operand.kind) {
    case CodeOperand::Kind::number:
    case CodeOperand::Kind::none: break;
    case CodeOperand::Kind::other: roots.anything = true; break;
    case CodeOperand::Kind::local:
      if (const auto found = roots_.find(operand.name); found != roots_.end()) roots = found->second;
      break;
    case CodeOperand::Kind::global: {
      const unsigned space = module_.address_space_of(operand.name);
      roots.variable = space == kVariables;
      roots.anything = space != kVariables && space != kConstants && space != kGroupMemory;
      break;
    }
  }
  return roots;
}

PointerRoots CodePointers::roots_of_result(const CodeInstruction& instruction) const {
  PointerRoots roots;
  const std::string_view operation = instruction.operation;
  if (operation == "getelementptr" || operation == "bitcast" || operation == "addrspacecast" || operation == "freeze") {
    return this->roots(instruction.operands.at(0));
  }
  if (operation == "phi") {
    for (const CodeOperand& operand : instruction.operands) roots |= this->roots(operand);
    return roots;
  }
  if (operation == "select") {
    roots = this->roots(instruction.operands.at(1));
    return roots |= this->roots(instruction.operands.at(2));
  }
  // Other results are numbers, whose roots do not matter, or pointers that may point to any object. `alloca` makes
  // private memory, which has no roots.
  roots.anything = operation != "alloca";
  return roots;
}

}  // namespace troupe::opencl
