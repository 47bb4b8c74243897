/// Every built-in codelet by its unique name: the codelets that a service offers to its clients.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/checks/conditions.hpp"
#include "troupe/codelet.hpp"
#include "troupe/units.hpp"

namespace troupe::kernels {

/// One of a codelet's data, for people and programs.
struct CatalogueData {
  /// The name in descriptions: "C".
  std::string name;
  AccessMode mode = AccessMode::read;
  ViewShape shape = ViewShape::any;
  /// The element type, "double", "int32"; empty: any.
  std::string element;
  /// True: a task names one or more of them.
  bool repeated = false;
};

/// One of a codelet's arguments by value.
struct CatalogueArgument {
  std::string name;
  /// The type, "int64".
  std::string type;
};

struct CatalogueEntry {
  /// `codelet.definition().known_name()`: "gemm_nt/double".
  std::string name;
  Codelet codelet;
  /// A description of one line, for people.
  std::string description;
  std::vector<CatalogueData> data = {};
  std::vector<CatalogueArgument> arguments = {};
  /// Fails with `invalid_argument` for every combination of shapes and arguments with which the kernel could read or
  /// write outside of its data, or BLAS would misbehave. A task that passes is safe whatever the data hold, even while
  /// others write them. It does not check that the memory is as large as the layouts say, nor that it is aligned to its
  /// elements' size. Any thread.
  TaskCheck check;
  /// Returns how long a task takes on any machine, where its arguments say so; null for other codelets.
  Duration (*takes)(const Arguments& arguments) = nullptr;
};

/// Returns all entries, by name. Built at first use; lives until the program ends.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// Returns null where there is none.
[[nodiscard]] const CatalogueEntry* find_in_catalogue(std::string_view name);

}  // namespace troupe::kernels
