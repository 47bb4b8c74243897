// Tells the leak sanitizer to ignore memory that pocl and its compiler never free. Each executable that builds programs
// for OpenCL compiles this file. The linker would leave the file out of a library, because no code refers to it.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpocl\nleak:libLLVM\nleak:libclang\n"; }
