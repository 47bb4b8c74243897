/// The codelets that a service offers: its built-in codelets, and those of plug-ins.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "service/codelets/codelet_source.hpp"
#include "service/codelets/plugin_loader.hpp"
#include "service/configuration/configuration.hpp"
#include "service/configuration/event_log.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// The codelets of a service. They are added before the service starts; afterwards the library does not change.
class CodeletLibrary final : public CodeletSource {
 public:
  /// Makes a library with the built-in codelets.
  CodeletLibrary();

  /// Adds all codelets and reductions of a plug-in. If one of their names is taken, adds nothing and fails with
  /// `bad_input`.
  [[nodiscard]] Result<void> add(const Plugin& plugin);

  [[nodiscard]] const ServiceCodelet* find(std::string_view name) const override;
  [[nodiscard]] const ServiceReduction* find_reduction(std::string_view name, std::uint64_t element_tag) const override;
  [[nodiscard]] std::size_t size() const { return codelets_.size(); }
  /// Fails with `bad_input` if these restrictions (`parse_restrictions`) name a codelet that does not exist.
  [[nodiscard]] Result<void> check_restrictions(std::string_view restrictions) const;

 private:
  /// The origin of each codelet or reduction, for messages: "built in", or a path.
  std::map<std::string, std::string, std::less<>> origins_;
  std::map<std::string, std::string, std::less<>> reduction_origins_;
  std::map<std::string, ServiceCodelet, std::less<>> codelets_;
  std::map<std::string, ServiceReduction, std::less<>> reductions_;
};

/// Loads the plug-ins of all folders of the configuration; loading runs their code. A plug-in that cannot be used is
/// reported to `log` and left out, or, if the configuration is strict, makes the function fail with `bad_input`. `user`
/// is the user who runs the service.
[[nodiscard]] Result<void> load_plugins(const PluginConfiguration& configuration, std::uint32_t user,
                                        CodeletLibrary& library, const LogSink& log);

}  // namespace troupe::service
