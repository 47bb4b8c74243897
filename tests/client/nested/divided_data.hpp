/// Data that kernels of nested tasks divide, in tests.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

/// A vector that nested tasks divide, each at another element.
struct Divided {
  static constexpr std::int64_t kSize = 16;

  explicit Divided(Runtime& of) : runtime(of), whole(of.vector(elements, "x")) {}

  /// Returns the kernel of a nested task that divides `data`, of this size, and submits a child for each part.
  static auto adds_one_in_parts(Runtime& runtime, const Handle& data, std::int64_t at) {
    return [&runtime, data, at](VectorView<double>) {
      const std::array<Block, 2> parts{Block{0, 0, at, 1}, Block{at, 0, kSize - at, 1}};
      for (const Handle& part : runtime.partition(data, parts)) runtime.submit(add_one, part);
    };
  }
  /// Submits a nested task that divides the vector at this element, and adds one to all elements.
  Future submit(std::int64_t at) {
    return runtime.submit(nested(), adds_one_in_parts(runtime, whole, at), read_write(whole));
  }
  /// Submits a nested task that does so behind the gate, and counts it in `divided`.
  void submit(std::int64_t at, const Gate& gate) {
    runtime.submit(
        nested(),
        [this, at, &gate](VectorView<double> x) {
          gate.pass();
          adds_one_in_parts(runtime, whole, at)(x);
          ++divided;
        },
        read_write(whole));
  }
  /// Submits a task that waits at the gate, and two nested tasks behind it that divide the vector.
  void submit_two(const Gate& gate) {
    runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(whole));
    submit(8);
    submit(5);
  }
  void wait_until_divided(int times) const {
    while (divided < times) std::this_thread::yield();
  }
  /// Returns a halo part that overlaps all parts.
  [[nodiscard]] Handle middle() {
    return runtime.halos(whole, std::array<Block, 1>{Block{4, 0, 8, 1}}, Rim(1, 0)).front();
  }

  Runtime& runtime;
  std::vector<double> elements = std::vector<double>(kSize, 1.0);
  Vector<double> whole;
  std::atomic<int> divided{0};
};

/// A slow task that reads a halo part, and a task that writes the data behind it.
struct ReaderThenWriter {
  void read(Runtime& runtime, const Handle& halo) {
    runtime.submit(
        [this](VectorView<const double> x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          early = early || written;
          seen = x[0];
        },
        halo);
  }
  void write(Runtime& runtime, const Vector<double>& whole, double value = 100) {
    runtime.submit(
        [this, value](VectorView<double> x) {
          written = true;
          for (double& element : x) element = value;
        },
        read_write(whole));
  }
  std::atomic<bool> written{false};
  /// True if the writer did not wait for the reader.
  bool early = false;
  double seen = 0;
};

}  // namespace troupe::tests
