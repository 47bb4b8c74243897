#include "lab/bench/driver/plan.hpp"

namespace troupe::bench {

Contestant contestant_named(const std::string& label) {
  const std::size_t slash = label.find('/');
  if (slash == std::string::npos) return {label, ""};
  return {label.substr(0, slash), label.substr(slash + 1)};
}

}  // namespace troupe::bench
