// Bodies that attract each other, in two hundred equal steps. The tasks of one step and their dependencies are recorded
// once; each step then runs the recording, which costs a fraction of submitting its tasks.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kBodies = 512, kParts = 8, kPart = kBodies / kParts, kSteps = 200;
constexpr double kTime = 1e-3, kMass = 1.0 / kBodies, kSoftening = 0.05;

struct Point {
  double x = 0, y = 0;
};

void attract(VectorView<const Point> all, VectorView<const Point> own, VectorView<Point> pull) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    Point sum;
    for (const Point& other : all) {
      const double dx = other.x - own[i].x, dy = other.y - own[i].y;
      const double square = dx * dx + dy * dy + kSoftening * kSoftening;
      const double strength = kMass / (square * std::sqrt(square));
      sum.x += strength * dx, sum.y += strength * dy;
    }
    pull[i] = sum;
  }
}
void advance(VectorView<const Point> pull, VectorView<Point> speed, VectorView<Point> position) {
  for (std::size_t i = 0; i < position.size(); ++i) {
    speed[i].x += kTime * pull[i].x, speed[i].y += kTime * pull[i].y;
    position[i].x += kTime * speed[i].x, position[i].y += kTime * speed[i].y;
  }
}

double energy(const std::vector<Point>& position, const std::vector<Point>& speed) {
  double sum = 0;
  for (int i = 0; i < kBodies; ++i) {
    sum += kMass / 2 * (speed[i].x * speed[i].x + speed[i].y * speed[i].y);
    for (int j = 0; j < i; ++j) {
      const double dx = position[i].x - position[j].x, dy = position[i].y - position[j].y;
      sum -= kMass * kMass / std::sqrt(dx * dx + dy * dy + kSoftening * kSoftening);
    }
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  constexpr AccessMode r = AccessMode::read, rw = AccessMode::read_write;
  const Codelet attracting = Codelet("attract", {r, r, AccessMode::write}).cpu(attract);
  const Codelet advancing = Codelet("advance", {r, rw, rw}).cpu(advance);
  std::vector<Point> positions(kBodies), speeds(kBodies), pulls(kBodies);
  for (int i = 0; i < kBodies; ++i) {  // a disc that turns
    const double radius = std::sqrt((i + 0.5) / kBodies), angle = 2.4 * i;
    positions[i] = {radius * std::cos(angle), radius * std::sin(angle)};
    speeds[i] = {-0.8 * positions[i].y, 0.8 * positions[i].x};
  }

  std::cout << std::fixed << std::setprecision(4) << "energy at first: " << energy(positions, speeds);

  Runtime runtime(picture.options());
  const Data position = runtime.vector(positions), speed = runtime.vector(speeds), pull = runtime.vector(pulls);
  std::vector<Block> cuts;
  for (int p = 0; p < kParts; ++p) cuts.push_back({p * kPart, 0, kPart, 1});
  const auto where = runtime.partition(position, cuts), how_fast = runtime.partition(speed, cuts);
  const auto force = runtime.partition(pull, cuts);
  const RecordedGraph step = runtime.record([&] {
    for (int p = 0; p < kParts; ++p) runtime.submit(attracting, {position, where[p], force[p]});
    for (int p = 0; p < kParts; ++p) runtime.submit(advancing, {force[p], how_fast[p], where[p]});
  });
  for (int k = 0; k < kSteps; ++k) step.run();
  runtime.wait();

  std::cout << ", after " << kSteps << " runs of " << step.tasks() << " tasks: " << energy(positions, speeds) << "\n";
  picture.draw(runtime, "n bodies, 200 replayed steps");
}
