// A plug-in with two codelets of equal names.
#include "troupe/plugin.hpp"

TROUPE_PLUGIN("twice", [](troupe::PluginRegistrar& registrar) {
  registrar.add(troupe::Codelet("of_twice", {}).cpu([] {}));
  registrar.add(troupe::Codelet("other", {}).cpu([] {}).known_as("of_twice"));
})
