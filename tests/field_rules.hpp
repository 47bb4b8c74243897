/// Counts the fields of the tree's types, so that none grows beyond what a reader keeps in mind.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/include_rules.hpp"

namespace troupe::tests {

/// A struct, class or union of a file. Fields of types inside it do not count, nor do static members and bases.
struct CountedType {
  std::string path;
  std::string name;
  std::size_t fields;

  bool operator==(const CountedType&) const = default;
};

/// Returns the types that the file defines outside of functions, in their order. The file must be formatted as the tree
/// is; macros other than attributes are not understood.
std::vector<CountedType> count_fields(const SourceFile& file);

}  // namespace troupe::tests
