/// Codelets of the tile kernels that take the times of a described machine.
#pragma once

#include <string>
#include <vector>

#include "kernels/codelets.hpp"
#include "linalg/factorization.hpp"
#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns the codelets that the tile algorithm of `application` submits (for LU: with any pivoting), with the times of
/// the machine's kernels. The codelets have an implementation for each kind of device for which the machine has times,
/// and compute the same results as `codelets<T>()`. The precision is that of T, "single" or "double". If the machine
/// lacks a kernel, fails with `bad_input` and names the kernel.
template <class T>
[[nodiscard]] Result<kernels::TileCodelets<T>> modelled_codelets(linalg::Application application,
                                                                 const platform::MachineDescription& machine,
                                                                 linalg::Pivoting pivoting = linalg::Pivoting::none);

/// A codelet that the tile algorithm submits, and the name of its kernel in the machine's description.
struct NeededKernel {
  Codelet codelet;
  std::string kernel;
};

/// Returns the codelets of `modelled_codelets`, but in their original form, without modelled times.
template <class T>
[[nodiscard]] std::vector<NeededKernel> needed_kernels(linalg::Application application, linalg::Pivoting pivoting);

/// The times of a codelet's tasks.
struct ModelledKernel {
  std::string codelet;
  /// The times, in the machine's description, which must outlive this object.
  const platform::KernelTimes* times = nullptr;
};

/// Returns the times of the codelets of `modelled_codelets`, from the present kernels of the machine. Fails like
/// `modelled_codelets`.
template <class T>
[[nodiscard]] Result<std::vector<ModelledKernel>> modelled_kernels(linalg::Application application,
                                                                   const platform::MachineDescription& machine,
                                                                   linalg::Pivoting pivoting = linalg::Pivoting::none);

/// Returns "single" or "double".
template <class T>
[[nodiscard]] const char* precision_name() {
  return sizeof(T) == sizeof(float) ? "single" : "double";
}

}  // namespace troupe::apps
