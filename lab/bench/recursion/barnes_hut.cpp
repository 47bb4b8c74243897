#include "lab/bench/recursion/barnes_hut.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace troupe::bench {
namespace {

/// A cube is taken as one body where its side is at most this fraction of its distance.
constexpr double kOpening = 0.5;
constexpr std::int64_t kFewBodies = 8;
/// The square of the distance below which forces grow no more.
constexpr double kSoftening = 1e-4;
/// Half of the side of the cube that holds all bodies.
constexpr double kLargest = 8;
/// Cubes that are smaller are not divided.
constexpr double kSmallestSide = 1e-9;

/// Returns places as in Plummer's model of a cluster of stars.
std::vector<Point> random_places(std::int64_t n) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::vector<Point> places(static_cast<std::size_t>(n));
  for (Point& place : places) {
    const double fraction = 0.01 + 0.98 * uniform(random);
    const double radius = std::min(1 / std::sqrt(std::pow(fraction, -2.0 / 3) - 1), 0.9 * kLargest);
    for (double& value : place) value = normal(random);
    const double length = std::hypot(place[0], place[1], place[2]);
    for (double& value : place) value *= radius / length;
  }
  return places;
}

double squared_distance(const Point& from, const Point& to) {
  const double x = to[0] - from[0];
  const double y = to[1] - from[1];
  const double z = to[2] - from[2];
  return x * x + y * y + z * z;
}

void add_attraction(Point& sum, const Point& from, const Point& to, double mass, double squared) {
  const double softened = squared + kSoftening;
  const double factor = mass / (softened * std::sqrt(softened));
  for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += factor * (to[axis] - from[axis]);
}

}  // namespace

BarnesHut::BarnesHut(const RecursionCase& options)
    : cutoff_(options.cutoff), places_(random_places(options.n)), accelerations_(places_.size()) {
  make_cube(0, options.n, {-kLargest, -kLargest, -kLargest}, 2 * kLargest);
}

void BarnesHut::prepare() { std::fill(accelerations_.begin(), accelerations_.end(), Point{}); }

std::int32_t BarnesHut::make_cube(std::int64_t first, std::int64_t count, const Point& corner, double side) {
  const auto number = static_cast<std::int32_t>(cubes_.size());
  BodyCube cube{.side = side, .first = first, .count = count};
  cube.mass = static_cast<double>(count) / static_cast<double>(places_.size());
  for (std::int64_t i = first; i < first + count; ++i) {
    const Point& place = places_[static_cast<std::size_t>(i)];
    for (std::size_t axis = 0; axis < 3; ++axis) cube.centre_of_mass[axis] += place[axis] / static_cast<double>(count);
  }
  cubes_.push_back(cube);
  if (count <= kFewBodies || side < kSmallestSide) return number;
  const double half = side / 2;
  const auto octant = [&](const Point& place) {
    std::size_t index = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (place[axis] >= corner[axis] + half) index |= std::size_t{1} << axis;
    }
    return index;
  };
  const auto begin = places_.begin() + first;
  std::sort(begin, begin + count, [&](const Point& x, const Point& y) { return octant(x) < octant(y); });
  for (std::int64_t start = 0; start < count;) {
    const std::size_t index = octant(begin[start]);
    std::int64_t end = start + 1;
    while (end < count && octant(begin[end]) == index) ++end;
    Point inner = corner;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((index >> axis & 1U) != 0) inner[axis] += half;
    }
    cube.inside[static_cast<std::size_t>(cube.inside_count++)] = make_cube(first + start, end - start, inner, half);
    start = end;
  }
  cubes_[static_cast<std::size_t>(number)] = cube;
  return number;
}

Point BarnesHut::acceleration_at(const Point& place) const {
  // Each of the at most 33 levels leaves at most seven cubes to look at later.
  std::array<std::int32_t, 256> open{};
  std::size_t count = 1;
  Point sum{};
  while (count > 0) {
    const BodyCube& cube = cubes_[static_cast<std::size_t>(open[--count])];
    const double squared = squared_distance(place, cube.centre_of_mass);
    if (cube.side * cube.side < kOpening * kOpening * squared) {
      add_attraction(sum, place, cube.centre_of_mass, cube.mass, squared);
    } else if (cube.inside_count == 0) {
      const double mass = cube.mass / static_cast<double>(cube.count);
      for (std::int64_t i = cube.first; i < cube.first + cube.count; ++i) {
        const Point& other = places_[static_cast<std::size_t>(i)];
        add_attraction(sum, place, other, mass, squared_distance(place, other));
      }
    } else {
      for (int i = 0; i < cube.inside_count; ++i) open[count++] = cube.inside[static_cast<std::size_t>(i)];
    }
  }
  return sum;
}

void BarnesHut::accelerate_without_tasks(const BodyCube& cube) {
  for (std::int64_t i = cube.first; i < cube.first + cube.count; ++i) {
    accelerations_[static_cast<std::size_t>(i)] = acceleration_at(places_[static_cast<std::size_t>(i)]);
  }
}

void BarnesHut::check() const {
  constexpr std::size_t kSamples = 50;
  constexpr double kTolerance = 0.01;
  const double mass = 1 / static_cast<double>(places_.size());
  double error = 0;
  double size = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const std::size_t body = sample * (places_.size() - 1) / (kSamples - 1);
    Point sum{};
    for (const Point& other : places_) {
      add_attraction(sum, places_[body], other, mass, squared_distance(places_[body], other));
    }
    error += squared_distance(accelerations_[body], sum);
    size += squared_distance({}, sum);
  }
  require_right(std::sqrt(error) < kTolerance * std::sqrt(size), Recursion::barnes_hut);
}

std::uint64_t BarnesHut::checksum() const {
  return checksum_of({accelerations_.front().data(), 3 * accelerations_.size()});
}

}  // namespace troupe::bench
