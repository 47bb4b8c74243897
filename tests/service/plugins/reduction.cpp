// A plug-in with a reduction.
#include "troupe/plugin.hpp"

TROUPE_PLUGIN("reduction", [](troupe::PluginRegistrar& registrar) {
  registrar.add_reduction<double>("plus", troupe::sum_reduction<double>());
})
