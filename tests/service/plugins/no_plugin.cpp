// A shared object that is not a plug-in.
extern "C" int of_no_plugin() { return 1; }
