#include "apps/run/remarks.hpp"

#include <fmt/format.h>

#include "actors/scheduler/policy.hpp"
#include "apps/terminal/standard_error.hpp"
#include "kernels/blas_threads.hpp"

namespace troupe::apps {

void remark_on_idle_gpus(const std::string& policy, double gpus_busy) {
  if (gpus_busy >= 0.5) return;
  const auto made = scheduler::make_policy(policy, {});
  // The names of a program's or a service's own policies are unknown here, so there is no remark on them.
  if (!made || made.value().placing) return;
  say(fmt::format(
      "troupe: warning: under policy {} the GPUs were busy {:.1f} % of the time: it does not know which device "
      "is faster for a task. Placing policies do, such as homeward or heft\n",
      policy, 100 * gpus_busy));
}

void remark_on_blas_kernels() {
  if (const auto outdated = kernels::outdated_blas_kernels()) say(fmt::format("troupe: warning: {}\n", *outdated));
}

}  // namespace troupe::apps
