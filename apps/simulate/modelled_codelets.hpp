/// The tile kernels with the times of a described machine.
#pragma once

#include <string>
#include <vector>

#include "kernels/codelets.hpp"
#include "linalg/factorization.hpp"
#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns the codelets that the tile algorithm of `application` submits (LU: with any pivoting), with the times of the
/// machine's kernels, and with an implementation for each kind of device that the machine has times for. They compute
/// the same as those of `codelets<T>()`. The precision is that of T, "single" or "double". Fails with `bad_input`,
/// which names the kernel, if the machine lacks one.
template <class T>
[[nodiscard]] Result<kernels::TileCodelets<T>> modelled_codelets(linalg::Application application,
                                                                 const platform::MachineDescription& machine,
                                                                 linalg::Pivoting pivoting = linalg::Pivoting::none);

/// A codelet that the tile algorithm submits, and the name of its kernel in the machine's description.
struct NeededKernel {
  Codelet codelet;
  std::string kernel;
};

/// Returns the codelets of `modelled_codelets`, as they come with Troupe.
template <class T>
[[nodiscard]] std::vector<NeededKernel> needed_kernels(linalg::Application application, linalg::Pivoting pivoting);

/// The times of a codelet's tasks.
struct ModelledKernel {
  std::string codelet;
  /// Points into the machine's description.
  const platform::KernelTimes* times = nullptr;
};

/// Returns the times of the codelets of `modelled_codelets`, from the machine's kernels as they are now. Fails like
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
