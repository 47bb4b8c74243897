/* A program in C, for the tests: each function returns NULL, or what went wrong. */
#ifndef TROUPE_TESTS_C_PROGRAM_H
#define TROUPE_TESTS_C_PROGRAM_H

#include "troupe/troupe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y <- y + 2 x by built-in kernels on memory of the program and of the runtime; y was 1, x was 3: y is 7. */
const char* built_in_kernels(troupe_runtime* runtime);
/* A kernel of the program's own, with an argument, on blocks of a matrix. */
const char* own_kernels(troupe_runtime* runtime);
/* Failures, explicit dependencies, callbacks. */
const char* failures(troupe_runtime* runtime);
/* A graph that is recorded once and run with other data. */
const char* recordings(troupe_runtime* runtime);
/* A type and a reduction of the program's own; `ends` counts how often the codelet's user has been destroyed. */
const char* own_reductions(troupe_runtime* runtime, int* ends);
/* Every element type that comes with the interface. */
const char* all_types(troupe_runtime* runtime);
/* Cholesky, LU and QR with solves. */
const char* factorizations(troupe_runtime* runtime);

#ifdef __cplusplus
}
#endif

#endif
