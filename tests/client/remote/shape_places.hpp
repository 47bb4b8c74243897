/// A service with codelets for volumes, boxes and parts that change, and programs that run there and embedded.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/client/parts/cubes.hpp"
#include "tests/client/parts/vector_parts.hpp"
#include "tests/client/remote/places.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

class ShapeCodelets final : public NamedCodelets {
 public:
  explicit ShapeCodelets(Gate& gate) {
    using enum AccessMode;
    add(Codelet("add_places", {read_write}).cpu(add_places));
    add(Codelet("add_places_gated", {read_write}).cpu([&gate](VolumeView<double> x) {
      gate.pass();
      add_places(x);
    }));
    add(Codelet("reduce_places", {reduce}).cpu(add_places));
    add(Codelet("heat", {read, write}).cpu(heat_of_box));
    add(Codelet("add_to_matrix", {read_write}).cpu([](MatrixView<double> x, double by) {
      for (std::int64_t j = 0; j < x.cols; ++j) {
        for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) += by;
      }
    }));
    // Tells what it sees: sizes and strides, and the last element.
    add(Codelet("look", {read, write}).cpu([](VolumeView<const double> x, VectorView<double> seen) {
      const std::array numbers{x.rows, x.cols, x.planes, x.ld, x.plane_stride};
      for (std::size_t i = 0; i < numbers.size(); ++i) seen[i] = static_cast<double>(numbers[i]);
      seen[5] = x(x.rows - 1, x.cols - 1, x.planes - 1);
    }));
    add(Codelet("plus", {read_write}).cpu(plus));
    add(Codelet("gated_plus", {read_write}).cpu([&gate](VectorView<double> x, double by) {
      gate.pass();
      plus(x, by);
    }));
    add(Codelet("plus_one_reduced", {reduce}).cpu([](VectorView<double> x) { plus(x, 1); }));
    add(Codelet("fill", {write}).cpu([](VectorView<double> x, double value) {
      for (double& element : x) element = value;
    }));
    add(Codelet("sum", {read, write}).cpu([](VectorView<const double> x, double& sum) {
      sum = 0;
      for (const double element : x) sum += element;
    }));
    add(Codelet("fail", {read_write}).cpu([&gate](VectorView<double>) {
      gate.pass();
      throw Error(ErrorCode::numerical, "no content");
    }));
    // Changes each of its weak data in a child, the first behind the gate.
    add(Codelet("plus_weak", {}).cpu([this](const KernelContext& context, double by) {
      Runtime runtime = Runtime::here();
      for (std::size_t i = 0; i < context.weak_size(); ++i) {
        runtime.submit((*this)[i == 0 ? "gated_plus" : "plus"], {context.weak(i)}, args(by));
      }
    }));
    // Divides its data into single elements, which children change.
    add(Codelet("plus_by_elements", {read_write}).cpu([this](const KernelContext& context, VectorView<double> x) {
      Runtime runtime = Runtime::here();
      std::vector<Block> blocks;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i) blocks.push_back({i, 0, 1, 1});
      for (const Handle& part : runtime.partition(context.handle(0), blocks)) {
        runtime.submit((*this)["plus"], {part}, args(1.0));
      }
    }));
    add(Codelet("divides_anew", {read_write}).cpu([](const KernelContext& context, VectorView<double>) {
      const std::array<Block, 1> all{Block{0, 0, 12, 1}};
      (void)Runtime::here().repartition(context.handle(0), all);
    }));
  }

 private:
  static void plus(VectorView<double> x, double by) {
    for (double& element : x) element += by;
  }
};

using ShapePlaces = PlacesWith<ShapeCodelets>;

/// Calls `visit(i, j, k)` for each block.
inline void for_each(const Blocks& blocks, const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  for (std::int64_t k = 0; k < blocks.planes(); ++k) {
    for (std::int64_t j = 0; j < blocks.cols(); ++j) {
      for (std::int64_t i = 0; i < blocks.rows(); ++i) visit(i, j, k);
    }
  }
}

}  // namespace troupe::tests
