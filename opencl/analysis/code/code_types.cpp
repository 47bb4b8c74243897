#include "opencl/analysis/code/code_types.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace troupe::opencl {
namespace {

constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 40U;

std::uint64_t rounded_up(std::uint64_t size, std::uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

unsigned floating_bits(std::string_view word) {
  if (word == "half" || word == "bfloat") return 16;
  if (word == "float") return 32;
  return word == "double" ? 64 : 0;
}

}  // namespace

CodeTypeId CodeTypes::add(CodeType type) {
  const auto found = std::ranges::find(types_, type);
  if (found != types_.end()) return static_cast<CodeTypeId>(found - types_.begin());
  types_.push_back(std::move(type));
  return static_cast<CodeTypeId>(types_.size() - 1);
}

CodeTypeId CodeTypes::read(CodeTokens& tokens) {
  CodeTypeId type = read_one(tokens);
  for (;;) {
    if (tokens.peek().is('(')) {  // The parameters of a function type.
      tokens.skip_group();
      type = add({});
    } else if (tokens.peek().is('*') || tokens.peek().is("addrspace")) {
      CodeType pointer{CodeType::Kind::pointer, 0, 0, 0, {}};
      if (tokens.skip("addrspace")) {
        tokens.expect('(');
        pointer.address_space = static_cast<unsigned>(code_number(tokens.expect(CodeToken::Kind::word)).value_or(99));
        tokens.expect(')');
      }
      // `ptr addrspace(1)` has no star, because newer compilers do not name the type that a pointer points to.
      if (!tokens.skip('*') && !is_pointer(type)) throw CodeNotUnderstood("an address space without a pointer");
      type = add(std::move(pointer));
    } else {
      return type;
    }
  }
}

CodeTypeId CodeTypes::read_one(CodeTokens& tokens) {
  if (tokens.peek().kind == CodeToken::Kind::local) return read_named(tokens.take().text);
  if (tokens.skip('[')) return read_repeated(tokens, CodeType::Kind::array, ']');
  if (tokens.skip('{')) return read_structure(tokens, CodeType::Kind::structure);
  if (!tokens.skip('<')) return read_word(tokens);
  if (!tokens.skip('{')) return read_repeated(tokens, CodeType::Kind::vector, '>');
  const CodeTypeId type = read_structure(tokens, CodeType::Kind::packed_structure);
  tokens.expect('>');
  return type;
}

CodeTypeId CodeTypes::read_word(CodeTokens& tokens) {
  const std::string_view word = tokens.expect(CodeToken::Kind::word);
  if (word == "ptr") return add({CodeType::Kind::pointer, 0, 0, 0, {}});
  if (const unsigned bits = floating_bits(word); bits != 0) return add({CodeType::Kind::floating, bits, 0, 0, {}});
  if (word == "target") tokens.skip_group();
  if (word == "target" || word == "void" || word == "label" || word == "metadata" || word == "token" ||
      word == "opaque") {
    return add({});
  }
  const auto bits = word[0] == 'i' ? code_number(word.substr(1)) : std::nullopt;
  if (!bits || *bits < 1 || *bits > 4096) throw CodeNotUnderstood("no type: " + std::string(word));
  return add({CodeType::Kind::integer, static_cast<unsigned>(*bits), 0, 0, {}});
}

CodeTypeId CodeTypes::read_named(std::string_view name) {
  if (const auto known = read_names_.find(name); known != read_names_.end()) return known->second;
  const auto text = named_.find(name);
  if (text == named_.end()) throw CodeNotUnderstood("no type of that name: " + std::string(name));
  // A definition may mention its own name only as the target of a pointer, and the type of a pointer's target does not
  // matter.
  read_names_.emplace(name, add({}));
  CodeTokens tokens(text->second);
  const CodeTypeId type = read(tokens);
  read_names_.find(name)->second = type;
  return type;
}

CodeTypeId CodeTypes::read_repeated(CodeTokens& tokens, CodeType::Kind kind, char end) {
  const auto count = code_number(tokens.expect(CodeToken::Kind::word));
  if (!count || *count < 0) throw CodeNotUnderstood("no number of elements");
  tokens.expect("x");
  const CodeTypeId element = read(tokens);
  tokens.expect(end);
  return add({kind, 0, 0, static_cast<std::uint64_t>(*count), {element}});
}

CodeTypeId CodeTypes::read_structure(CodeTokens& tokens, CodeType::Kind kind) {
  CodeType type{kind, 0, 0, 0, {}};
  while (!tokens.skip('}')) {
    if (!type.parts.empty()) tokens.expect(',');
    type.parts.push_back(read(tokens));
  }
  return add(std::move(type));
}

std::uint64_t CodeTypes::stored_size(CodeTypeId id) const {
  const CodeType& type = (*this)[id];
  switch (type.kind) {
    case CodeType::Kind::integer:
    case CodeType::Kind::floating: return (type.bits + 7U) / 8U;
    case CodeType::Kind::pointer: return 8;
    case CodeType::Kind::vector: {
      const CodeType& element = (*this)[type.parts[0]];
      const bool number = element.kind == CodeType::Kind::integer || element.kind == CodeType::Kind::floating;
      if (!number || element.bits % 8 != 0 || type.count > 64) throw CodeNotUnderstood("an unusual vector");
      return type.count * stored_size(type.parts[0]);
    }
    case CodeType::Kind::array: {
      const std::uint64_t element = stride(type.parts[0]);
      if (element != 0 && type.count > kLargestSize / element) throw CodeNotUnderstood("an array beyond all bounds");
      return type.count * element;
    }
    case CodeType::Kind::structure:
    case CodeType::Kind::packed_structure: return part_offset(id, type.parts.size());
    case CodeType::Kind::other: break;
  }
  throw CodeNotUnderstood("a type without size");
}

std::uint64_t CodeTypes::alignment(CodeTypeId id) const {
  const CodeType& type = (*this)[id];
  switch (type.kind) {
    case CodeType::Kind::integer:
      if (type.bits > 64) throw CodeNotUnderstood("an unusual number");
      return std::bit_ceil(stored_size(id));
    case CodeType::Kind::vector: return std::bit_ceil(stored_size(id));
    case CodeType::Kind::floating:
    case CodeType::Kind::pointer: return stored_size(id);
    case CodeType::Kind::array: return alignment(type.parts[0]);
    case CodeType::Kind::packed_structure: return 1;
    case CodeType::Kind::structure: {
      std::uint64_t largest = 1;
      for (const CodeTypeId part : type.parts) largest = std::max(largest, alignment(part));
      return largest;
    }
    case CodeType::Kind::other: break;
  }
  throw CodeNotUnderstood("a type without alignment");
}

std::uint64_t CodeTypes::stride(CodeTypeId type) const { return rounded_up(stored_size(type), alignment(type)); }

/// Returns the offset of a structure's member. If `part` is the number of members, returns the structure's size, which
/// includes the padding at its end.
std::uint64_t CodeTypes::part_offset(CodeTypeId id, std::size_t part) const {
  const CodeType& type = (*this)[id];
  const bool packed = type.kind == CodeType::Kind::packed_structure;
  if (!packed && type.kind != CodeType::Kind::structure) throw CodeNotUnderstood("no structure");
  if (part > type.parts.size()) throw CodeNotUnderstood("a structure has no such part");
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < part; ++i) {
    if (!packed) offset = rounded_up(offset, alignment(type.parts[i]));
    offset += stride(type.parts[i]);
  }
  if (packed) return offset;
  return rounded_up(offset, part < type.parts.size() ? alignment(type.parts[part]) : alignment(id));
}

}  // namespace troupe::opencl
