/// Derives kernel times that a machine's description lacks from those that it has.
#pragma once

#include <string>
#include <vector>

#include "troupe/machine.hpp"

namespace troupe::apps {

struct DerivedKernel {
  std::string kernel;
  /// The kernel of application "qr" from which the times are derived.
  std::string from;
  /// The derived time over that kernel's time.
  double factor = 1;
};

/// Adds to `machine` the kernels of LU with incremental pivoting that its description does not have, in each precision
/// in which it has those of QR. Returns what was derived, each kernel once.
///
/// getrf_incpiv, gessm, tstrf and ssssm have the places of geqrt, unmqr, tsqrt and tsmqr in one and the same graph,
/// work on the same tiles and do half their operations. They are assumed to reach the rates of the kernels of QR on
/// cores and on GPUs, so they take half the time, with the same relative deviation. None of this is measured:
/// exchanges of rows, which QR does not have, are memory traffic besides the operations.
[[nodiscard]] std::vector<DerivedKernel> derive_incremental_lu(platform::MachineDescription& machine);

/// Returns a sentence such as "gessm, tstrf: half the times of unmqr, tsqrt (QR), which do twice the operations"; empty
/// if nothing was derived.
[[nodiscard]] std::string text_of(const std::vector<DerivedKernel>& derived);

}  // namespace troupe::apps
