/// The kernel times and links that are kept for this machine, for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "apps/models/kept_links.hpp"

namespace troupe::apps {

/// What was kept in a folder, and what is wrong with the files.
struct KeptModels {
  std::string times_path;
  std::string links_path;
  scheduler::ExecutionHistory history;
  LinkSpeeds links;
  /// Why a file cannot be used; its content is then as if there were none.
  std::vector<std::string> warnings;
};

/// `folder` is not empty.
[[nodiscard]] KeptModels read_models(const std::string& folder, const std::string& machine_key);

/// Times of a kernel of this name are known.
[[nodiscard]] bool knows(const KeptModels& models, const std::string& kernel);

/// A row for each kernel, kind of device and size, then the power laws through them, then the links. `kernels`: only
/// those; empty: all.
[[nodiscard]] std::string models_table(const KeptModels& models, const std::vector<std::string>& kernels);
[[nodiscard]] nlohmann::json models_as_json(const KeptModels& models, const std::vector<std::string>& kernels);

/// Whether there is a name among the kernels; an empty list has all.
[[nodiscard]] bool is_chosen(const std::string& kernel, const std::vector<std::string>& kernels);

/// "double" of 8 bytes, "float" of 4, else "16 B".
[[nodiscard]] std::string element_name(std::uint64_t element_bytes);

}  // namespace troupe::apps
