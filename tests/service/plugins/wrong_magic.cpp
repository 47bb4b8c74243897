// A shared object that has a plug-in's symbol, but not a plug-in's content.
#include "troupe/plugin.hpp"

extern "C" const troupe::PluginDescriptor troupe_plugin;
const troupe::PluginDescriptor troupe_plugin = {};
