/// A word about policies that do not know what GPUs are for.
#pragma once

#include <string>

namespace troupe::apps {

/// Tells people, on standard error, where a local policy has left the GPUs idle for more than half of the time.
/// `gpus_busy`: the mean over the GPUs, of 1.
void remark_on_idle_gpus(const std::string& policy, double gpus_busy);

}  // namespace troupe::apps
