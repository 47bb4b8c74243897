/// Kernels that run on the host, one item after the other, so that the bytes which they store can be compared with an
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

/// The contents of the buffers of a kernel's pointers.
using HostBuffers = std::array<std::vector<std::byte>, kGeneratedPointers>;

/// A generated source, compiled without optimization and loaded.
class HostProgram {
 public:
  /// Compiles and loads the source with `compiler`, a clang. If this fails, throws a message that says what failed.
  HostProgram(const std::string& compiler, const std::string& source, int kernels);
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;
  ~HostProgram();

  /// Runs the kernel's items in the box, as part of a launch of all items.
  void run(int kernel, HostBuffers& buffers, int n, unsigned m, const GeneratedValues& values,
           const opencl::ItemBox& items) const;

 private:
  TemporaryFolder folder_;
  void* library_ = nullptr;
};

}  // namespace troupe::tests
