/// Functions and data that tests of nested tasks share.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

inline TaskOptions nested(std::string name = {}) {
  TaskOptions options;
  options.nested = true;
  options.name = std::move(name);
  return options;
}

inline TaskOptions with_weak(std::vector<Access> weak, std::string name = {}) {
  TaskOptions options = nested(std::move(name));
  options.weak = std::move(weak);
  return options;
}

inline void times_ten(VectorView<double> x) {
  for (double& element : x) element *= 10;
}

/// Returns a kernel that waits at the gate, and then changes its data.
inline auto behind(const Gate& gate, void (*change)(VectorView<double>)) {
  return [&gate, change](VectorView<double> x) {
    gate.pass();
    change(x);
  };
}

/// Ten elements that are registered, in two parts of five.
struct InTwoParts {
  explicit InTwoParts(Runtime& runtime) : whole(runtime.vector(elements, "x")) {
    const std::array<Block, 2> blocks{Block{0, 0, 5, 1}, Block{5, 0, 5, 1}};
    parts = runtime.partition(whole, blocks);
  }
  std::vector<double> elements = std::vector<double>(10, 1.0);
  Vector<double> whole;
  std::vector<Handle> parts;
};

}  // namespace troupe::tests
