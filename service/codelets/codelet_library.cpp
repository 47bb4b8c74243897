#include "service/codelets/codelet_library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/restrictions.hpp"
#include "kernels/checks/catalogue.hpp"
#include "service/configuration/trusted_files.hpp"

namespace troupe::service {

namespace {

constexpr const char* kBuiltIn = "built in";

}  // namespace

CodeletLibrary::CodeletLibrary() {
  for (const kernels::CatalogueEntry& entry : kernels::catalogue()) {
    codelets_.emplace(entry.name, ServiceCodelet{entry.codelet, entry.check, entry.takes, true});
    origins_.emplace(entry.name, kBuiltIn);
  }
  reduction_origins_.emplace("sum", kBuiltIn);
}

Result<void> CodeletLibrary::add(const Plugin& plugin) {
  const auto taken = [&](std::string_view what, std::string_view name, const std::string& origin) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("plug-in {}: the name of its {} '{}' is taken ({}): choose another", plugin.path, what,
                               name, origin)};
  };
  for (const PluginCodelet& one : plugin.codelets) {
    const auto known = origins_.find(one.codelet.definition().known_name());
    if (known != origins_.end()) return taken("codelet", known->first, known->second);
  }
  for (const PluginReduction& one : plugin.reductions) {
    const auto known = reduction_origins_.find(one.name);
    if (known != reduction_origins_.end()) return taken("reduction", known->first, known->second);
  }
  for (const PluginCodelet& one : plugin.codelets) {
    const std::string& name = one.codelet.definition().known_name();
    codelets_.emplace(name, ServiceCodelet{one.codelet, one.check});
    origins_.emplace(name, plugin.path);
  }
  for (const PluginReduction& one : plugin.reductions) {
    reductions_.emplace(one.name, one.reduction);
    reduction_origins_.emplace(one.name, plugin.path);
  }
  return {};
}

Result<void> CodeletLibrary::check_restrictions(std::string_view restrictions) const {
  const auto parsed = parse_restrictions(restrictions);
  if (!parsed) return parsed.failure();
  std::set<std::string> names;
  for (const auto& [known_name, one] : codelets_) names.insert(one.codelet.name());
  for (const auto& [name, devices] : parsed.value()) {
    if (names.contains(name)) continue;
    return Failure{ErrorCode::bad_input, fmt::format("runtime.restrict: no codelet is called '{}'; known are {}", name,
                                                     fmt::join(names, ", "))};
  }
  return {};
}

const ServiceCodelet* CodeletLibrary::find(std::string_view name) const {
  const auto found = codelets_.find(name);
  return found == codelets_.end() ? nullptr : &found->second;
}

const ServiceReduction* CodeletLibrary::find_reduction(std::string_view name, std::uint64_t element_tag) const {
  const auto found = reductions_.find(name);
  return found == reductions_.end() || found->second.element_tag != element_tag ? nullptr : &found->second;
}

Result<void> load_plugins(const PluginConfiguration& configuration, std::uint32_t user, CodeletLibrary& library,
                          const LogSink& log) {
  std::vector<std::string> wrong;
  for (const std::string& folder : configuration.folders) {
    const auto files = look_at_trusted_folder(folder, user);
    if (!files) {
      wrong.push_back(fmt::format("plug-in folder {}: {}", folder, files.failure().message));
      continue;
    }
    for (const std::string& refused : files.value().refused) wrong.push_back("plug-in left out: " + refused);
    for (const std::string& file : files.value().files) {
      const auto plugin = load_plugin(file);
      const Result<void> added = plugin ? library.add(plugin.value()) : plugin.failure();
      if (!added) {
        wrong.push_back(added.failure().message);
        continue;
      }
      const std::array fields{LogField{"plugin", plugin.value().name}, LogField{"path", file},
                              LogField{"codelets", std::to_string(plugin.value().codelets.size())}};
      if (log) log(LogLevel::info, "plug-in loaded", fields);
    }
  }
  for (const std::string& why : wrong) {
    if (configuration.strict) return Failure{ErrorCode::bad_input, why};
    const std::array fields{LogField{"reason", why}};
    if (log) log(LogLevel::error, "plug-in refused", fields);
  }
  return {};
}

}  // namespace troupe::service
