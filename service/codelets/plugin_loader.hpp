/// Loads plug-ins: shared objects with codelets of the administrator (include/troupe/plugin.hpp, docs/plugins.md).
#pragma once

#include <string>
#include <vector>

#include "service/codelets/codelet_source.hpp"
#include "troupe/errors.hpp"
#include "troupe/plugin.hpp"

namespace troupe::service {

struct PluginCodelet {
  Codelet codelet;
  PluginCheck check;
};

struct PluginReduction {
  std::string name;
  ServiceReduction reduction;
};

/// The codelets and reductions that one plug-in has added.
struct Plugin {
  std::string path;
  /// The name that the plug-in gives itself.
  std::string name;
  std::vector<PluginCodelet> codelets;
  std::vector<PluginReduction> reductions;
};

/// Loads a shared object and calls its register function; loading runs code of the object. The object stays loaded
/// until the process ends, even if the plug-in is refused. Fails with `bad_input` if the file is no plug-in, has
/// another version or uses names that are taken, or if its function threw. The message gives the reason and the remedy.
[[nodiscard]] Result<Plugin> load_plugin(const std::string& path);

}  // namespace troupe::service
