/// The claims of the paper on SOCL, and the aims for Troupe's OpenCL platform, in numbers.
#pragma once

#include <vector>

#include "lab/experiments/claims.hpp"
#include "lab/experiments/opencl/opencl_measured.hpp"
#include "lab/experiments/opencl/opencl_virtual.hpp"

namespace troupe::apps {

/// Returns the claims in virtual time: those of the paper, then the same claims for `policy` as aims.
[[nodiscard]] const std::vector<Claim>& opencl_virtual_claims();
/// Returns a judgement for each of these claims. Points that were not simulated do not count.
[[nodiscard]] std::vector<Judgement> judge_opencl(const OpenClVirtualResults& results, const std::string& policy);

/// Returns the claims that are measured on this machine. Claims that need several devices are not tested if there is
/// only one device.
[[nodiscard]] const std::vector<Claim>& opencl_measured_claims();
/// Returns a judgement for each of these claims. If nothing was measured, all are "not tested" and say why.
[[nodiscard]] std::vector<Judgement> judge_opencl(const OpenClMeasured& measured);

}  // namespace troupe::apps
