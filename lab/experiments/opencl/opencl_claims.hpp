/// The claims of the paper on SOCL, and the aims of Troupe's OpenCL platform, as rules with numbers.
#pragma once

#include <vector>

#include "lab/experiments/claims/claims.hpp"
#include "lab/experiments/opencl/opencl_measured.hpp"
#include "lab/experiments/opencl/opencl_virtual.hpp"

namespace troupe::apps {

/// Returns the claims that are judged in virtual time: those of the paper, then the same claims for `policy`, as aims.
[[nodiscard]] const std::vector<Claim>& opencl_virtual_claims();
/// Returns a judgement for each of these claims. Points that were not simulated do not count.
[[nodiscard]] std::vector<Judgement> judge_opencl(const OpenClVirtualResults& results, const std::string& policy);

/// Returns the claims that are measured on this machine. With only one device, claims that need several devices are not
/// tested.
[[nodiscard]] const std::vector<Claim>& opencl_measured_claims();
/// Returns a judgement for each of these claims. If nothing was measured, all are "not tested", with the reason.
[[nodiscard]] std::vector<Judgement> judge_opencl(const OpenClMeasured& measured);

}  // namespace troupe::apps
