/// Forces between bodies by Barnes and Hut's method ("A hierarchical O(N log N) force-calculation algorithm", Nature
/// 324, 1986): a tree of irregular shape.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

using Point = std::array<double, 3>;

/// A cube of the tree with the bodies in it, which are consecutive.
struct BodyCube {
  Point centre_of_mass{};
  double mass = 0;
  double side = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
  /// The numbers of the cubes inside, which have bodies; empty for a cube with few bodies.
  std::array<std::int32_t, 8> inside{};
  int inside_count = 0;
};

/// Computes the accelerations of `n` bodies of equal mass, most of them near the centre. The tree is built before the
/// time is taken. Every cube with more than `cutoff` bodies has tasks for the cubes in it.
class BarnesHut {
 public:
  explicit BarnesHut(const RecursionCase& options);

  void prepare();
  template <class Tasks>
  void run(Tasks& tasks) {
    accelerate(tasks, cubes_.front());
  }
  /// Compares some bodies with sums over all bodies.
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  /// Makes the tree of these bodies, and returns the number of its cube.
  std::int32_t make_cube(std::int64_t first, std::int64_t count, const Point& corner, double side);
  /// Computes the accelerations of the bodies of a cube.
  void accelerate_without_tasks(const BodyCube& cube);
  [[nodiscard]] Point acceleration_at(const Point& place) const;

  template <class Tasks>
  void accelerate(Tasks& tasks, const BodyCube& cube) {
    if (cube.count <= cutoff_ || cube.inside_count == 0) return accelerate_without_tasks(cube);
    typename Tasks::Group group(tasks);
    for (int i = 0; i < cube.inside_count; ++i) {
      const BodyCube& part = cubes_[static_cast<std::size_t>(cube.inside[static_cast<std::size_t>(i)])];
      if (i + 1 < cube.inside_count) {
        group.run([this, &tasks, &part] { accelerate(tasks, part); });
      } else {
        accelerate(tasks, part);
      }
    }
    group.wait();
  }

  std::int64_t cutoff_ = 0;
  std::vector<Point> places_;
  std::vector<Point> accelerations_;
  std::vector<BodyCube> cubes_;
};

}  // namespace troupe::bench
