/// What the fake of cuSOLVER means by a handle.
#pragma once

#include <cusolverDn.h>

struct cusolverDnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};
