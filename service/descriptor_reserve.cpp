#include "service/descriptor_reserve.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace troupe::service {

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

bool descriptors_are_scarce(int newest) {
  constexpr rlim_t kKept = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return static_cast<rlim_t>(newest) + std::min(kKept, limit.rlim_cur / 4) >= limit.rlim_cur;
}

}  // namespace troupe::service
