// Tells the leak sanitizer that memory which pocl and its compiler never free is not ours. This file is a source of
// each executable that builds programs for OpenCL. In a library it would be left out, as nothing refers to it.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpocl\nleak:libLLVM\nleak:libclang\n"; }
