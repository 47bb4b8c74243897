/// Kernel times that a machine's description lacks, worked out from those that it has.
#pragma once

#include <string>
#include <vector>

#include "platform/described/machine_description.hpp"

namespace troupe::apps {

struct DerivedKernel {
  std::string kernel;
  /// Of application "qr".
  std::string from;
  /// One time over the other.
  double factor = 1;
};

/// Adds to `machine` the kernels of LU with incremental pivoting that its description does not have, in each precision
/// in which it has those of QR. Returns what was derived, each kernel once.
///
/// getrf_incpiv, gessm, tstrf and ssssm have the places of geqrt, unmqr, tsqrt and tsmqr in one and the same graph,
/// work on the same tiles and do half their operations. They are taken to run at the same rate, cores and GPUs each at
/// theirs, so in half the time and with the same relative deviation. Nothing of that is measured: exchanges of rows,
/// which QR has not, are memory traffic beside the operations.
[[nodiscard]] std::vector<DerivedKernel> derive_incremental_lu(platform::MachineDescription& machine);

/// "gessm, tstrf: half the times of unmqr, tsqrt (QR), which do twice the operations"; empty where nothing was derived.
[[nodiscard]] std::string text_of(const std::vector<DerivedKernel>& derived);

}  // namespace troupe::apps
