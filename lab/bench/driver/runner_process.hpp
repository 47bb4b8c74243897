/// Runners as child processes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proto/json/json.hpp"

namespace troupe::bench {

/// The outcome of one measurement.
struct Outcome {
  enum class Kind { measured, unsupported, failed };
  Kind kind = Kind::failed;
  Json figures;
  /// The reason why nothing was measured, in one line.
  std::string reason;
};

/// The programs `troupe-bench-runner-NAME` of one folder.
class Runners {
 public:
  /// `folder` is the folder of the runners; if it is empty, it is the folder of this program.
  explicit Runners(std::string folder);

  [[nodiscard]] bool has(const std::string& runtime) const;
  /// Runs one case in a process of its own. Never throws, whatever the child does.
  [[nodiscard]] Outcome run(const std::string& runtime, const std::string& case_name,
                            const std::vector<std::string>& words) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& runtime) const;

  std::string folder_;
};

}  // namespace troupe::bench
