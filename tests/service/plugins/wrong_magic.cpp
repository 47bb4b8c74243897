// A shared library with the symbol of a plug-in, but without a plug-in's content.
#include "troupe/plugin.hpp"

extern "C" const troupe::PluginDescriptor troupe_plugin;
const troupe::PluginDescriptor troupe_plugin = {};
