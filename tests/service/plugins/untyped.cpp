// A plug-in with a codelet whose kernel does not declare the types of its data.
#include "troupe/plugin.hpp"

TROUPE_PLUGIN("untyped", [](troupe::PluginRegistrar& registrar) {
  registrar.add(troupe::Codelet("of_untyped", {troupe::AccessMode::read}).cpu([](const troupe::KernelContext&) {}));
})
