// For the leak sanitizer: what pocl and its compiler never give back is not ours. A source of each executable that builds
// programs for OpenCL; a library's would be left out, as nothing asks for it.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpocl\nleak:libLLVM\nleak:libclang\n"; }
