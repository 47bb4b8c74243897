/// The table of tile kernels. A row has the names of a kernel, its data and arguments, its implementations and its
/// conditions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/checks/conditions.hpp"
#include "kernels/codelets.hpp"

namespace troupe::kernels {

/// The row of a tile kernel. docs/extending.md shows how to add a tile kernel.
template <class T>
struct TileKernel {
  /// The name of the member of `TileCodelets`. Services also know the kernel by this name.
  std::string_view name;
  Codelet TileCodelets<T>::*codelet;
  /// A description of one line.
  std::string_view description;
  /// The kernel's data, each with its mode (r, w or rw), and, after a semicolon, its arguments, in their order:
  /// "A r, B r, C rw; offset".
  std::string_view parameters;
  /// Makes the codelet, with these modes, its implementation for cores and its count of operations.
  Codelet (*make)(const std::vector<AccessMode>& modes);
  /// Checks shapes and arguments of a task before a service runs it: the kernel must not read or write outside of its
  /// data, and LAPACK's routines must accept their arguments. Whoever changes the kernel changes its conditions.
  void (*conditions)(Conditions&);
  /// The names of kernels in machine descriptions, the best first: "getrf_nopiv getrf". In virtual time, this kernel
  /// takes the times of the first of these kernels that the machine has. If empty, the kernel does not run in virtual
  /// time.
  std::string_view timed_as = {};
};

/// Returns the rows of all members of `TileCodelets<T>`, in the order of the members (base class first). `T` is float
/// or double.
template <class T>
std::span<const TileKernel<T>> tile_kernels();

/// Returns the row of this member of `TileCodelets`.
template <class T>
const TileKernel<T>& tile_kernel(Codelet TileCodelets<T>::*codelet);

/// Returns the name with the precision, such as "gemm_nt/double".
template <class T>
std::string precise_name(std::string_view name);

}  // namespace troupe::kernels
