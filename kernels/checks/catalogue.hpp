/// All built-in codelets by their unique names: the codelets that a service offers to its clients.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/checks/conditions.hpp"
#include "troupe/codelet.hpp"
#include "troupe/units.hpp"

namespace troupe::kernels {

/// A description of one of a codelet's handles, or of a group of its handles.
struct CatalogueData {
  /// The name in descriptions, such as "C".
  std::string name;
  AccessMode mode = AccessMode::read;
  ViewShape shape = ViewShape::any;
  /// The element type, such as "double" or "int32"; empty if any type is allowed.
  std::string element;
  /// True if this entry stands for one or more handles of a task.
  bool repeated = false;
};

/// A description of one of a codelet's arguments by value.
struct CatalogueArgument {
  std::string name;
  /// The type, such as "int64".
  std::string type;
};

struct CatalogueEntry {
  /// The codelet's `known_name()`, such as "gemm_nt/double".
  std::string name;
  Codelet codelet;
  /// A description of one line, for the user.
  std::string description;
  std::vector<CatalogueData> data = {};
  std::vector<CatalogueArgument> arguments = {};
  /// Checks a task: fails with `invalid_argument` for every combination of shapes and arguments with which the kernel
  /// could read or write outside of its data, or BLAS would misbehave. A task that passes the check is safe for any
  /// content of its data, even while other processes write the data. The function does not check that the memory is as
  /// large as the layouts say, or that the memory is aligned to the size of its elements. May be called from any
  /// thread.
  TaskCheck check;
  /// Returns the time that a task takes, which is the same on every machine. Set only for codelets whose arguments give
  /// the time, and null for all other codelets.
  Duration (*takes)(const Arguments& arguments) = nullptr;
};

/// Returns all entries, sorted by name. They are built at first use and live until the program ends.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// Returns the entry of this name, or null if there is none.
[[nodiscard]] const CatalogueEntry* find_in_catalogue(std::string_view name);

}  // namespace troupe::kernels
