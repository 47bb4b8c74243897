/// What the paper on SOCL says, and what is asked of Troupe's OpenCL platform, in numbers.
#pragma once

#include <vector>

#include "apps/experiments/claims.hpp"
#include "apps/experiments/opencl/opencl_measured.hpp"
#include "apps/experiments/opencl/opencl_virtual.hpp"

namespace troupe::apps {

/// In virtual time: the paper's claims, then the same for `policy` as aims.
[[nodiscard]] const std::vector<Claim>& opencl_virtual_claims();
/// One for each of these. Points that were not simulated count for nothing.
[[nodiscard]] std::vector<Judgement> judge_opencl(const OpenClVirtualResults& results, const std::string& policy);

/// On this machine. Ones that need several devices are not tested where there is one.
[[nodiscard]] const std::vector<Claim>& opencl_measured_claims();
/// One for each of these; all are not tested, and say why, where nothing was measured.
[[nodiscard]] std::vector<Judgement> judge_opencl(const OpenClMeasured& measured);

}  // namespace troupe::apps
