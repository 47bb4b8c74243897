#include "tests/support/random/random_policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "actors/scheduler/policy.hpp"
#include "tests/support/drawing.hpp"

namespace troupe::tests {

std::string random_policy(Random& random) {
  const auto known = scheduler::known_policies();
  const std::string name(known[random.below(static_cast<std::uint32_t>(known.size()))].name);
  std::vector<std::string> options;
  const auto perhaps = [&](std::uint32_t percent, const std::string& option) {
    if (chance(random, percent)) options.push_back(option);
  };
  if (name == "mct" || name == "heft" || name == "heft-rank") {
    perhaps(40, "cp");
    perhaps(30, "rounds");
  }
  if (name == "dada") {
    perhaps(70, "alpha=" + pick<std::string>(random, std::array<std::string, 4>{"0", "0.25", "0.5", "1"}));
    perhaps(40, "cp");
    perhaps(50, "loads=" + pick<std::string>(random, std::array<std::string, 3>{"both", "zero", "stamps"}));
    perhaps(30, "host=yes");
    perhaps(30, "rounds");
  }
  if (name == "multigrain") {
    perhaps(50, "order=fifo");
    perhaps(30, "ahead=" + std::to_string(random.below(4)));
    perhaps(30, "min=0.001");
    perhaps(50, "take-back");
  }
  if (name == "heteroprio") perhaps(50, "ahead=" + std::to_string(random.below(4)));
  return options.empty() ? name : fmt::format("{}:{}", name, fmt::join(options, ","));
}

}  // namespace troupe::tests
