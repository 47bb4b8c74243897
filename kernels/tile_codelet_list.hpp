/// The tile codelets one by one: what a service calls them, and for people what they do.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/codelets.hpp"

namespace troupe::kernels {

template <class T>
struct TileCodeletEntry {
  /// As the member is called.
  std::string_view name;
  Codelet TileCodelets<T>::*codelet;
  /// One line.
  std::string_view description;
  /// What its data and, after a semicolon, its arguments are called, in their order: "A, B, C; offset".
  std::string_view parameters;
};

/// All members of `TileCodelets<T>`, in their order. `T` is float or double.
template <class T>
std::span<const TileCodeletEntry<T>> tile_codelet_list();

/// "gemm_nt/double".
template <class T>
std::string precise_name(std::string_view name);

}  // namespace troupe::kernels
