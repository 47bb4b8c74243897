/// Types of the intermediate code for the target spir64: what takes how many bytes where.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "opencl/analysis/code/code_tokens.hpp"

namespace troupe::opencl {

/// Names a type of one `CodeTypes`.
using CodeTypeId = std::int32_t;

struct CodeType {
  enum class Kind : std::uint8_t { integer, floating, pointer, vector, array, structure, packed_structure, other };
  Kind kind = Kind::other;
  /// Of a number.
  unsigned bits = 0;
  /// Of a pointer.
  unsigned address_space = 0;
  /// Of a vector or an array.
  std::uint64_t count = 0;
  /// What it consists of; of a vector or an array the one element.
  std::vector<CodeTypeId> parts;

  friend bool operator==(const CodeType&, const CodeType&) = default;
};

/// Throws CodeNotUnderstood where the layout is not known, or larger than anything that there is.
class CodeTypes {
 public:
  /// Takes a type from the front.
  [[nodiscard]] CodeTypeId read(CodeTokens& tokens);
  /// `%name = type { … }`: names may be used before.
  void define(std::string_view name, std::string_view text) { named_.emplace(name, text); }

  [[nodiscard]] const CodeType& operator[](CodeTypeId type) const { return types_[static_cast<std::size_t>(type)]; }
  /// From one element of an array to the next, in bytes.
  [[nodiscard]] std::uint64_t stride(CodeTypeId type) const;
  /// What a store writes, in bytes: less than the stride where there is padding at the end.
  [[nodiscard]] std::uint64_t stored_size(CodeTypeId type) const;
  /// Of a structure's part, in bytes.
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
  /// The texts behind `type`, and what was read from them.
  std::map<std::string, std::string, std::less<>> named_;
  std::map<std::string, CodeTypeId, std::less<>> read_names_;
};

}  // namespace troupe::opencl
