// A plug-in whose name is taken.
#include "troupe/plugin.hpp"

TROUPE_PLUGIN("duplicate", [](troupe::PluginRegistrar& registrar) {
  registrar.add(troupe::Codelet("of_duplicate", {}).cpu([] {}));
  registrar.add(troupe::Codelet("potrf/double", {}).cpu([] {}));
})
