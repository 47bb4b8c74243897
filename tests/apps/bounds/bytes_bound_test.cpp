#include "apps/bounds/bytes_bound.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "apps/bounds/lower_bounds.hpp"
#include "apps/bounds/tile_triangles.hpp"
#include "tests/support/bounds/best_schedule.hpp"
#include "tests/support/tries.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(bytes_bound)

namespace {

/// Calculates the fewest bytes that must be copied if each task runs at a given memory. Each version of a tile goes
/// once to each memory that reads this version, except the memory where it was made.
class MovedBytes {
 public:
  MovedBytes(const BytesProblem& problem, const std::vector<std::size_t>& memory_of_task)
      : problem_(problem), holders_(problem.tiles.size(), {0}) {
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const std::size_t memory = memory_of_task[i];
      const BytesTask& task = problem.tasks[i];
      for (const auto tile : task.reads) {
        if (holders_[tile].insert(memory).second) total_ += problem.tiles[tile].bytes.count;
      }
      // The task updates the first tile in its list of reads.
      if (!task.reads.empty()) holders_[task.reads.front()] = {memory};
      for (const auto tile : task.overwrites) holders_[tile] = {memory};
    }
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  const BytesProblem& problem_;
  std::vector<std::set<std::size_t>> holders_;
  std::uint64_t total_ = 0;
};

/// Finds the fewest copied bytes of all distributions of the tasks in which no device is busy for longer than the
/// makespan. Dependencies and the order of tasks are ignored, so no schedule copies fewer bytes.
class ThriftiestChoice {
 public:
  explicit ThriftiestChoice(const BytesProblem& problem) : problem_(problem), memory_(problem.tasks.size()) {
    for (std::size_t type = 0; type < problem.machine.types.size(); ++type) {
      for (int i = 0; i < problem.machine.types[type].count; ++i) {
        const std::size_t memory = problem.machine.types[type].on_host ? 0 : devices_.size() + 1;
        devices_.push_back({type, memory, 0});
      }
    }
    search(0);
  }
  /// Returns the fewest bytes; nullopt if every distribution takes longer than the makespan.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const { return best_; }

 private:
  struct Device {
    std::size_t type;
    std::size_t memory;
    double busy;
  };

  void search(std::size_t task) {
    if (task == problem_.tasks.size()) {
      const auto total = MovedBytes(problem_, memory_).total();
      best_ = best_ ? std::min(*best_, total) : total;
      return;
    }
    for (Device& device : devices_) {
      const double time = problem_.machine.types[device.type].times[problem_.tasks[task].kind];
      if (time == kCannotRun || device.busy + time > problem_.makespan_s) continue;
      const double busy = device.busy;
      device.busy += time;
      memory_[task] = device.memory;
      search(task + 1);
      device.busy = busy;
    }
  }

  const BytesProblem& problem_;
  std::vector<Device> devices_;
  std::vector<std::size_t> memory_;
  std::optional<std::uint64_t> best_;
};

/// Returns a machine with cores, and with GPUs that have their own memories. `times` is indexed by kind of task, then
/// by type of worker.
BoundMachine with_memories(const std::vector<std::vector<double>>& times, const std::vector<int>& counts) {
  BoundMachine machine = machine_of(times, counts);
  machine.types[1].cores = 0;
  machine.types[1].on_host = false;
  return machine;
}

constexpr int kSide = 5;

/// Returns a problem with 5 x 5 tiles of 10 bytes and without tasks. A task takes 4 s on the core and 1 s on each of
/// the `gpus` GPUs.
BytesProblem matrix(int gpus, double makespan_s) {
  BytesProblem problem;
  for (int row = 0; row < kSide; ++row) {
    for (int column = 0; column < kSide; ++column) problem.tiles.push_back({Bytes{10}, row, column});
  }
  problem.kinds = 1;
  problem.machine = with_memories({{4.0, 1.0}}, {1, gpus});
  problem.makespan_s = makespan_s;
  return problem;
}

std::uint32_t tile(int row, int column) { return static_cast<std::uint32_t>(row * kSide + column); }

/// Returns a problem with random tasks of one or two kinds. Each updates a tile of random size or also reads a second
/// tile; some overwrite tiles.
BytesProblem random_problem(std::mt19937& random) {
  BytesProblem problem = matrix(1 + static_cast<int>(random() % 2), 0);
  problem.kinds = 1 + random() % 2;
  for (WorkerType& type : problem.machine.types) type.times.resize(problem.kinds, 2);
  if (random() % 4 == 0) problem.machine.types[0].times[0] = kCannotRun;
  for (BytesTile& tile : problem.tiles) tile.bytes = Bytes{1 + random() % 3};
  const auto tiles = static_cast<std::uint32_t>(1 + random() % 6);
  for (auto count = 1 + random() % 7; count > 0; --count) {
    BytesTask task{
        static_cast<std::uint32_t>(random() % problem.kinds), {static_cast<std::uint32_t>(random() % tiles)}, {}};
    if (const auto second = static_cast<std::uint32_t>(random() % tiles); second != task.reads.front()) {
      (random() % 4 == 0 ? task.overwrites : task.reads).push_back(second);
    }
    problem.tasks.push_back(std::move(task));
  }
  return problem;
}

/// Returns a problem with random updates of three tiles each: as in Cholesky (`lower`), as in LU, or of any shape.
BytesProblem random_triangles(std::mt19937& random) {
  BytesProblem problem = matrix(1 + static_cast<int>(random() % 3), 0);
  problem.machine.types[0].times[0] = random() % 2 == 0 ? kCannotRun : 3.0;
  const auto shape = random() % 3;
  for (auto count = 3 + random() % 5; count > 0; --count) {
    std::vector<int> index{0, 1, 2, 3, 4};
    std::ranges::shuffle(index, random);
    int i = index[0], j = index[1], k = index[2];
    if (shape < 2) {
      if (j < k) std::swap(j, k);
      if (i < k) std::swap(i, k);
      if (shape == 0 && i < j) std::swap(i, j);
    }
    const std::uint32_t third = shape == 0 ? tile(j, k) : tile(k, j);
    problem.tasks.push_back({0, {tile(i, j), tile(i, k), third}, {}});
  }
  return problem;
}

/// Compares the bound with the best distribution for several makespans. Returns how often the two are equal and not
/// zero.
int check(BytesProblem problem) {
  int equal = 0;
  for (double makespan = 1; makespan <= 16; makespan += 1.5) {
    problem.makespan_s = makespan;
    const auto thriftiest = ThriftiestChoice(problem).bytes();
    if (!thriftiest) continue;
    const auto bound = bytes_lower_bound(problem).count;
    BOOST_TEST_REQUIRE(bound <= *thriftiest,
                       "makespan " << makespan << ": bound " << bound << ", possible " << *thriftiest);
    equal += bound > 0 && bound == *thriftiest;
  }
  return equal;
}

BOOST_AUTO_TEST_CASE(nothing_moves_where_the_cores_have_the_time) {
  BytesProblem problem = matrix(1, 8);
  problem.tasks = {{0, {0}, {}}, {0, {1}, {}}};
  BOOST_TEST(bytes_lower_bound(problem).count == 0U);
  problem.tasks.clear();
  BOOST_TEST(bytes_lower_bound(problem).count == 0U);
}

BOOST_AUTO_TEST_CASE(what_the_cores_cannot_do_in_time_takes_its_tiles_to_gpus) {
  // In 8 s the core can run two of the five tasks, so the tiles of three tasks must be copied.
  BytesProblem problem = matrix(3, 8);
  for (std::uint32_t i = 0; i < 5; ++i) problem.tasks.push_back({0, {i}, {}});
  BOOST_TEST(bytes_lower_bound(problem).count == 30U);
  BOOST_TEST(ThriftiestChoice(problem).bytes().value() == 30U);
  problem.makespan_s = 3;
  BOOST_TEST(bytes_lower_bound(problem).count == 50U);
}

BOOST_AUTO_TEST_CASE(tasks_on_one_tile_take_it_to_a_gpu_once) {
  BytesProblem problem = matrix(1, 8);
  for (int i = 0; i < 5; ++i) problem.tasks.push_back({0, {0}, {}});
  problem.makespan_s = 3.9;
  BOOST_TEST(bytes_lower_bound(problem).count == 10U);
  // The core can run one of the five tasks. The other four tasks need the tile of 10 bytes on the GPU, but the bound
  // only counts four fifths of these bytes.
  problem.makespan_s = 4;
  BOOST_TEST(bytes_lower_bound(problem).count == 8U);
}

BOOST_AUTO_TEST_CASE(a_tile_that_is_overwritten_may_be_made_where_it_is_used) {
  BytesProblem problem = matrix(1, 3);
  problem.tasks = {{0, {}, {0}}, {0, {0}, {}}};
  BOOST_TEST(bytes_lower_bound(problem).count == 0U);
}

BOOST_AUTO_TEST_CASE(tasks_are_seen_as_triangles_only_if_their_tiles_are_three_different_pairs_of_three_indices) {
  BytesProblem problem = matrix(1, 3);
  problem.tiles.push_back({Bytes{10}, -1, -1});
  const auto extra = static_cast<std::uint32_t>(problem.tiles.size() - 1);
  problem.tasks = {{0, {tile(3, 2), tile(3, 1), tile(2, 1)}, {}},         // Cholesky
                   {0, {tile(2, 3), tile(2, 1), tile(1, 3)}, {}},         // LU
                   {0, {tile(1, 3), tile(2, 3), tile(2, 1), extra}, {}},  // QR, with a factor T
                   {0, {tile(2, 2), tile(2, 1)}, {}},
                   {0, {tile(2, 2), tile(2, 1), tile(1, 2)}, {}},
                   {0, {tile(3, 2), tile(3, 1), tile(4, 1)}, {}},
                   {0, {tile(3, 2), tile(3, 1), tile(3, 4)}, {}}};
  const TileTriangles triangles(problem, std::vector<bool>(problem.tiles.size(), true));
  BOOST_TEST(triangles.is_triangle == std::vector<bool>({true, true, true, false, false, false, false}),
             boost::test_tools::per_element());
  std::vector<bool> usable(problem.tiles.size(), true);
  usable[tile(3, 1)] = false;
  BOOST_TEST(!TileTriangles(problem, usable).is_triangle[0]);
}

/// Checks `TileTriangles` with all subsets of the tasks: it must not claim more tiles than the tasks of the subset
/// read.
void check_triangles(const BytesProblem& problem) {
  const TileTriangles triangles(problem, std::vector<bool>(problem.tiles.size(), true));
  for (std::size_t set = 1; set < (std::size_t{1} << problem.tasks.size()); ++set) {
    std::set<std::uint32_t> tiles;
    double tasks = 0;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      ++tasks;
      tiles.insert(problem.tasks[i].reads.begin(), problem.tasks[i].reads.end());
    }
    BOOST_TEST_REQUIRE(triangles.least_tiles(0, tasks) <= static_cast<double>(tiles.size()) * (1 + 1e-12));
  }
}

BOOST_AUTO_TEST_CASE(no_set_of_tasks_has_fewer_tiles_than_the_triangles_say) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      check_triangles(random_triangles(random));
    }
  }
  // All updates of a Cholesky factorization of 5 x 5 tiles: ten updates, which use ten tiles.
  BytesProblem all = matrix(1, 1);
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < j; ++k) all.tasks.push_back({0, {tile(i, j), tile(i, k), tile(j, k)}, {}});
    }
  }
  check_triangles(all);
  const TileTriangles triangles(all, std::vector<bool>(all.tiles.size(), true));
  BOOST_TEST(triangles.least_tiles(0, 10) > 7.6);
}

BOOST_AUTO_TEST_CASE(no_choice_of_devices_moves_less_than_the_bound) {
  int equal = 0;
  for (unsigned seed = 0; seed < tests::tries(250); ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      equal += check(random_problem(random));
    }
  }
  BOOST_TEST_MESSAGE(equal << " bounds are reached");
  BOOST_TEST(equal > static_cast<int>(tests::tries(100)));
}

BOOST_AUTO_TEST_CASE(no_choice_of_devices_moves_less_than_the_triangles_need) {
  for (unsigned seed = 0; seed < tests::tries(100); ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      check(random_triangles(random));
    }
  }
}

/// Cholesky with n x n tiles. A task takes 25 s on a core and 1 s on each of 8 GPUs. The makespan is 1.2 times the area
/// bound.
BOOST_AUTO_TEST_CASE(several_gpus_need_the_same_tiles) {
  constexpr int n = 20;
  BytesProblem problem{{}, {}, 2, with_memories({{25.0, 1.0}, {25.0, 1.0}}, {4, 8}), 0};
  const auto at = [](int row, int column) { return static_cast<std::uint32_t>(row * (row + 1) / 2 + column); };
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column <= row; ++column) problem.tiles.push_back({Bytes{1000}, row, column});
  }
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      problem.tasks.push_back({0, {at(i, k), at(k, k)}, {}});
      for (int j = k + 1; j < i; ++j) problem.tasks.push_back({1, {at(i, j), at(i, k), at(j, k)}, {}});
    }
  }
  problem.makespan_s = 1.2 * static_cast<double>(problem.tasks.size()) / 8.16;
  const auto bound = bytes_lower_bound(problem).count;
  BOOST_TEST_MESSAGE(bound << " bytes, matrix " << 1000 * problem.tiles.size());
  BOOST_TEST(bound > 1000 * problem.tiles.size());
  problem.machine.types[1].count = 1;
  problem.makespan_s *= 8;
  const auto one = bytes_lower_bound(problem).count;
  BOOST_TEST_MESSAGE(one << " bytes with one GPU");
  BOOST_TEST(one < bound);
  BOOST_TEST(one > 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
