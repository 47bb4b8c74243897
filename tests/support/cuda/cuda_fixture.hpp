/// GPUs for tests: fake GPUs, or the machine's own.
#pragma once

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests {

/// The fixture of every test that uses CUDA. From the first fixture on, the fake replaces CUDA's runtime library. If
/// the environment variable TROUPE_TEST_GPU is "real", the tests use the machine's own library. Then `fake` is null,
/// and tests that need the fake are skipped.
struct CudaFixture {
  explicit CudaFixture(const FakeCudaOptions& options = {});
  /// Fails the test if the fake still has memory, streams, events or other objects that were not freed.
  ~CudaFixture();
  CudaFixture(const CudaFixture&) = delete;
  CudaFixture& operator=(const CudaFixture&) = delete;

  /// Returns true if the tests use the fake. Otherwise says "skipped" and returns false.
  [[nodiscard]] bool needs_fake() const;

  FakeCudaControl* fake = nullptr;
};

}  // namespace troupe::tests
