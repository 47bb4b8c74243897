// Tests of data with three dimensions, of their boxes, and of blocks with steps.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/parts/cubes.hpp"
#include "tests/client/parts/stencils.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(volumes)

namespace {

/// Returns the codelet of `add_places` for the emulated accelerator, whose memory has no gaps.
Codelet add_on_accelerator() {
  Codelet add("add", {AccessMode::read_write});
  add.implement(DeviceKind::emulated, [](const KernelContext& context) {
    const auto x = context.volume<double>(0);
    BOOST_TEST(x.ld == x.rows);
    BOOST_TEST(x.plane_stride == x.rows * x.cols);
    add_places(x);
  });
  return add;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_volume_is_registered_partitioned_and_seen_in_boxes) {
  Cube cube({.rows = 7, .cols = 5, .planes = 6, .ld = 9, .plane_stride = 50});
  Cube expected = cube;
  {
    Runtime runtime(with_workers(3));
    const Volume<double> whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    const Blocks boxes(runtime, whole, {3, 2, 4});
    BOOST_TEST(boxes.rows() == 3);
    BOOST_TEST(boxes.cols() == 3);
    BOOST_TEST(boxes.planes() == 2);
    for (std::int64_t k = 0; k < boxes.planes(); ++k) {
      for (std::int64_t j = 0; j < boxes.cols(); ++j) {
        for (std::int64_t i = 0; i < boxes.rows(); ++i) {
          runtime.submit(add_places, boxes(i, j, k));
          add_places_in_sequence(expected, boxes.place(i, j, k));
        }
      }
    }
    // Tasks on the whole come before and after the tasks on its boxes.
    runtime.submit([](VolumeView<double> x) { add_places(x); }, whole);
    add_places_in_sequence(expected, {0, 0, 7, 5, 0, 6});
    const HostAccess held = runtime.acquire(whole, AccessMode::read);
    const auto view = held.volume<const double>();
    BOOST_TEST(view.planes == 6);
    BOOST_TEST(view.ld == 9);
    BOOST_TEST(view.plane_stride == 50);
    BOOST_TEST(view(6, 4, 5) == expected(6, 4, 5));
    BOOST_TEST(view.plane(5)(6, 4) == expected(6, 4, 5));
  }
  // The elements between columns and planes have not changed.
  BOOST_TEST(cube.elements == expected.elements);
}

BOOST_AUTO_TEST_CASE(boxes_have_names_and_wrong_ones_are_refused) {
  Runtime runtime(with_workers(1));
  Cube cube({4, 4, 4});
  const Cube before = cube;
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  const auto refuse = [&](const Block& block, ErrorCode code, auto... parts) {
    BOOST_CHECK_EXCEPTION((void)runtime.partition(whole, std::array{block}), Error, failure(code, parts...));
  };
  const std::array<Block, 1> corner{Block{0, 2, 2, 2, 3, 1}};
  const Handle part = runtime.partition(whole, corner).front();
  BOOST_CHECK_EXCEPTION(runtime.submit([](double&) {}, part), Error,
                        failure(ErrorCode::signature_mismatch, "'A[0,2,3]'", "4 elements"));
  refuse({0, 0, 4, 4, 2, 3}, ErrorCode::overlapping_handles, "4 x 4 x 3 at (0, 0, 2)", "'A', which is 4 x 4 x 4");
  refuse({0, 0, 1, 1, 4, 1}, ErrorCode::overlapping_handles, "1 x 1 x 1 at (0, 0, 4)");
  refuse({0, 3, 1, 1, 0, 4}, ErrorCode::overlapping_handles, " of 'A' overlaps another part");
  refuse({0, 0, 4, 2, 0, 3, 3, 2}, ErrorCode::overlapping_handles, "in steps of 3 columns and 2 planes");
  refuse({0, 0, 4, 2, 0, 1, 0, 1}, ErrorCode::invalid_argument, "a step is at least 1");
  const std::array<Block, 1> beside{Block{2, 2, 2, 2, 3, 1}};
  BOOST_TEST(runtime.partition(whole, beside).size() == 1U);
  BOOST_CHECK_EXCEPTION((void)Blocks(runtime, whole, {2, 2, 0}), Error,
                        failure(ErrorCode::invalid_argument, "blocks of 2 x 2 x 0"));
  Cube other({4, 4, 4});
  const auto more = runtime.volume(other.elements.data(), other.shape, "B");
  const Blocks boxes(runtime, more, 2);
  BOOST_CHECK_EXCEPTION((void)boxes(0, 1, 2), Error,
                        failure(ErrorCode::invalid_argument, "(0, 1, 2)", "2 x 2 x 2 blocks"));
  runtime.wait();
  BOOST_TEST(cube.elements == before.elements);
}

BOOST_AUTO_TEST_CASE(impossible_shapes_and_shared_memory_are_refused) {
  Runtime runtime(with_workers(1));
  std::vector<double> x(1000);
  const auto refuse = [&](const VolumeShape& shape, auto... parts) {
    BOOST_CHECK_EXCEPTION((void)runtime.volume(x.data(), shape), Error, failure(ErrorCode::invalid_argument, parts...));
  };
  refuse({-1, 2, 2}, "-1 x 2 x 2", "must not be negative");
  refuse({2, 2, 2, 1}, "ld 1", "at least the rows");
  refuse({4, 4, 4, 5, 18}, "plane_stride 18", "planes would overlap", "20 or more");
  refuse({1, 1, INT64_MAX}, "too large");
  refuse({INT64_MAX, INT64_MAX, 2}, "too large");
  // The last column of a plane may end before the place where a further column would begin.
  const auto odd = runtime.volume(x.data(), {4, 4, 4, 5, 19}, "odd");
  BOOST_CHECK_EXCEPTION((void)runtime.volume(x.data() + 19, {1, 1, 1}), Error,
                        failure(ErrorCode::overlapping_handles, "1 x 1 elements share memory with 'odd'"));
  const auto between = runtime.volume(x.data() + 4, {1, 3, 4, 5, 19}, "between the columns");
  BOOST_CHECK_EXCEPTION((void)runtime.volume(x.data() + 4, {1, 1, 2, 1, 18}), Error,
                        failure(ErrorCode::overlapping_handles, "1 x 1 x 2"));
  const auto empty = runtime.volume(x.data(), {4, 0, 3});
  runtime.submit([](VolumeView<double> v) { BOOST_TEST(v.planes == 3); }, empty).wait();
}

BOOST_AUTO_TEST_CASE(kernels_that_take_matrices_and_vectors_get_what_is_one) {
  Runtime runtime(with_workers(1));
  const auto whole = runtime.allocate_volume<double>({3, 4, 5}, "A");
  runtime.submit([](VectorView<double> all) { std::ranges::fill(all, 1.0); }, write(whole));
  const Handle untyped = whole;
  BOOST_CHECK_EXCEPTION(runtime.submit([](MatrixView<double>) {}, untyped), Error,
                        failure(ErrorCode::signature_mismatch, "'A') has 5 planes", "take a VolumeView"));
  using AsMatrix = detail::InlineParameter<1, MatrixView<double>, Volume<double>>;
  BOOST_TEST((AsMatrix::mistake() == AsMatrix::Mistake::several_planes));
  using AsVolume = detail::InlineParameter<1, VolumeView<const double>, Volume<double>>;
  BOOST_TEST((AsVolume::mistake() == AsVolume::Mistake::none));
  using AsScalar = detail::InlineParameter<1, double&, Volume<double>>;
  BOOST_TEST((AsScalar::mistake() == AsScalar::Mistake::several_elements));
  using WrongType = detail::InlineParameter<1, VolumeView<float>, Volume<double>>;
  BOOST_TEST((WrongType::mistake() == WrongType::Mistake::other_element));

  const std::array<Block, 3> faces{Block{0, 0, 3, 4, 4, 1}, Block{0, 0, 3, 1, 0, 4}, Block{2, 1, 1, 3, 0, 4}};
  const auto parts = runtime.partition(whole, faces);
  // A face of one plane is a matrix. The others have gaps.
  runtime.submit([](MatrixView<double> x) { x(2, 3) = 7; }, parts[0]);
  BOOST_CHECK_EXCEPTION(runtime.submit([](VectorView<double>) {}, parts[1]), Error,
                        failure(ErrorCode::signature_mismatch, "gaps between its columns or planes"));
  const Codelet asks = Codelet("asks", {AccessMode::read}).cpu(Kernel([](const KernelContext& context) {
    (void)context.matrix<const double>(0);
  }));
  BOOST_CHECK_EXCEPTION(runtime.submit(asks, {parts[1]}).wait(), Error,
                        failure(ErrorCode::signature_mismatch, "4 planes"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  {
    const HostAccess held = runtime.acquire(whole, AccessMode::read);
    BOOST_TEST(held.volume<const double>()(2, 3, 4) == 7);
    BOOST_CHECK_EXCEPTION((void)held.matrix<double>(), Error, failure(ErrorCode::signature_mismatch, "5 planes"));
    BOOST_CHECK_EXCEPTION((void)held.volume<float>(), Error, failure(ErrorCode::signature_mismatch, "float"));
  }
  // A matrix is a volume of one plane.
  std::vector<double> x(6, 2.0);
  const auto matrix = runtime.matrix(x.data(), 2, 3, 2);
  runtime.submit([](VolumeView<double> v) { v(1, 2, 0) = static_cast<double>(v.planes); }, matrix).wait();
  BOOST_TEST(x[5] == 1);
}

BOOST_AUTO_TEST_CASE(faces_of_a_box_are_blocks) {
  Cube cube({5, 4, 3, 6, 26});
  Cube expected = cube;
  Runtime runtime(with_workers(2));
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  // The six faces, without the edges that two of them would share, and the inner box.
  const std::vector<Block> parts{{0, 0, 1, 4, 0, 3}, {4, 0, 1, 4, 0, 3}, {1, 0, 3, 1, 0, 3}, {1, 3, 3, 1, 0, 3},
                                 {1, 1, 3, 2, 0, 1}, {1, 1, 3, 2, 2, 1}, {1, 1, 3, 2, 1, 1}};
  const auto handles = runtime.partition(whole, parts);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      runtime.submit(add_places, handles[i]);
      add_places_in_sequence(expected, parts[i]);
    }
    runtime.submit(add_places, whole);
    add_places_in_sequence(expected, {0, 0, 5, 4, 0, 3});
  }
  runtime.wait();
  BOOST_TEST(cube.elements == expected.elements);
}

BOOST_AUTO_TEST_CASE(columns_and_planes_in_turn_are_blocks) {
  Cube cube({3, 7, 5});
  Cube expected = cube;
  Runtime runtime(with_workers(2));
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  std::vector<Block> parts;
  for (std::int64_t plane = 0; plane < 2; ++plane) {
    for (std::int64_t col = 0; col < 3; ++col) parts.push_back({0, col, 3, (9 - col) / 3, plane, 3 - plane, 3, 2});
  }
  const auto handles = runtime.partition(whole, parts);
  // A halo part around the middle overlaps elements of all of them.
  const std::array<Block, 1> middle{Block{1, 3, 1, 1, 2, 1}};
  const Halo halo = runtime.halos(whole, middle, 1).front();
  std::vector<double> sums;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      runtime.submit(add_places, handles[i]);
      add_places_in_sequence(expected, parts[i]);
      double sum = 0;
      for (int at = 0; at < 27; ++at) sum += expected(at % 3, 2 + at / 3 % 3, 1 + at / 9);
      double seen = 0;
      runtime
          .submit(
              [&seen](VolumeView<const double> x) {
                for (int at = 0; at < 27; ++at) seen += x(at % 3, at / 3 % 3, at / 9);
              },
              halo)
          .wait();
      BOOST_TEST(seen == sum);
    }
  }
  runtime.wait();
  BOOST_TEST(cube.elements == expected.elements);
  BOOST_CHECK_EXCEPTION((void)runtime.halos(whole, std::array{parts[0]}, 1), Error,
                        failure(ErrorCode::invalid_argument, "'A' has steps between its columns or planes"));

  // Every other column of a matrix, in a matrix kernel.
  std::vector<double> x(12, 1.0);
  const auto matrix = runtime.matrix(x.data(), 2, 6, 2);
  const std::array<Block, 2> turns{Block{.rows = 2, .cols = 3, .col_step = 2},
                                   Block{.col = 1, .rows = 2, .cols = 3, .col_step = 2}};
  const auto red_and_black = runtime.partition(matrix, turns);
  runtime.submit([](MatrixView<double> red) { red(1, 2) += 5; }, red_and_black[0]);
  runtime.submit([](MatrixView<double> black) { black(0, 2) += 6; }, red_and_black[1]);
  runtime.wait();
  BOOST_TEST(x == (std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 7, 1}), boost::test_tools::per_element());
  // The step of a single column means nothing, with a rim either.
  const std::array<Block, 1> column{Block{.col = 2, .rows = 2, .cols = 1, .col_step = 9}};
  const HostAccess held = runtime.acquire(runtime.halos(matrix, column, 1).front(), AccessMode::read);
  BOOST_TEST(held.matrix<const double>().cols == 3);
  BOOST_TEST(held.matrix<const double>().ld == 2);
}

BOOST_AUTO_TEST_CASE(a_stencil_on_boxes_with_halos_gives_what_it_gives_in_sequence) {
  for (const TileSize size : {TileSize(4), TileSize(5, 3, 2), TileSize(100, 2, 100)}) {
    Runtime runtime(with_workers(3));
    Cube first({11, 9, 7});
    Cube second({11, 9, 7, 13, 120}, 2);
    Cube expected = first;
    const auto a = runtime.volume(first.elements.data(), first.shape, "a");
    const auto b = runtime.volume(second.elements.data(), second.shape, "b");
    Blocks old(runtime, a, size, 1);
    Blocks now(runtime, b, size, 1);
    for (int step = 0; step < 6; ++step) {
      submit_heat_step(runtime, old, now);
      std::swap(old, now);
      expected = heat_in_sequence(expected);
    }
    runtime.wait();
    BOOST_TEST(first.elements == expected.elements);
  }
}

BOOST_AUTO_TEST_CASE(a_halo_part_has_a_rim_in_three_dimensions) {
  Runtime runtime(with_workers(1));
  Cube cube({9, 6, 5});
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  const Blocks boxes(runtime, whole, {3, 3, 2}, Rim(2, 1, 3));
  const Block& inside = boxes.halo(1, 1, 1).inside();
  BOOST_TEST(inside.row == 2);
  BOOST_TEST(inside.col == 1);
  BOOST_TEST(inside.plane == 2);
  BOOST_TEST(inside.planes == 2);
  const HostAccess held = runtime.acquire(boxes.halo(1, 1, 1), AccessMode::read);
  const auto view = held.volume<const double>();
  BOOST_TEST(view.rows == 7);
  BOOST_TEST(view.cols == 4);
  BOOST_TEST(view.planes == 5);
  BOOST_TEST(view(2, 1, 2) == cube(3, 3, 2));
  BOOST_CHECK_EXCEPTION(runtime.submit([](VolumeView<double>) {}, Handle(boxes.halo(1, 1, 1))), Error,
                        failure(ErrorCode::invalid_argument, "'A[1,2,0 7x4x5]' is a halo part"));
  BOOST_CHECK_EXCEPTION((void)Blocks(runtime, whole, 2, Rim(1, 1, -1)), Error,
                        failure(ErrorCode::invalid_argument, "-1 planes"));
}

BOOST_AUTO_TEST_CASE(boxes_change_while_tasks_use_them) {
  Cube cube({6, 6, 6});
  Cube expected = cube;
  Runtime runtime(with_workers(3));
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  Blocks boxes(runtime, whole, 6);
  for (int round = 0; round < 12; ++round) {
    boxes.repartition(runtime, TileSize(1 + round % 3, 1 + round % 4, 1 + round % 5));
    for (std::int64_t at = 0; at < boxes.rows() * boxes.cols() * boxes.planes(); ++at) {
      const std::int64_t i = at % boxes.rows();
      const std::int64_t j = at / boxes.rows() % boxes.cols();
      const std::int64_t k = at / boxes.rows() / boxes.cols();
      runtime.submit(add_places, boxes(i, j, k));
      add_places_in_sequence(expected, boxes.place(i, j, k));
    }
  }
  runtime.wait();
  BOOST_TEST(cube.elements == expected.elements);
}

BOOST_AUTO_TEST_CASE(recorded_tasks_get_volumes_of_the_same_shape) {
  Runtime runtime(with_workers(2));
  Cube a({3, 4, 2});
  Cube b({3, 4, 2}, 2);
  Cube c({3, 2, 4}, 3);
  Cube expected = b;
  const auto first = runtime.volume(a.elements.data(), a.shape, "a");
  const auto second = runtime.volume(b.elements.data(), b.shape, "b");
  const auto third = runtime.volume(c.elements.data(), c.shape, "c");
  RecordedGraph graph = runtime.record([&] { runtime.submit(add_places, first); });
  graph.run(std::array{Rebinding{first, second}});
  runtime.wait();
  add_places_in_sequence(expected, {0, 0, 3, 4, 0, 2});
  BOOST_TEST(b.elements == expected.elements);
  BOOST_CHECK_EXCEPTION(graph.run(std::array{Rebinding{first, third}}), Error,
                        failure(ErrorCode::invalid_argument, "it was 3 x 4 x 2 of double and is 3 x 2 x 4"));
}

BOOST_AUTO_TEST_CASE(sums_are_reduced_over_all_planes) {
  Runtime runtime(with_workers(3));
  Cube cube({3, 2, 4, 4, 11});
  Cube expected = cube;
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  runtime.set_reduction(whole, sum_reduction<double>());
  for (int i = 0; i < 20; ++i) {
    runtime.submit([](VolumeView<double> partial) { add_places(partial); }, reduce(whole));
    add_places_in_sequence(expected, {0, 0, 3, 2, 0, 4});
    // The next partial results lie in memory that has old content.
    if (i % 7 == 6) runtime.wait();
  }
  runtime.wait();
  BOOST_TEST(cube.elements == expected.elements);
}

BOOST_AUTO_TEST_CASE(boxes_travel_to_accelerators_and_back_without_what_lies_around_them) {
  for (const VolumeShape& shape : {VolumeShape{6, 5, 4}, VolumeShape{6, 5, 4, 8, 47}}) {
    Cube cube(shape);
    Cube expected = cube;
    RuntimeOptions options = with_an_accelerator();
    // There is memory for a few boxes only, so that they are evicted.
    options.accelerators.emulated_gpus[0].memory = Bytes{1024};
    Runtime runtime(options);
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    const Blocks boxes(runtime, whole, {3, 3, 2});
    const Codelet add = add_on_accelerator();
    for (int round = 0; round < 4; ++round) {
      for (std::int64_t at = 0; at < 8; ++at) {
        const Handle box = boxes(at % 2, at / 2 % 2, at / 4);
        runtime.submit(add, {box});
        add_places_in_sequence(expected, boxes.place(at % 2, at / 2 % 2, at / 4));
        if ((at + round) % 3 != 0) continue;
        runtime.submit(add_places, box);
        add_places_in_sequence(expected, boxes.place(at % 2, at / 2 % 2, at / 4));
      }
    }
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);
    BOOST_TEST(runtime.report().transfers.device_to_host.count > 0U);
  }
}

BOOST_AUTO_TEST_CASE(random_boxes_give_what_they_give_in_sequence) {
  DrawnBoxes draw(11);
  for (int program = 0; program < 20; ++program) {
    Cube cube = draw.cube();
    Cube expected = cube;
    RuntimeOptions options = with_an_accelerator();
    options.accelerators.emulated_gpus[0].memory = Bytes{2048};
    Runtime runtime(options);
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    const auto [blocks, handles] = draw.boxes(runtime, whole, cube.shape, 40);
    const Codelet add = add_on_accelerator();
    for (int task = 0; task < 60; ++task) {
      const auto at = static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(blocks.size())));
      if (draw.below(8) == 0) {
        runtime.submit(add_places, whole);
        add_places_in_sequence(expected, {0, 0, cube.shape.rows, cube.shape.cols, 0, cube.shape.planes});
      } else {
        draw.below(2) == 0 ? runtime.submit(add, {handles[at]}) : runtime.submit(add_places, handles[at]);
        add_places_in_sequence(expected, blocks[at]);
      }
    }
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);
  }
}

BOOST_AUTO_TEST_CASE(virtual_time_moves_boxes_between_memories) {
  Cube cube({6, 5, 4, 8, 47});
  Cube expected = cube;
  const auto simulation = std::make_shared<SimulationOptions>();
  simulation->machine = plain_machine({.cores = 2, .gpus = 1, .bandwidth_mb_per_s = 1000, .latency = {}});
  simulation->gpus = {0};
  simulation->cores = 1;
  simulation->accelerators.gpu_memory = Bytes{2048};
  simulation->real_buffers = true;
  const Duration time = std::chrono::microseconds(10);
  simulation->times["on core"] = {.core = time};
  simulation->times["on gpu"] = {.gpu = time};
  RuntimeOptions options;
  options.simulation = simulation;
  Runtime runtime(options);
  const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
  const Blocks boxes(runtime, whole, {3, 3, 2});
  const Codelet on_core = Codelet("on core", {AccessMode::read_write}).cpu([](VolumeView<double> x) { add_places(x); });
  Codelet on_gpu("on gpu", {AccessMode::read_write});
  on_gpu.implement(DeviceKind::cuda, [](const KernelContext& context) { add_places(context.volume<double>(0)); });
  for (int at = 0; at < 24; ++at) {
    const std::array<std::int64_t, 3> index{at % 2, at / 2 % 2, at / 4 % 2};
    runtime.submit(at % 3 == 0 ? on_core : on_gpu, {boxes(index[0], index[1], index[2])});
    add_places_in_sequence(expected, boxes.place(index[0], index[1], index[2]));
  }
  runtime.wait();
  BOOST_TEST(cube.elements == expected.elements);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
