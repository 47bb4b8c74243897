#include "apps/models/kept_models.hpp"

#include <fmt/format.h>

#include <vector>

#include "actors/scheduler/models/history_file.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

using scheduler::KernelHistory;
using scheduler::KernelKey;

struct KernelSummary {
  KernelKey key;
  /// The number of data shapes with known kernel times.
  std::size_t shapes = 0;
  std::uint64_t tasks = 0;
};

struct Kept {
  std::string path;
  std::vector<KernelSummary> kernels;
  /// The reason why the file cannot be used; empty if it can.
  std::string failure;
};

Kept look(const std::string& folder, const platform::Machine& machine) {
  const std::string key = scheduler::machine_key(machine);
  Kept kept{scheduler::history_path(folder, key), {}, {}};
  const auto history = scheduler::read_history(kept.path, key);
  if (!history) {
    kept.failure = history.failure().message;
    return kept;
  }
  for (const auto& [kernel, times] : history.value().kernels()) {
    KernelSummary& summary = kept.kernels.emplace_back(KernelSummary{kernel});
    for (const auto& [hash, shape] : times.shapes()) {
      ++summary.shapes;
      summary.tasks += shape.times.count();
    }
  }
  return kept;
}

}  // namespace

std::string models_text(const std::string& folder, const platform::Machine& machine) {
  if (folder.empty()) return "  none are kept: neither XDG_CACHE_HOME nor HOME names a folder\n";
  const Kept kept = look(folder, machine);
  if (!kept.failure.empty()) return fmt::format("  {}\n", kept.failure);
  if (kept.kernels.empty()) return fmt::format("  none yet; they will be kept in {}\n", kept.path);
  traces::Table table({"codelet", "device", ">bytes each", ">shapes", ">tasks"});
  for (const KernelSummary& kernel : kept.kernels) {
    table.add_row({kernel.key.name, to_string(kernel.key.device), fmt::to_string(kernel.key.element_bytes),
                   human_count(kernel.shapes), human_count(kernel.tasks)});
  }
  return fmt::format("  in {} (delete it to learn them anew)\n{}", kept.path, table.text(2));
}

Json models_json(const std::string& folder, const platform::Machine& machine) {
  Json json{{"folder", folder}, {"kernels", Json::array()}};
  if (folder.empty()) return json;
  const Kept kept = look(folder, machine);
  json["file"] = kept.path;
  if (!kept.failure.empty()) json["failure"] = kept.failure;
  for (const KernelSummary& kernel : kept.kernels) {
    json["kernels"].push_back({{"kernel", kernel.key.name},
                               {"kind", to_string(kernel.key.device)},
                               {"element_bytes", kernel.key.element_bytes},
                               {"shapes", kernel.shapes},
                               {"tasks", kernel.tasks}});
  }
  return json;
}

}  // namespace troupe::apps
