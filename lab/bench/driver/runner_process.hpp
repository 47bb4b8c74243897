/// Runs runners as child processes.
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
  /// `folder` is the folder that contains the runners; if it is empty, the folder of this program is used.
  explicit Runners(std::string folder);

  [[nodiscard]] bool has(const std::string& runtime) const;
  /// Runs one case in a separate process. Never throws; if the child fails, the outcome says so.
  [[nodiscard]] Outcome run(const std::string& runtime, const std::string& case_name,
                            const std::vector<std::string>& words) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& runtime) const;

  std::string folder_;
};

}  // namespace troupe::bench
