/// Derives missing kernel times of a described machine from the times that the description has.
#pragma once

#include <string>
#include <vector>

#include "troupe/machine.hpp"

namespace troupe::apps {

struct DerivedKernel {
  std::string kernel;
  /// The kernel of application "qr" from which the times are derived.
  std::string from;
  /// The derived time divided by the time of `from`.
  double factor = 1;
};

/// Adds to `machine` the missing kernels of LU with incremental pivoting, in each precision in which it has the kernels
/// of QR. Returns the derived kernels, each once.
///
/// In the task graphs, getrf_incpiv, gessm, tstrf and ssssm take the places of QR's geqrt, unmqr, tsqrt and tsmqr. They
/// work on the same tiles and do half as many operations. They are assumed to reach the rates of the kernels of QR on
/// cores and on GPUs, so they take half the time, with the same relative deviation. None of these times are measured.
/// In reality, exchanges of rows, which QR does not have, also cost memory traffic.
[[nodiscard]] std::vector<DerivedKernel> derive_incremental_lu(platform::MachineDescription& machine);

/// Returns a sentence such as "gessm, tstrf: half the times of unmqr, tsqrt (QR), which do twice the operations"; empty
/// if no kernels were derived.
[[nodiscard]] std::string text_of(const std::vector<DerivedKernel>& derived);

}  // namespace troupe::apps
