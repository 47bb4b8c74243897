/// A floor plan by branch and bound: the least area found so far is shared, so the work differs from run to run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// The number of shapes of each room.
inline constexpr std::size_t kRoomShapes = 3;

struct RoomShape {
  std::int32_t width = 0;
  std::int32_t height = 0;
};

struct PlacedRoom {
  std::int32_t x = 0;
  std::int32_t y = 0;
  RoomShape shape;
};

/// The places of the first rooms, and the sides of the rectangle around them.
class RoomPlan {
 public:
  static constexpr std::size_t kMostRooms = 12;

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::int32_t area() const { return width_ * height_; }
  /// Returns the area of the plan with this room.
  [[nodiscard]] std::int32_t area_with(const PlacedRoom& room) const;
  [[nodiscard]] bool is_free(const PlacedRoom& place) const;
  [[nodiscard]] RoomPlan with(const PlacedRoom& room) const;
  [[nodiscard]] const PlacedRoom& room(std::size_t index) const { return rooms_[index]; }

 private:
  std::array<PlacedRoom, kMostRooms> rooms_;
  std::size_t count_ = 0;
  std::int32_t width_ = 0;
  std::int32_t height_ = 0;
};

/// Places for one more room, each with the area of the rectangle around all rooms.
class NextRooms {
 public:
  void add(const PlacedRoom& room, std::int32_t area) { rooms_[count_++] = {room, area}; }
  void sort_by_area();
  [[nodiscard]] const auto* begin() const { return rooms_.data(); }
  [[nodiscard]] const auto* end() const { return rooms_.data() + count_; }

 private:
  struct Next {
    PlacedRoom room;
    std::int32_t area = 0;
  };

  std::array<Next, 2 * kRoomShapes * RoomPlan::kMostRooms> rooms_;
  std::size_t count_ = 0;
};

/// Places `n` rooms, each in one of several shapes, and finds the least area of the rectangle around them. The first
/// room is in the corner; each other one is on the right of an earlier one or above it, with one side on the same line.
/// Every place of one of the first `cutoff` rooms has a task.
class Floorplan {
 public:
  explicit Floorplan(const RecursionCase& options);

  void prepare() { least_area_ = kNoArea; }
  template <class Tasks>
  void run(Tasks& tasks) {
    search(tasks, {});
  }
  void check() const { require_right(least_area_ == expected_, Recursion::floorplan); }
  [[nodiscard]] std::uint64_t checksum() const { return static_cast<std::uint64_t>(least_area_.load()); }

 private:
  static constexpr std::int32_t kNoArea = std::numeric_limits<std::int32_t>::max();

  /// Returns the places for one more room that can lead to a plan better than the best one.
  [[nodiscard]] NextRooms promising_rooms(const RoomPlan& plan) const;
  void search_without_tasks(const RoomPlan& plan);

  template <class Tasks>
  void search(Tasks& tasks, const RoomPlan& plan) {
    if (plan.count() >= depth_) return search_without_tasks(plan);
    typename Tasks::Group group(tasks);
    for (const auto& [room, area] : promising_rooms(plan)) {
      group.run([this, &tasks, next = plan.with(room)] { search(tasks, next); });
    }
    group.wait();
  }

  std::size_t depth_ = 0;
  std::vector<std::array<RoomShape, kRoomShapes>> shapes_;
  std::int32_t expected_ = 0;
  std::atomic<std::int32_t> least_area_{kNoArea};
};

}  // namespace troupe::bench
