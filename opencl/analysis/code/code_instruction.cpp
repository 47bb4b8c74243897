#include <algorithm>
#include <array>

#include "opencl/analysis/code/code_module.hpp"

namespace troupe::opencl {
namespace {

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 13> kBinary{"add",  "sub",  "mul",  "shl", "lshr", "ashr", "udiv",
                                                   "sdiv", "urem", "srem", "or",  "and",  "xor"};
constexpr std::array<std::string_view, 6> kCasts{"zext", "sext", "trunc", "bitcast", "addrspacecast", "inttoptr"};
/// The words that may stand between an instruction's name and its first type. The reader ignores them, because they do
/// not change any integer that has a defined value.
constexpr std::array<std::string_view, 19> kFlags{
    "nuw",  "nsw", "exact", "disjoint", "nneg", "inbounds", "nusw",      "samesign",    "fast",  "nnan",
    "ninf", "nsz", "arcp",  "contract", "afn",  "reassoc",  "spir_func", "spir_kernel", "fastcc"};
/// The attributes that a value or a result may have.
constexpr std::array<std::string_view, 27> kValueAttributes{"noundef",
                                                            "nocapture",
                                                            "readonly",
                                                            "writeonly",
                                                            "readnone",
                                                            "nonnull",
                                                            "zeroext",
                                                            "signext",
                                                            "noalias",
                                                            "returned",
                                                            "immarg",
                                                            "nofree",
                                                            "inreg",
                                                            "align",
                                                            "byval",
                                                            "sret",
                                                            "dereferenceable",
                                                            "captures",
                                                            "range",
                                                            "nofpclass",
                                                            "initializes",
                                                            "noext",
                                                            "nest",
                                                            "elementtype",
                                                            "byref",
                                                            "dereferenceable_or_null",
                                                            "dead_on_unwind"};

/// The operations that only compute a result and have no other effect. The reader may ignore them even if it does not
/// understand the result.
constexpr std::array<std::string_view, 21> kComputing{
    "fadd",          "fsub",         "fmul",        "fdiv",   "frem",    "fneg",   "fcmp",
    "fptrunc",       "fpext",        "fptoui",      "fptosi", "uitofp",  "sitofp", "insertelement",
    "shufflevector", "extractvalue", "insertvalue", "icmp",   "bitcast", "trunc",  "select"};

void skip_flags(CodeTokens& tokens) {
  while (tokens.peek().kind == CodeToken::Kind::word && is_one_of(tokens.peek().text, kFlags)) {
    static_cast<void>(tokens.take());
  }
}

void skip_value_attributes(CodeTokens& tokens) {
  while (tokens.peek().kind == CodeToken::Kind::word && is_one_of(tokens.peek().text, kValueAttributes)) {
    const bool has_number = tokens.take().text == "align";
    if (tokens.peek().is('(')) {
      tokens.skip_group();
    } else if (has_number) {
      static_cast<void>(tokens.expect(CodeToken::Kind::word));
    }
  }
}

/// Reads a constant such as `bitcast (… @x to …)`, which is an address inside the variable `@x`.
CodeOperand read_constant_expression(CodeTokens& tokens, std::string_view operation, CodeTypeId type) {
  CodeOperand operand{CodeOperand::Kind::other, type, {}, 0};
  skip_flags(tokens);
  if (!tokens.peek().is('(')) return operand;
  int depth = 0;
  int variables = 0;
  bool plain = operation == "getelementptr" || operation == "bitcast" || operation == "addrspacecast";
  do {
    const CodeToken token = tokens.take();
    if (token.is('(')) ++depth;
    if (token.is(')')) --depth;
    plain = plain && !token.is("inttoptr") && !token.is("ptrtoint");
    if (token.kind != CodeToken::Kind::global) continue;
    operand.name = token.text;
    ++variables;
  } while (depth > 0);
  if (plain && variables == 1) operand.kind = CodeOperand::Kind::global;
  return operand;
}

CodeOperand read_value(CodeTokens& tokens, CodeTypeId type) {
  CodeOperand operand{CodeOperand::Kind::other, type, {}, 0};
  const CodeToken& token = tokens.peek();
  if (token.kind == CodeToken::Kind::local || token.kind == CodeToken::Kind::global) {
    operand.kind = token.kind == CodeToken::Kind::local ? CodeOperand::Kind::local : CodeOperand::Kind::global;
    operand.name = tokens.take().text;
    return operand;
  }
  if (token.kind == CodeToken::Kind::sign) {
    tokens.skip_group();
    return operand;
  }
  const std::string_view word = tokens.expect(CodeToken::Kind::word);
  if (word == "true" || word == "false") {
    operand.kind = CodeOperand::Kind::number;
    operand.number = word == "true" ? 1 : 0;
  } else if (word == "null" || word == "undef" || word == "poison" || word == "zeroinitializer" || word == "none") {
    operand.kind = CodeOperand::Kind::none;
  } else if (const auto number = code_number(word)) {
    operand.kind = CodeOperand::Kind::number;
    operand.number = *number;
  } else if (tokens.peek().kind == CodeToken::Kind::text) {
    static_cast<void>(tokens.take());
  } else {
    return read_constant_expression(tokens, word, type);
  }
  return operand;
}

CodeOperand read_typed_value(CodeTokens& tokens, CodeTypes& types) {
  const CodeTypeId type = types.read(tokens);
  skip_value_attributes(tokens);
  return read_value(tokens, type);
}

/// Reads two values of the same type, such as `i32 %a, %b`.
void read_alike(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction) {
  instruction.operands.push_back(read_typed_value(tokens, types));
  tokens.expect(',');
  instruction.operands.push_back(read_value(tokens, instruction.operands[0].type));
}

void read_list(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction) {
  do {
    instruction.operands.push_back(read_typed_value(tokens, types));
  } while (tokens.skip(',') && tokens.peek().kind != CodeToken::Kind::metadata);
}

void read_access(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction) {
  while (tokens.peek().is("atomic") || tokens.peek().is("volatile")) {
    instruction.is_special = true;
    static_cast<void>(tokens.take());
  }
  if (instruction.operation == "load") {
    instruction.type = types.read(tokens);
  } else {
    instruction.operands.push_back(read_typed_value(tokens, types));
    instruction.type = instruction.operands[0].type;
  }
  tokens.expect(',');
  instruction.operands.push_back(read_typed_value(tokens, types));
}

void read_argument(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction) {
  if (!tokens.peek().is("metadata")) return instruction.operands.push_back(read_typed_value(tokens, types));
  while (!tokens.peek().is(',') && !tokens.peek().is(')')) {
    if (tokens.peek().is('(') || tokens.peek().is('{')) {
      tokens.skip_group();
    } else {
      static_cast<void>(tokens.take());
    }
  }
  instruction.operands.push_back({});
}

void read_call(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction, std::string_view& attributes) {
  skip_flags(tokens);
  skip_value_attributes(tokens);
  instruction.type = types.read(tokens);
  instruction.callee = tokens.expect(CodeToken::Kind::global);
  tokens.expect('(');
  while (!tokens.skip(')')) {
    if (!instruction.operands.empty()) tokens.expect(',');
    read_argument(tokens, types, instruction);
  }
  while (!tokens.at_end()) {
    const CodeToken token = tokens.take();
    if (token.kind == CodeToken::Kind::attribute) attributes = token.text;
  }
}

void read_branch(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction) {
  if (!tokens.peek().is("label")) {
    instruction.operands.push_back(read_typed_value(tokens, types));
    tokens.expect(',');
  }
  while (!tokens.at_end() && !tokens.peek().is(',')) {
    tokens.expect("label");
    instruction.labels.push_back(tokens.expect(CodeToken::Kind::local));
    if (instruction.operands.empty() || instruction.labels.size() == 2 || !tokens.skip(',')) return;
  }
}

/// Reads the operands of a switch, such as `i32 %x, label %default [ i32 1, label %a … ]`.
void read_switch(CodeTokens& tokens, CodeInstruction& instruction) {
  while (!tokens.at_end()) {
    if (tokens.take().is("label")) instruction.labels.push_back(tokens.expect(CodeToken::Kind::local));
  }
}

/// Reads the operands of a phi, such as `i32 [ %a, %block ], [ 0, %other ]`.
void read_phi(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction) {
  instruction.type = types.read(tokens);
  do {
    tokens.expect('[');
    instruction.operands.push_back(read_value(tokens, instruction.type));
    tokens.expect(',');
    instruction.labels.push_back(tokens.expect(CodeToken::Kind::local));
    tokens.expect(']');
  } while (tokens.skip(',') && tokens.peek().is('['));
}

/// Reads an instruction if the analysis uses its operands; returns false for all other instructions.
bool read_known(CodeTokens& tokens, CodeTypes& types, CodeInstruction& instruction, std::string_view& attributes) {
  const std::string_view operation = instruction.operation;
  skip_flags(tokens);
  if (is_one_of(operation, kBinary)) {
    read_alike(tokens, types, instruction);
    instruction.type = instruction.operands[0].type;
  } else if (operation == "icmp") {
    instruction.relation = tokens.expect(CodeToken::Kind::word);
    read_alike(tokens, types, instruction);
  } else if (is_one_of(operation, kCasts)) {
    instruction.operands.push_back(read_typed_value(tokens, types));
    tokens.expect("to");
    instruction.type = types.read(tokens);
  } else if (operation == "getelementptr") {
    instruction.element = types.read(tokens);
    tokens.expect(',');
    read_list(tokens, types, instruction);
    instruction.type = instruction.operands[0].type;
  } else if (operation == "load" || operation == "store") {
    read_access(tokens, types, instruction);
  } else if (operation == "call") {
    read_call(tokens, types, instruction, attributes);
  } else if (operation == "br") {
    read_branch(tokens, types, instruction);
  } else if (operation == "switch") {
    read_switch(tokens, instruction);
  } else if (operation == "phi") {
    read_phi(tokens, types, instruction);
  } else if (operation == "select" || operation == "freeze" || operation == "extractelement") {
    read_list(tokens, types, instruction);
    instruction.type = instruction.operands.at(operation == "select" ? 1 : 0).type;
  } else if (operation == "alloca") {
    instruction.type = types.add({CodeType::Kind::pointer, 0, 0, 0, {}});
  } else {
    return operation == "ret" || operation == "unreachable";
  }
  return true;
}

/// Adds one operand for every name in the text.
void read_mentioned(std::string_view text, CodeInstruction& instruction) {
  CodeTokens tokens(text);
  while (!tokens.at_end()) {
    const CodeToken token = tokens.take();
    if (token.kind == CodeToken::Kind::local) {
      instruction.operands.push_back({CodeOperand::Kind::local, 0, token.text, 0});
    } else if (token.kind == CodeToken::Kind::global) {
      instruction.operands.push_back({CodeOperand::Kind::global, 0, token.text, 0});
    }
  }
}

std::string_view read_result(CodeTokens& tokens) {
  if (tokens.peek().kind != CodeToken::Kind::local) return {};
  const std::string_view name = tokens.take().text;
  tokens.expect('=');
  return name;
}

}  // namespace

CodeInstruction read_instruction(std::string_view text, CodeTypes& types, std::string_view& attributes) {
  CodeInstruction instruction;
  std::string_view result;
  try {
    CodeTokens tokens(text);
    result = instruction.result = read_result(tokens);
    if (!tokens.skip("tail") && !tokens.skip("musttail")) static_cast<void>(tokens.skip("notail"));
    instruction.operation = tokens.expect(CodeToken::Kind::word);
    if (read_known(tokens, types, instruction, attributes)) return instruction;
  } catch (const CodeNotUnderstood&) {
    attributes = {};
  }
  // The instruction was not understood. Its name is cleared, because it may be a call or a branch, whose effects are
  // unknown. Operations that only compute a result get the name "other".
  const std::string_view operation = instruction.operation;
  instruction = {};
  instruction.result = result;
  read_mentioned(text, instruction);
  if (is_one_of(operation, kComputing)) instruction.operation = "other";
  if (operation == "atomicrmw" || operation == "cmpxchg") instruction.operation = "atomic";
  return instruction;
}

CodeParameter read_parameter(CodeTokens& tokens, CodeTypes& types) {
  CodeParameter parameter;
  parameter.type = types.read(tokens);
  while (tokens.peek().kind != CodeToken::Kind::local) {
    const CodeToken token = tokens.take();
    parameter.never_written |= token.is("readonly") || token.is("readnone");
    parameter.never_read |= token.is("writeonly") || token.is("readnone");
    parameter.by_value |= token.is("byval");
    if (tokens.peek().is('(')) tokens.skip_group();
  }
  parameter.name = tokens.take().text;
  return parameter;
}

}  // namespace troupe::opencl
