/// The tile codelets one by one: their names in a service, and descriptions for people.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/codelets.hpp"

namespace troupe::kernels {

template <class T>
struct TileCodeletEntry {
  /// The name of the member.
  std::string_view name;
  Codelet TileCodelets<T>::*codelet;
  /// A description of one line.
  std::string_view description;
  /// The names of its data and, after a semicolon, of its arguments, in their order: "A, B, C; offset".
  std::string_view parameters;
};

/// Returns all members of `TileCodelets<T>`, in their order. `T` is float or double.
template <class T>
std::span<const TileCodeletEntry<T>> tile_codelet_list();

/// Returns "gemm_nt/double".
template <class T>
std::string precise_name(std::string_view name);

}  // namespace troupe::kernels
