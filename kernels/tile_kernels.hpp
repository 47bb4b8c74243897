/// The tile kernels, a row for each: its names, its data and arguments, its implementations and what they demand.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/checks/conditions.hpp"
#include "kernels/codelets.hpp"

namespace troupe::kernels {

/// All that is known of a tile kernel. docs/extending.md shows how to add one.
template <class T>
struct TileKernel {
  /// The name of the member; services know the kernel by it, too.
  std::string_view name;
  Codelet TileCodelets<T>::*codelet;
  /// A description of one line.
  std::string_view description;
  /// The names of its data and, after a semicolon, of its arguments, in their order: "A, B, C; offset".
  std::string_view parameters;
  /// Makes the codelet, with its modes, its implementation for cores and its operations.
  Codelet (*make)();
  /// Checks shapes and arguments before a service runs it.
  void (*conditions)(Conditions&);
  /// Gives the codelet its implementation for CUDA GPUs. Null: there is none, or this build is without CUDA.
  void (*add_gpu)(Codelet&) = nullptr;
  /// The names of kernels in machine descriptions whose times this kernel takes, the best first: "getrf_nopiv getrf".
  /// If empty, it does not run in virtual time.
  std::string_view timed_as = {};
};

/// Returns the rows of all members of `TileCodelets<T>`, in their order (those of the base first). `T` is float or double.
template <class T>
std::span<const TileKernel<T>> tile_kernels();

/// Returns the row of a member.
template <class T>
const TileKernel<T>& tile_kernel(Codelet TileCodelets<T>::*codelet);

/// Returns a name such as "gemm_nt/double".
template <class T>
std::string precise_name(std::string_view name);

}  // namespace troupe::kernels
