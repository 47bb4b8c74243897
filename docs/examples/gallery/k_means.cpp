// k-means: points are assigned to the nearest of four centres, and each centre then moves to the middle of its points.
// The sums of the chunks are added up in mode commute: in any order, as they arrive, and never two at a time.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <random>
#include <vector>

#include "picture.hpp"

using namespace troupe;

namespace {

constexpr int kCentres = 4, kChunks = 16, kRounds = 10;
constexpr std::size_t kPoints = 20'000;  // the points of one chunk

struct Point {
  double x = 0, y = 0, count = 0;
  void add(const Point& other) { x += other.x, y += other.y, count += other.count; }
};

void assign(VectorView<const Point> points, VectorView<const Point> centres, VectorView<Point> sums) {
  std::fill(sums.begin(), sums.end(), Point{});
  for (const Point& p : points) {
    const auto distance = [&](const Point& c) { return (p.x - c.x) * (p.x - c.x) + (p.y - c.y) * (p.y - c.y); };
    std::size_t nearest = 0;
    for (std::size_t c = 1; c < centres.size(); ++c) {
      if (distance(centres[c]) < distance(centres[nearest])) nearest = c;
    }
    sums[nearest].add(p);
  }
}
void add(VectorView<const Point> sums, VectorView<Point> total) {
  for (std::size_t c = 0; c < total.size(); ++c) total[c].add(sums[c]);
}
void move(VectorView<Point> total, VectorView<Point> centres) {
  for (std::size_t c = 0; c < total.size(); ++c)
    centres[c] = {total[c].x / total[c].count, total[c].y / total[c].count};
  std::fill(total.begin(), total.end(), Point{});
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  const Codelet assigning = Codelet("assign", {AccessMode::read, AccessMode::read, AccessMode::write}).cpu(assign);
  const Codelet adding = Codelet("add", {AccessMode::read, AccessMode::commute}).cpu(add);
  const Codelet moving = Codelet("move", {AccessMode::read_write, AccessMode::write}).cpu(move);
  std::mt19937 random(7);
  std::vector<std::vector<Point>> points(kChunks, std::vector<Point>(kPoints));
  for (auto& chunk : points) {
    for (Point& p : chunk)
      p = {random() % 2 * 10 + random() % 1000 / 500.0, random() % 2 * 10 + random() % 1000 / 500.0, 1};
  }
  std::vector<Point> centres{{4, 4}, {6, 4}, {4, 6}, {6, 6}}, sums(kCentres);

  Runtime runtime(picture.options());
  const Data middle = runtime.vector(centres), total = runtime.vector(sums);
  std::vector<Data> chunks, partial;
  for (auto& chunk : points) {
    chunks.push_back(runtime.vector(chunk));
    partial.push_back(runtime.allocate_vector<Point>(kCentres));
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int c = 0; c < kChunks; ++c) runtime.submit(assigning, {chunks[c], middle, partial[c]});
    for (int c = 0; c < kChunks; ++c) runtime.submit(adding, {partial[c], total});
    runtime.submit(moving, {total, middle});
  }
  runtime.wait();

  std::cout << std::fixed << std::setprecision(1) << "centres:";
  for (const Point& centre : centres) std::cout << " (" << centre.x << ", " << centre.y << ")";
  std::cout << "\n";
  picture.draw(runtime, "k-means, 16 chunks of points");
}
