/// Every built-in codelet by the name that no other one has: what a service offers to its clients.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/codelets/codelet.hpp"
#include "kernels/checks/conditions.hpp"
#include "proto/units.hpp"

namespace troupe::kernels {

/// One of a codelet's data, for people and programs.
struct CatalogueData {
  /// As descriptions call it: "C".
  std::string name;
  AccessMode mode = AccessMode::read;
  ViewShape shape = ViewShape::any;
  /// "double", "int32"; empty: any.
  std::string element;
  /// A task names one or more of them.
  bool repeated = false;
};

/// One of a codelet's arguments by value.
struct CatalogueArgument {
  std::string name;
  /// "int64".
  std::string type;
};

struct CatalogueEntry {
  /// `codelet.definition().known_name()`: "gemm_nt/double".
  std::string name;
  Codelet codelet;
  /// One line, for people.
  std::string description;
  std::vector<CatalogueData> data = {};
  std::vector<CatalogueArgument> arguments = {};
  /// Fails with `invalid_argument` for every combination of shapes and arguments with which the kernel could read or
  /// write outside of its data, or BLAS would misbehave. What it lets pass is safe whatever the data hold, even while
  /// others write them. Not its business: that the memory has what the layouts say, and that it is aligned to its
  /// elements' size. Any thread.
  TaskCheck check;
  /// How long a task takes whatever the machine, where its arguments say so; else null.
  Duration (*takes)(const Arguments& arguments) = nullptr;
};

/// All of them, by name. Built at first use; lives until the program ends.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// Null: there is none.
[[nodiscard]] const CatalogueEntry* find_in_catalogue(std::string_view name);

}  // namespace troupe::kernels
