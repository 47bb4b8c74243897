/* A program in C, for the tests. Each function returns NULL, or a text that says what went wrong. */
#ifndef TROUPE_TESTS_C_PROGRAM_H
#define TROUPE_TESTS_C_PROGRAM_H

#include "troupe/troupe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes y <- y + 2 x with built-in kernels, in memory of the program and of the runtime. With y = 1 and x = 3, y
 * becomes 7. */
const char* built_in_kernels(troupe_runtime* runtime);
/* Runs a kernel of the program, with an argument, on blocks of a matrix. */
const char* own_kernels(troupe_runtime* runtime);
/* Runs kernels on boxes, on halo parts and on every other plane of arrays with three dimensions. */
const char* volumes(troupe_runtime* runtime);
/* Tests failures, explicit dependencies and callbacks. */
const char* failures(troupe_runtime* runtime);
/* Records a graph once and runs it with other data. */
const char* recordings(troupe_runtime* runtime);
/* Uses a type and a reduction of the program. `ends` counts how often the codelet's user data have been destroyed. */
const char* own_reductions(troupe_runtime* runtime, int* ends);
/* Uses every element type of the interface. */
const char* all_types(troupe_runtime* runtime);
/* Factorizes with Cholesky, LU and QR, and solves. */
const char* factorizations(troupe_runtime* runtime);

#ifdef __cplusplus
}
#endif

#endif
