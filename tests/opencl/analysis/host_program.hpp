/// Runs kernels on the host, one work-item after the other, so that the bytes that they store can be compared with an
/// analysis.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "opencl/analysis/expression.hpp"
#include "tests/opencl/analysis/generated_source.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

/// The contents of the buffers to which a kernel's pointers point.
using HostBuffers = std::array<std::vector<std::byte>, kGeneratedPointers>;

/// A generated source that has been compiled for the host, without optimization, and loaded.
class HostProgram {
 public:
  /// Compiles the source with `compiler`, which is a clang, and loads the result. Throws an exception that says what
  /// failed.
  HostProgram(const std::string& compiler, const std::string& source, int kernels);
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;
  ~HostProgram();

  /// Runs the kernel's work-items in the box, as part of a launch of all items.
  void run(int kernel, HostBuffers& buffers, int n, unsigned m, const GeneratedValues& values,
           const opencl::ItemBox& items) const;

 private:
  TemporaryFolder folder_;
  void* library_ = nullptr;
};

}  // namespace troupe::tests
