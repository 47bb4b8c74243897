/// A machine with GPUs, for tests: fake ones, or the machine's own.
#pragma once

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests {

/// The fixture of every test that uses CUDA. From the first fixture on, CUDA's runtime library is the fake. If the
/// environment variable TROUPE_TEST_GPU says "real", it is the machine's own library; then `fake` is null, and tests
/// that need the fake are skipped.
struct CudaFixture {
  explicit CudaFixture(const FakeCudaOptions& options = {});
  /// Fails the test if something is left in the fake.
  ~CudaFixture();
  CudaFixture(const CudaFixture&) = delete;
  CudaFixture& operator=(const CudaFixture&) = delete;

  /// Returns true if the fake is there. Otherwise says "skipped" and returns false.
  [[nodiscard]] bool needs_fake() const;

  FakeCudaControl* fake = nullptr;
};

}  // namespace troupe::tests
