#include "lab/bench/recursion/floorplan.hpp"

#include <algorithm>
#include <random>

namespace troupe::bench {
namespace {

/// The shortest side of a room, and by how much the longest one is longer.
constexpr std::int32_t kShortestSide = 2;
constexpr std::uint64_t kMoreSides = 8;

std::vector<std::array<RoomShape, kRoomShapes>> random_shapes(std::int64_t n) {
  std::mt19937_64 random(1);
  std::vector<std::array<RoomShape, kRoomShapes>> shapes(static_cast<std::size_t>(n));
  for (auto& room : shapes) {
    const std::int32_t width = kShortestSide + static_cast<std::int32_t>(random() % kMoreSides);
    const std::int32_t height = kShortestSide + static_cast<std::int32_t>(random() % kMoreSides);
    room = {RoomShape{width, height}, RoomShape{height, width}, RoomShape{2 * width, (height + 1) / 2}};
  }
  return shapes;
}

bool overlap(const PlacedRoom& a, const PlacedRoom& b) {
  return a.x < b.x + b.shape.width && b.x < a.x + a.shape.width && a.y < b.y + b.shape.height &&
         b.y < a.y + a.shape.height;
}

}  // namespace

bool RoomPlan::is_free(const PlacedRoom& place) const {
  return std::none_of(rooms_.begin(), rooms_.begin() + static_cast<std::ptrdiff_t>(count_),
                      [&](const PlacedRoom& room) { return overlap(room, place); });
}

std::int32_t RoomPlan::area_with(const PlacedRoom& room) const {
  return std::max(width_, room.x + room.shape.width) * std::max(height_, room.y + room.shape.height);
}

RoomPlan RoomPlan::with(const PlacedRoom& room) const {
  RoomPlan plan = *this;
  plan.rooms_[plan.count_++] = room;
  plan.width_ = std::max(width_, room.x + room.shape.width);
  plan.height_ = std::max(height_, room.y + room.shape.height);
  return plan;
}

void NextRooms::sort_by_area() {
  std::sort(rooms_.begin(), rooms_.begin() + static_cast<std::ptrdiff_t>(count_),
            [](const Next& a, const Next& b) { return a.area < b.area; });
}

Floorplan::Floorplan(const RecursionCase& options)
    : depth_(static_cast<std::size_t>(std::min(options.cutoff, options.n))) {
  if (options.n > static_cast<std::int64_t>(RoomPlan::kMostRooms)) throw BadParameter("n: a plan has at most 12 rooms");
  shapes_ = random_shapes(options.n);
  search_without_tasks({});
  expected_ = least_area_;
}

NextRooms Floorplan::promising_rooms(const RoomPlan& plan) const {
  NextRooms rooms;
  const auto add = [&](std::int32_t x, std::int32_t y, const RoomShape& shape) {
    const PlacedRoom room{x, y, shape};
    const std::int32_t area = plan.area_with(room);
    if (area < least_area_ && plan.is_free(room)) rooms.add(room, area);
  };
  for (const RoomShape& shape : shapes_[plan.count()]) {
    if (plan.count() == 0) add(0, 0, shape);
    for (std::size_t index = 0; index < plan.count(); ++index) {
      const PlacedRoom& other = plan.room(index);
      add(other.x + other.shape.width, other.y, shape);
      add(other.x, other.y + other.shape.height, shape);
    }
  }
  rooms.sort_by_area();
  return rooms;
}

void Floorplan::search_without_tasks(const RoomPlan& plan) {
  std::int32_t least = least_area_;
  if (plan.area() >= least) return;
  if (plan.count() < shapes_.size()) {
    for (const auto& [room, area] : promising_rooms(plan)) search_without_tasks(plan.with(room));
    return;
  }
  while (plan.area() < least && !least_area_.compare_exchange_weak(least, plan.area())) {
  }
}

}  // namespace troupe::bench
