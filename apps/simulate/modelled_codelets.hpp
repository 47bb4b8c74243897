/// The tile kernels, timed as a described machine says.
#pragma once

#include <string>
#include <vector>

#include "kernels/codelets.hpp"
#include "linalg/factorization.hpp"
#include "platform/described/machine_description.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

/// The codelets that the tile algorithm of `application` submits (LU: with any pivoting), with the
/// times of the machine's kernels, and with an implementation for each kind of device that the machine has times for.
/// They compute what those of `codelets<T>()` do. The precision is that of T, "single" or "double". Fails with
/// `bad_input`, which names the kernel, where the machine lacks one.
template <class T>
[[nodiscard]] Result<kernels::TileCodelets<T>> modelled_codelets(linalg::Application application,
                                                                 const platform::MachineDescription& machine,
                                                                 linalg::Pivoting pivoting = linalg::Pivoting::none);

/// A codelet that the tile algorithm submits, and what the machine's description calls its kernel.
struct NeededKernel {
  Codelet codelet;
  std::string kernel;
};

/// Those of the codelets above, as they come with Troupe.
template <class T>
[[nodiscard]] std::vector<NeededKernel> needed_kernels(linalg::Application application, linalg::Pivoting pivoting);

/// Which times a codelet's tasks take.
struct ModelledKernel {
  std::string codelet;
  /// Of the machine.
  const platform::KernelTimes* times = nullptr;
};

/// Those of the codelets above, as the machine's kernels are now. Fails as above.
template <class T>
[[nodiscard]] Result<std::vector<ModelledKernel>> modelled_kernels(linalg::Application application,
                                                                   const platform::MachineDescription& machine,
                                                                   linalg::Pivoting pivoting = linalg::Pivoting::none);

/// "single", "double".
template <class T>
[[nodiscard]] const char* precision_name() {
  return sizeof(T) == sizeof(float) ? "single" : "double";
}

}  // namespace troupe::apps
