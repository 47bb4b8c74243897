/// The types of the intermediate code for the target spir64: their sizes and layouts in bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "opencl/analysis/code/code_tokens.hpp"

namespace troupe::opencl {

/// The number of a type within one `CodeTypes`.
using CodeTypeId = std::int32_t;

struct CodeType {
  enum class Kind : std::uint8_t { integer, floating, pointer, vector, array, structure, packed_structure, other };
  Kind kind = Kind::other;
  /// The width of a number.
  unsigned bits = 0;
  /// The address space of a pointer.
  unsigned address_space = 0;
  /// The number of elements of a vector or an array.
  std::uint64_t count = 0;
  /// The types of a structure's members; for a vector or an array, only the type of the elements.
  std::vector<CodeTypeId> parts;

  friend bool operator==(const CodeType&, const CodeType&) = default;
};

/// The types of a program. Throws CodeNotUnderstood if a layout is unknown, or larger than any memory.
class CodeTypes {
 public:
  /// Reads a type from the front of the tokens.
  [[nodiscard]] CodeTypeId read(CodeTokens& tokens);
  /// Defines `%name = type { … }`. A name may be used before its definition is read.
  void define(std::string_view name, std::string_view text) { named_.emplace(name, text); }

  [[nodiscard]] const CodeType& operator[](CodeTypeId type) const { return types_[static_cast<std::size_t>(type)]; }
  /// Returns the distance from one element of an array to the next, in bytes.
  [[nodiscard]] std::uint64_t stride(CodeTypeId type) const;
  /// Returns the number of bytes that a store of this type writes: less than the stride if there is padding at the end.
  [[nodiscard]] std::uint64_t stored_size(CodeTypeId type) const;
  /// Returns the offset of a structure's member, in bytes.
  [[nodiscard]] std::uint64_t part_offset(CodeTypeId type, std::size_t part) const;
  [[nodiscard]] bool is_pointer(CodeTypeId type) const { return (*this)[type].kind == CodeType::Kind::pointer; }
  [[nodiscard]] CodeTypeId add(CodeType type);

 private:
  [[nodiscard]] CodeTypeId read_one(CodeTokens& tokens);
  [[nodiscard]] CodeTypeId read_word(CodeTokens& tokens);
  [[nodiscard]] CodeTypeId read_named(std::string_view name);
  [[nodiscard]] CodeTypeId read_repeated(CodeTokens& tokens, CodeType::Kind kind, char end);
  [[nodiscard]] CodeTypeId read_structure(CodeTokens& tokens, CodeType::Kind kind);
  [[nodiscard]] std::uint64_t alignment(CodeTypeId type) const;

  std::vector<CodeType> types_;
  /// `named_` holds the texts of the definitions, `read_names_` the types that were read from these texts; both by
  /// name.
  std::map<std::string, std::string, std::less<>> named_;
  std::map<std::string, CodeTypeId, std::less<>> read_names_;
};

}  // namespace troupe::opencl
