// A shared library that is no plug-in.
extern "C" int of_no_plugin() { return 1; }
