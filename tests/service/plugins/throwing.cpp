// A plug-in whose register function throws after it has added a codelet.
#include <stdexcept>

#include "troupe/plugin.hpp"

TROUPE_PLUGIN("throwing", [](troupe::PluginRegistrar& registrar) {
  registrar.add(troupe::Codelet("of_throwing", {}).cpu([] {}));
  throw std::runtime_error("no licence was found");
})
