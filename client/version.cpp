#include "troupe/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace troupe {

std::string describe(const Version& version) {
  std::vector<std::string> with;
  std::vector<std::string> without;
  for (const auto& [name, there] : {std::pair{"service", version.service},
                                    {"CUDA", version.cuda},
                                    {"OpenCL", version.opencl},
                                    {"Python", version.python}}) {
    (there ? with : without).emplace_back(name);
  }
  std::string text = "troupe " + version.number;
  if (!version.commit.empty()) text += " (commit " + version.commit + ")";
  text += fmt::format("\nbuilt by {}, {}", version.compiler, version.build_type);
  if (!with.empty()) text += fmt::format("; with {}", fmt::join(with, ", "));
  if (!without.empty()) text += fmt::format("; without {}", fmt::join(without, ", "));
  if (!version.sanitizers.empty()) text += "; sanitizers: " + version.sanitizers;
  return text;
}

}  // namespace troupe
