// Tests of tasks on accelerators that read halo parts.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/parts/accelerators.hpp"
#include "tests/client/parts/stencils.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(accelerated_halos)

namespace {

using platform::EmulationOptions;

void step_of_stencil(const KernelContext& context) {
  const auto before = context.matrix<const double>(0);
  const auto after = context.matrix<double>(1);
  const auto width = context.argument<std::int64_t>(0);
  const auto row = context.argument<std::int64_t>(1);
  const auto col = context.argument<std::int64_t>(2);
  for (std::int64_t c = 0; c < after.cols; ++c) {
    for (std::int64_t r = 0; r < after.rows; ++r) after(r, c) = sum_around(before, row + r, col + c, width) / 100;
  }
}

/// Returns a codelet that makes a step of a stencil, on accelerators only.
Codelet stencil_on_accelerators() {
  Codelet stencil("stencil", {AccessMode::read, AccessMode::write});
  stencil.implement(DeviceKind::emulated, [](const KernelContext& context) {
    const auto before = context.matrix<const double>(0);
    BOOST_TEST(before.ld == before.rows);
    step_of_stencil(context);
  });
  return stencil;
}

std::vector<Future> submit_step_of(const Codelet& stencil, Runtime& runtime, const Blocks& old, const Blocks& now,
                                   std::int64_t width) {
  std::vector<Future> tasks;
  for (std::int64_t j = 0; j < old.cols(); ++j) {
    for (std::int64_t i = 0; i < old.rows(); ++i) {
      const Block& inside = old.halo(i, j).inside();
      tasks.push_back(
          runtime.submit(stencil, {Handle(old.halo(i, j)), Handle(now(i, j))}, args(width, inside.row, inside.col)));
    }
  }
  return tasks;
}

/// Two grids of 24 x 20 elements in blocks of 6 x 5, with rims.
struct TwoGrids {
  TwoGrids(const RuntimeOptions& options, std::int64_t width)
      : runtime(options),
        a(runtime.matrix(first.elements.data(), 24, 20, 24, "a")),
        b(runtime.matrix(second.elements.data(), 24, 20, 24, "b")),
        old(runtime, a, {6, 5}, width),
        now(runtime, b, {6, 5}, width) {}

  Grid first{24, 20};
  Grid second{24, 20};
  Grid expected = first;
  Runtime runtime;
  Matrix<double> a;
  Matrix<double> b;
  Blocks old;
  Blocks now;
};

Bytes moved(const TransferReport& after, const TransferReport& before) {
  return {after.total().count - before.total().count};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stencil_on_accelerators_gives_what_it_gives_in_sequence) {
  for (const char* policy : {"ws", "heft", "dada", "homeward"}) {
    for (const std::int64_t width : {1, 2, 7}) {
      for (std::size_t accelerators = 1; accelerators <= 3; ++accelerators) {
        RuntimeOptions options = with_accelerators(accelerators, 1U << 20U, width == 2);
        options.policy = policy;
        TwoGrids grids(options, width);
        const Codelet stencil = stencil_on_accelerators();
        for (int step = 0; step < 6; ++step) {
          submit_step_of(stencil, grids.runtime, grids.old, grids.now, width);
          std::swap(grids.old, grids.now);
          grids.expected = stencil_in_sequence(grids.expected, width);
        }
        grids.runtime.wait();
        BOOST_TEST((grids.first.elements == grids.expected.elements), policy << ", " << width << ", " << accelerators);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(cores_and_accelerators_take_turns_in_one_stencil) {
  for (const std::uint64_t memory : {std::uint64_t{1} << 20U, std::uint64_t{2560}}) {
    RuntimeOptions options = with_accelerators(2, memory);
    TwoGrids grids(options, 1);
    Codelet stencil = stencil_on_accelerators();
    stencil.implement(DeviceKind::cpu_core, step_of_stencil);
    for (int step = 0; step < 20; ++step) {
      submit_step_of(stencil, grids.runtime, grids.old, grids.now, 1);
      std::swap(grids.old, grids.now);
      grids.expected = stencil_in_sequence(grids.expected, 1);
    }
    grids.runtime.wait();
    BOOST_TEST(grids.first.elements == grids.expected.elements);
  }
}

BOOST_AUTO_TEST_CASE(a_stencil_in_a_memory_for_a_few_blocks_gives_what_it_gives_in_sequence) {
  // A block has 240 bytes and a halo part up to 448, each rounded up to multiples of 256.
  for (const char* eviction : {"lru", "next-use"}) {
    for (const std::uint64_t memory : {768U, 1024U, 1792U, 4096U}) {
      RuntimeOptions options = with_accelerators(1, memory);
      options.accelerators.eviction = eviction;
      TwoGrids grids(options, 1);
      const Codelet stencil = stencil_on_accelerators();
      for (int step = 0; step < 4; ++step) {
        submit_step_of(stencil, grids.runtime, grids.old, grids.now, 1);
        std::swap(grids.old, grids.now);
        grids.expected = stencil_in_sequence(grids.expected, 1);
      }
      grids.runtime.wait();
      BOOST_TEST(grids.first.elements == grids.expected.elements);
      const TransferReport report = grids.runtime.report().transfers;
      BOOST_TEST_REQUIRE(report.memories.size() == 1U);
      BOOST_TEST(report.memories[0].highest.count <= memory);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stencil_on_one_accelerator_moves_nothing_between_its_steps) {
  TwoGrids grids(with_accelerators(1), 1);
  const Codelet stencil = stencil_on_accelerators();
  const auto two_steps = [&] {
    submit_step_of(stencil, grids.runtime, grids.old, grids.now, 1);
    for (const Future& task : submit_step_of(stencil, grids.runtime, grids.now, grids.old, 1)) task.wait();
    grids.expected = stencil_in_sequence(stencil_in_sequence(grids.expected, 1), 1);
  };
  two_steps();
  const TransferReport before = grids.runtime.report().transfers;
  // At first all is on the host. The halo parts have 7, 8, 8 and 7 rows, and 6, 7, 7 and 6 columns.
  BOOST_TEST(before.total().count == 30U * 26U * sizeof(double));
  for (int i = 0; i < 10; ++i) two_steps();
  BOOST_TEST(moved(grids.runtime.report().transfers, before).count == 0U);
  grids.runtime.wait();
  BOOST_TEST(grids.first.elements == grids.expected.elements);
}

BOOST_AUTO_TEST_CASE(a_stencil_on_two_accelerators_moves_rims) {
  for (const bool peers : {false, true}) {
    TwoGrids grids(with_accelerators(2, 1U << 20U, peers), 1);
    const Codelet stencil = stencil_on_accelerators();
    // The blocks on the left are the first accelerator's, and those on the right the second one's.
    const auto step = [&](const Blocks& old, const Blocks& now) {
      std::vector<Future> tasks;
      for (std::int64_t j = 0; j < old.cols(); ++j) {
        for (std::int64_t i = 0; i < old.rows(); ++i) {
          const Block& inside = old.halo(i, j).inside();
          TaskOptions options;
          options.devices = DeviceSet::named(j < 2 ? "emulated GPU 0" : "emulated GPU 1");
          tasks.push_back(grids.runtime.submit(stencil, {Handle(old.halo(i, j)), Handle(now(i, j))},
                                               args(std::int64_t{1}, inside.row, inside.col), options));
        }
      }
      for (const Future& task : tasks) task.wait();
      grids.expected = stencil_in_sequence(grids.expected, 1);
    };
    step(grids.old, grids.now);
    step(grids.now, grids.old);
    const TransferReport before = grids.runtime.report().transfers;
    constexpr std::uint64_t kSteps = 10;
    for (std::uint64_t i = 0; i < kSteps; i += 2) {
      step(grids.old, grids.now);
      step(grids.now, grids.old);
    }
    // Four halo parts on each side have a column of the other one, with the corners 30 elements.
    const std::uint64_t rims = 2 * 30 * sizeof(double);
    BOOST_TEST(moved(grids.runtime.report().transfers, before).count == kSteps * rims * (peers ? 1 : 2));
    grids.runtime.wait();
    BOOST_TEST(grids.first.elements == grids.expected.elements);
  }
}

BOOST_AUTO_TEST_CASE(a_halo_part_that_nobody_has_written_since_is_read_again_without_a_copy) {
  Runtime runtime(with_accelerators(1));
  InThreeParts x(runtime);
  std::vector<double> sums(3);
  const auto to = runtime.vector(sums, "sums");
  Codelet sum("sum", {AccessMode::read, AccessMode::write});
  sum.implement(DeviceKind::emulated, [](const KernelContext& context) {
    const auto part = context.vector<const double>(0);
    context.vector<double>(1)[0] = std::accumulate(part.begin(), part.end(), 0.0);
  });
  const Blocks results(runtime, to, {1, 1});
  const auto bytes = [&] { return runtime.report().transfers.total().count; };
  runtime.submit(sum, {Handle(x.blocks.halo(1)), Handle(results(0))}).wait();
  // The parts are on the host only, so the halo part comes from there, and with it the rims and not the parts.
  BOOST_TEST(bytes() == 6 * sizeof(double));
  runtime.submit(sum, {Handle(x.blocks.halo(1)), Handle(results(1))}).wait();
  BOOST_TEST(bytes() == 6 * sizeof(double));
  // The program writes a part that only lends a rim.
  { runtime.acquire(x.blocks(2), AccessMode::write).vector<double>()[0] = 10; }
  runtime.submit(sum, {Handle(x.blocks.halo(1)), Handle(results(2))}).wait();
  BOOST_TEST(bytes() == 12 * sizeof(double));
  runtime.wait();
  BOOST_TEST(sums == (std::vector<double>{6, 6, 15}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_buffer_is_filled_after_the_tasks_that_write_what_it_overlaps) {
  // An accelerator is given tasks while the tasks before them run, but not such a task.
  for (std::size_t accelerators = 1; accelerators <= 2; ++accelerators) {
    Runtime runtime(with_accelerators(accelerators));
    InThreeParts x(runtime);
    Codelet slow("slow", {AccessMode::read_write});
    slow.implement(DeviceKind::emulated, [](const KernelContext& context) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      add_one(context.vector<double>(0));
    });
    std::vector<double> sums(12);
    const auto results = runtime.vector(sums, "sums");
    const Blocks result(runtime, results, {1, 1});
    Codelet sum("sum", {AccessMode::read, AccessMode::write});
    sum.implement(DeviceKind::emulated, [](const KernelContext& context) {
      const auto part = context.vector<const double>(0);
      context.vector<double>(1)[0] = std::accumulate(part.begin(), part.end(), 0.0);
    });
    std::vector<double> expected;
    for (int i = 0; i < 12; ++i) {
      runtime.submit(slow, {Handle(x.blocks(0))});
      runtime.submit(sum, {Handle(x.blocks.halo(1)), Handle(result(i))});
      expected.push_back(7 + i);
    }
    runtime.wait();
    BOOST_TEST(sums == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_wavefront_runs_on_cores_and_sees_what_it_writes) {
  Grid grid(12, 12);
  Grid expected = grid;
  for (std::int64_t j = 0; j < 12; ++j) {
    for (std::int64_t i = 0; i < 12; ++i) {
      expected.elements[static_cast<std::size_t>(i + 12 * j)] =
          expected.at(i, j) + expected.at(i - 1, j) / 2 + expected.at(i, j - 1) / 2;
    }
  }
  Runtime runtime(with_accelerators(1));
  const auto whole = runtime.matrix(grid.elements.data(), 12, 12, 12);
  const Blocks blocks(runtime, whole, 4, 1);
  const auto sweep = [](const KernelContext& context) {
    const auto around = context.matrix<const double>(0);
    const auto block = context.matrix<double>(1);
    const auto row = context.argument<std::int64_t>(0);
    const auto col = context.argument<std::int64_t>(1);
    for (std::int64_t c = 0; c < block.cols; ++c) {
      for (std::int64_t r = 0; r < block.rows; ++r) {
        const double above = row + r > 0 ? around(row + r - 1, col + c) : 0;
        const double left = col + c > 0 ? around(row + r, col + c - 1) : 0;
        block(r, c) += above / 2 + left / 2;
      }
    }
  };
  Codelet front("front", {AccessMode::read, AccessMode::read_write});
  front.implement(DeviceKind::emulated, sweep);
  const auto submit = [&](std::int64_t i, std::int64_t j) {
    const Halo& around = blocks.halo(i, j);
    runtime.submit(front, {Handle(around), Handle(blocks(i, j))}, args(around.inside().row, around.inside().col));
  };
  BOOST_CHECK_EXCEPTION(submit(0, 0), Error,
                        failure(ErrorCode::no_implementation, "'front' reads", "writes data in it", "runs on cores"));
  front.implement(DeviceKind::cpu_core, sweep);
  for (std::int64_t j = 0; j < 3; ++j) {
    for (std::int64_t i = 0; i < 3; ++i) submit(i, j);
  }
  runtime.wait();
  BOOST_TEST(grid.elements == expected.elements);
}

BOOST_AUTO_TEST_CASE(a_halo_part_between_parts_is_read_on_cores) {
  Runtime runtime(with_accelerators(1));
  std::vector<double> x(12, 1.0);
  const auto whole = runtime.vector(x, "x");
  const std::array middle{Block{4, 0, 4, 1}};
  const Halo halo = runtime.halos(whole, middle, 1).front();
  std::atomic<int> on_accelerator{0};
  double sum = 0;
  const auto result = runtime.scalar(sum);
  const auto add_up = [](const KernelContext& context) {
    const auto part = context.vector<const double>(0);
    context.scalar<double>(1) = std::accumulate(part.begin(), part.end(), 0.0);
  };
  Codelet adds("adds", {AccessMode::read, AccessMode::write});
  adds.implement(DeviceKind::emulated, [&](const KernelContext& context) {
    ++on_accelerator;
    add_up(context);
  });
  const auto ask = [&] {
    runtime.submit(adds, {Handle(halo), Handle(result)}).wait();
    return runtime.acquire(result, AccessMode::read).vector<const double>()[0];
  };
  BOOST_TEST(ask() == 6);
  const auto part = runtime.partition(whole, middle).front();
  Codelet add("add", {AccessMode::read_write});
  add.implement(DeviceKind::emulated, [](const KernelContext& context) { add_one(context.vector<double>(0)); });
  runtime.submit(add, {Handle(part)});
  BOOST_CHECK_EXCEPTION(ask(), Error, failure(ErrorCode::no_implementation, "'x[3,0 6x1]'", "between their parts"));
  BOOST_TEST(on_accelerator == 1);
  adds.implement(DeviceKind::cpu_core, add_up);
  BOOST_TEST(ask() == 10);
  BOOST_TEST(on_accelerator == 1);
  // After the release, there are no parts to lie between.
  runtime.release(part);
  BOOST_TEST(ask() == 10);
}

BOOST_AUTO_TEST_CASE(what_a_lost_accelerator_alone_had_is_told_to_readers_of_halo_parts) {
  RuntimeOptions options = with_accelerators(2);
  options.accelerators.emulated_gpus[0].faults.lost_after = 1;
  Runtime runtime(options);
  InThreeParts x(runtime);
  Codelet fill("fill", {AccessMode::write});
  fill.implement(DeviceKind::emulated,
                 [](const KernelContext& context) { std::ranges::fill(context.vector<double>(0), 42.0); });
  double sum = 0;
  const auto result = runtime.scalar(sum);
  Codelet adds("adds", {AccessMode::read, AccessMode::write});
  adds.implement(DeviceKind::emulated, [](const KernelContext& context) {
    const auto part = context.vector<const double>(0);
    context.scalar<double>(1) = std::accumulate(part.begin(), part.end(), 0.0);
  });
  const auto on = [&](std::size_t accelerator) {
    TaskOptions task;
    task.devices = DeviceSet::named("emulated GPU " + std::to_string(accelerator));
    return task;
  };
  runtime.submit(fill, {Handle(x.blocks(0))}, {}, on(0)).wait();
  std::vector<double> other(4);
  // The accelerator is lost when its second kernel starts.
  BOOST_CHECK_EXCEPTION(runtime.submit(fill, {Handle(runtime.vector(other))}, {}, on(0)).wait(), Error,
                        failure(ErrorCode::device_lost));
  BOOST_CHECK_EXCEPTION(runtime.submit(adds, {Handle(x.blocks.halo(1)), Handle(result)}, {}, on(1)).wait(), Error,
                        failure(ErrorCode::device_lost));
  runtime.submit(adds, {Handle(x.blocks.halo(2)), Handle(result)}, {}, on(1)).wait();
  BOOST_TEST(runtime.acquire(result, AccessMode::read).vector<const double>()[0] == 5);
  runtime.submit(fill, {Handle(x.blocks(0))}, {}, on(1));
  runtime.submit(adds, {Handle(x.blocks.halo(1)), Handle(result)}, {}, on(1)).wait();
  BOOST_TEST(runtime.acquire(result, AccessMode::read).vector<const double>()[0] == 47);
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(failing_copies_give_right_values_or_failures) {
  int failed = 0;
  int succeeded = 0;
  // Chance decides how many copies there are. On a busy machine it takes more seeds until one run has no failing copy.
  const auto enough = [&](std::uint64_t runs) { return runs >= 20 && failed > 0 && succeeded > 0; };
  for (std::uint64_t seed = 1; seed <= 500 && !enough(seed - 1); ++seed) {
    RuntimeOptions options = with_accelerators(2, 2048, seed % 2 == 0);
    for (EmulationOptions& one : options.accelerators.emulated_gpus) {
      one.faults.copy = 0.02;
      one.faults.seed = 2 * seed + (&one == options.accelerators.emulated_gpus.data() ? 1 : 0);
    }
    TwoGrids grids(options, 1);
    const Codelet stencil = stencil_on_accelerators();
    bool whole = true;
    try {
      for (int step = 0; step < 2; ++step) {
        submit_step_of(stencil, grids.runtime, grids.old, grids.now, 1);
        std::swap(grids.old, grids.now);
      }
      grids.runtime.wait();
    } catch (const Error&) {
      whole = false;
    }
    ++(whole ? succeeded : failed);
    if (!whole) continue;
    grids.expected = stencil_in_sequence(stencil_in_sequence(grids.expected, 1), 1);
    BOOST_TEST(grids.first.elements == grids.expected.elements);
  }
  BOOST_TEST(failed > 0);
  BOOST_TEST(succeeded > 0);
}

BOOST_AUTO_TEST_CASE(in_virtual_time_rims_are_copied_over_links_and_blocks_are_not) {
  for (const bool real : {false, true}) {
    auto simulation = std::make_shared<SimulationOptions>();
    simulation->machine = plain_machine({.cores = 4, .gpus = 2, .bandwidth_mb_per_s = 1000, .latency = {}});
    simulation->gpus = {0, 1};
    simulation->real_buffers = real;
    simulation->accelerators.gpu_memory = Bytes{1U << 20U};
    simulation->times["stencil"] = {.gpu = std::chrono::milliseconds(1)};
    RuntimeOptions options;
    options.policy = "heft";
    options.simulation = simulation;
    TwoGrids grids(options, 1);
    Codelet stencil("stencil", {AccessMode::read, AccessMode::write});
    stencil.implement(DeviceKind::cuda, step_of_stencil);
    const auto two_steps = [&] {
      submit_step_of(stencil, grids.runtime, grids.old, grids.now, 1);
      for (const Future& task : submit_step_of(stencil, grids.runtime, grids.now, grids.old, 1)) task.wait();
      grids.expected = stencil_in_sequence(stencil_in_sequence(grids.expected, 1), 1);
    };
    two_steps();
    const TransferReport before = grids.runtime.report().transfers;
    for (int i = 0; i < 5; ++i) two_steps();
    // Each of the 16 halo parts has at most 8 * 7 elements, and 10 steps copied as many blocks before.
    const std::uint64_t blocks = 10 * 16 * 30 * sizeof(double);
    const std::uint64_t rims = 10 * 16 * (8 * 7 - 6 * 5) * sizeof(double);
    const std::uint64_t copied = moved(grids.runtime.report().transfers, before).count;
    BOOST_TEST(copied <= rims);
    BOOST_TEST_MESSAGE(copied << " bytes of rims beside " << blocks << " bytes of blocks");
    grids.runtime.wait();
    if (real) BOOST_TEST(grids.first.elements == grids.expected.elements);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
