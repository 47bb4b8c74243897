/// A macro for functions with loops over vectors that are compiled for several instruction sets.
#pragma once

/// Makes one copy of a function per instruction set; the program chooses a copy when it is loaded. Does nothing with
/// other compilers and on other processors.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TROUPE_PER_INSTRUCTION_SET __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TROUPE_PER_INSTRUCTION_SET
#endif
