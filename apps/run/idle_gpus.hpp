/// A warning about policies that do not know which device is faster.
#pragma once

#include <string>

namespace troupe::apps {

/// Warns on standard error if a local policy has left the GPUs idle for more than half of the time. `gpus_busy`: the
/// mean busy share of the GPUs, from 0 to 1.
void remark_on_idle_gpus(const std::string& policy, double gpus_busy);

}  // namespace troupe::apps
