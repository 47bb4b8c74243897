/// The handle of the fake cuSOLVER.
#pragma once

#include <cusolverDn.h>

struct cusolverDnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};
