// A plug-in whose name is taken.
#include "client/plugin.hpp"

TROUPE_PLUGIN("duplicate", [](troupe::PluginRegistrar& registrar) {
  registrar.add(troupe::Codelet("of_duplicate", {}).cpu([] {}));
  registrar.add(troupe::Codelet("potrf/double", {}).cpu([] {}));
})
