#include "opencl/analysis/code/code_module.hpp"

#include <algorithm>
#include <utility>

namespace troupe::opencl {
namespace {

constexpr unsigned kUnknownSpace = 99;

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

CodeEffects effects_in(std::string_view attributes) {
  CodeEffects effects;
  effects.pure = contains(attributes, " readnone ") || contains(attributes, "memory(none)");
  effects.only_reads = effects.pure || contains(attributes, " readonly ") || contains(attributes, "memory(read)") ||
                       contains(attributes, "memory(argmem: read)");
  return effects;
}

/// Returns the label of the line; empty if the line is no label.
std::string_view label_of(std::string_view line) {
  if (line.empty() || line[0] == ' ') return {};
  if (line[0] == '"') {
    const std::size_t end = line.find('"', 1);
    return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
  }
  const std::size_t end = line.find(':');
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

}  // namespace

CodeModule::CodeModule(std::string_view text) {
  // The types are read first, because they may be used before they are defined.
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const std::size_t definition = line.find(" = type ");
    if (!line.starts_with('%') || definition == std::string_view::npos) continue;
    CodeTokens name(line.substr(0, definition));
    types_.define(name.expect(CodeToken::Kind::local), line.substr(definition + 8));
  }
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with("define ")) {
      read_function(line, text);
    } else {
      read_line(line);
    }
  }
  if (!is_spir64_) throw CodeNotUnderstood("another target");
  finish();
}

void CodeModule::read_line(std::string_view line) {
  if (line.starts_with("target triple")) {
    is_spir64_ = contains(line, "\"spir64");
  } else if (line.starts_with('@')) {
    read_variable(line);
  } else if (line.starts_with('!')) {
    read_metadata(line);
  } else if (line.starts_with("attributes ")) {
    read_attributes(line);
  } else if (line.starts_with("declare ")) {
    read_declaration(line);
  }
}

void CodeModule::read_variable(std::string_view line) {
  CodeTokens tokens(line);
  const std::string_view name = tokens.expect(CodeToken::Kind::global);
  unsigned space = 0;
  while (!tokens.at_end()) {
    const CodeToken token = tokens.take();
    if (token.is("addrspace")) {
      tokens.expect('(');
      space = static_cast<unsigned>(code_number(tokens.expect(CodeToken::Kind::word)).value_or(kUnknownSpace));
    } else if (token.is("alias") || token.is("ifunc")) {
      space = kUnknownSpace;
      break;
    } else if (token.is("global") || token.is("constant")) {
      break;
    }
  }
  variables_[name] = space;
}

/// Reads a metadata list, such as `!8 = !{i32 1, i32 1}`.
void CodeModule::read_metadata(std::string_view line) {
  const std::size_t list = line.find(" = !{");
  if (list == std::string_view::npos) return;
  const std::string_view items = line.substr(list + 5);
  list_lengths_[line.substr(1, list - 1)] =
      items.starts_with('}') ? 0 : static_cast<std::size_t>(std::ranges::count(items, ',')) + 1;
}

/// Reads a group of attributes: `attributes #1 = { … }`.
void CodeModule::read_attributes(std::string_view line) {
  CodeTokens tokens(line);
  tokens.expect("attributes");
  attributes_[tokens.expect(CodeToken::Kind::attribute)] = effects_in(line);
}

/// Reads a declaration: `declare … @name(…) … #1`.
void CodeModule::read_declaration(std::string_view line) {
  CodeTokens tokens(line);
  while (tokens.peek().kind != CodeToken::Kind::global) static_cast<void>(tokens.take());
  const std::string_view name = tokens.take().text;
  tokens.skip_group();
  while (!tokens.at_end()) {
    const CodeToken token = tokens.take();
    if (token.kind == CodeToken::Kind::attribute) declarations_[name] = token.text;
  }
}

/// Reads a definition: `define … @name(…) … #1 !kernel_arg_addr_space !8 … {`.
void CodeModule::read_function(std::string_view header, std::string_view& rest) {
  CodeFunction function;
  CodeTokens tokens(header);
  while (tokens.peek().kind != CodeToken::Kind::global) function.is_kernel |= tokens.take().is("spir_kernel");
  function.name = tokens.take().text;
  tokens.expect('(');
  while (!tokens.skip(')')) {
    if (!function.parameters.empty()) tokens.expect(',');
    function.parameters.push_back(read_parameter(tokens, types_));
  }
  while (!tokens.at_end()) {
    const CodeToken token = tokens.take();
    if (token.kind == CodeToken::Kind::metadata && token.text == "kernel_arg_addr_space") {
      list_of_function_[function.name] = tokens.expect(CodeToken::Kind::metadata);
    } else if (token.kind == CodeToken::Kind::attribute) {
      declarations_[function.name] = token.text;
    }
  }
  read_body(function, rest);
  functions_.push_back(std::move(function));
}

void CodeModule::read_body(CodeFunction& function, std::string_view& rest) {
  function.blocks.emplace_back();
  while (!rest.empty()) {
    const std::string_view from = rest;
    std::string_view line = take_line(rest);
    if (line == "}") return;
    if (const std::string_view label = label_of(line); !label.empty()) {
      if (function.blocks.size() > 1 || !function.blocks.front().instructions.empty()) function.blocks.emplace_back();
      function.blocks.back().label = label;
      continue;
    }
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    if (line.starts_with("  switch ") && !line.ends_with(']')) {
      // The text of a switch has several lines; the last line has only the bracket.
      while (!rest.empty() && !take_line(rest).starts_with("  ]")) {
      }
      line = from.substr(0, from.size() - rest.size());
    }
    std::string_view attributes;
    CodeInstruction instruction = read_instruction(line, types_, attributes);
    // `relation` keeps the number of the attribute group for now, because the groups are defined at the end of the
    // module.
    if (!instruction.callee.empty()) instruction.relation = attributes;
    function.blocks.back().instructions.push_back(std::move(instruction));
  }
  throw CodeNotUnderstood("a function does not end");
}

void CodeModule::finish() {
  const auto effects_of = [&](std::string_view group) {
    const auto found = attributes_.find(group);
    return found == attributes_.end() ? CodeEffects() : found->second;
  };
  for (CodeFunction& function : functions_) {
    if (const auto list = list_of_function_.find(function.name); list != list_of_function_.end()) {
      const auto length = list_lengths_.find(list->second);
      if (length != list_lengths_.end()) function.argument_count = length->second;
    }
    for (CodeBlock& block : function.blocks) {
      for (CodeInstruction& instruction : block.instructions) {
        if (instruction.callee.empty()) continue;
        const CodeEffects here = effects_of(std::exchange(instruction.relation, {}));
        const auto declared = declarations_.find(instruction.callee);
        const CodeEffects there = declared == declarations_.end() ? CodeEffects() : effects_of(declared->second);
        instruction.effects = {here.pure || there.pure, here.only_reads || there.only_reads};
      }
    }
  }
}

const CodeFunction* CodeModule::function(std::string_view name) const {
  const auto found = std::ranges::find(functions_, name, &CodeFunction::name);
  return found == functions_.end() ? nullptr : &*found;
}

unsigned CodeModule::address_space_of(std::string_view variable) const {
  const auto found = variables_.find(variable);
  return found == variables_.end() ? kUnknownSpace : found->second;
}

}  // namespace troupe::opencl
