/// The kernel times and links that are stored for this machine, as text for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "apps/models/kept_links.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

/// The content of a folder, and the problems with its files.
struct KeptModels {
  std::string times_path;
  std::string links_path;
  scheduler::ExecutionHistory history;
  LinkSpeeds links;
  /// The reasons why files cannot be used. An unusable file counts as missing.
  std::vector<std::string> warnings;
};

/// Reads the files of a folder. `folder` must not be empty.
[[nodiscard]] KeptModels read_models(const std::string& folder, const std::string& machine_key);

/// Returns true if times of a kernel of this name are known.
[[nodiscard]] bool knows(const KeptModels& models, const std::string& kernel);

/// Returns a table with a row for each kernel, kind of device and size, then the power laws, then the links. `kernels`
/// names the kernels to show; if it is empty, all are shown.
[[nodiscard]] std::string models_table(const KeptModels& models, const std::vector<std::string>& kernels);
[[nodiscard]] Json models_as_json(const KeptModels& models, const std::vector<std::string>& kernels);

/// Returns true if the name is among the kernels; an empty list contains every name.
[[nodiscard]] bool is_chosen(const std::string& kernel, const std::vector<std::string>& kernels);

/// Returns "double" for 8 bytes, "float" for 4 bytes, and otherwise a text such as "16 B".
[[nodiscard]] std::string element_name(std::uint64_t element_bytes);

}  // namespace troupe::apps
