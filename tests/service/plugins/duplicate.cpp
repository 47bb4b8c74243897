// A plug-in with a codelet whose name another codelet has already.
#include "troupe/plugin.hpp"

TROUPE_PLUGIN("duplicate", [](troupe::PluginRegistrar& registrar) {
  registrar.add(troupe::Codelet("of_duplicate", {}).cpu([] {}));
  registrar.add(troupe::Codelet("potrf/double", {}).cpu([] {}));
})
