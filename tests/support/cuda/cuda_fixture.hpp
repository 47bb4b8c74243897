/// A machine with GPUs, for tests: fake ones, or the machine's own.
#pragma once

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests {

/// Tests of everything that uses CUDA. From the first fixture on CUDA's runtime library is the fake, unless the
/// environment variable TROUPE_TEST_GPU says "real": then it is the machine's, `fake` is null, and what needs the fake
/// is skipped.
struct CudaFixture {
  explicit CudaFixture(const FakeCudaOptions& options = {});
  /// Fails the test where something is left in the fake.
  ~CudaFixture();
  CudaFixture(const CudaFixture&) = delete;
  CudaFixture& operator=(const CudaFixture&) = delete;

  /// Whether the test can go on; says "skipped" where it cannot.
  [[nodiscard]] bool needs_fake() const;

  FakeCudaControl* fake = nullptr;
};

}  // namespace troupe::tests
