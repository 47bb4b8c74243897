#include "lab/bench/driver/runner_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "lab/bench/runner.hpp"
#include "platform/files/child_process.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

namespace fs = std::filesystem;

/// Returns the last line of a runner's error output, which names the error; libraries may print messages before it.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Outcome outcome_of(const platform::ChildOutput& child) {
  using Kind = Outcome::Kind;
  if (child.exit_status == kUnsupported) return {Kind::unsupported, {}, last_line(child.errors)};
  if (child.exit_status != kMeasured) {
    return {Kind::failed, {}, fmt::format("exit status {}: {}", child.exit_status, last_line(child.errors))};
  }
  std::optional<Json> figures = Json::try_parse(last_line(child.output));
  if (!figures || !figures->is_object()) return {Kind::failed, {}, "printed no JSON object"};
  return {Kind::measured, std::move(*figures), {}};
}

}  // namespace

Runners::Runners(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) folder_ = fs::read_symlink("/proc/self/exe").parent_path().string();
}

std::string Runners::path_of(const std::string& runtime) const { return folder_ + "/troupe-bench-runner-" + runtime; }

bool Runners::has(const std::string& runtime) const { return ::access(path_of(runtime).c_str(), X_OK) == 0; }

Outcome Runners::run(const std::string& runtime, const std::string& case_name,
                     const std::vector<std::string>& words) const {
  constexpr std::chrono::seconds kLimit{900};
  std::vector<std::string> arguments{path_of(runtime), case_name};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const auto child = platform::run_child(arguments, "", kLimit);
  if (!child) return {Outcome::Kind::failed, {}, child.failure().message};
  return outcome_of(child.value());
}

}  // namespace troupe::bench
