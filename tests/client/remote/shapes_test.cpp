// Tests, in both places, of data with three dimensions, of their boxes, and of blocks with steps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "client/backend.hpp"
#include "tests/client/remote/shape_places.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(shapes_in_both_places, ShapePlaces)

BOOST_AUTO_TEST_CASE(boxes_of_a_volume_are_ordered_with_the_whole) {
  both([this](Runtime& runtime) {
    Cube cube({.rows = 7, .cols = 5, .planes = 6, .ld = 9, .plane_stride = 50});
    Cube expected = cube;
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    const Blocks boxes(runtime, whole, {3, 2, 4});
    for (int round = 0; round < 2; ++round) {
      for_each(boxes, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        runtime.submit((*this)["add_places"], {boxes(i, j, k)});
        add_places_in_sequence(expected, boxes.place(i, j, k));
      });
      runtime.submit((*this)["add_places"], {whole});
      add_places_in_sequence(expected, {0, 0, 7, 5, 0, 6});
    }
    runtime.wait();
    // The elements between columns and planes have not changed.
    BOOST_TEST(cube.elements == expected.elements);
    const HostAccess held = runtime.acquire(boxes(2, 1, 1), AccessMode::read);
    BOOST_TEST(held.volume<const double>()(0, 1, 1) == expected(6, 3, 5));
    BOOST_CHECK_EXCEPTION((void)held.matrix<double>(), Error, failure(ErrorCode::signature_mismatch, "2 planes"));
  });
}

BOOST_AUTO_TEST_CASE(kernels_see_the_strides_of_memory_that_the_service_shares) {
  both([this](Runtime& runtime) {
    std::vector<double> seen(6);
    const auto out = runtime.vector(seen);
    const auto look = [&](const Handle& data) {
      runtime.submit((*this)["look"], {data, out});
      runtime.wait();
      return seen;
    };
    const client::Memory memory = runtime.backend().allocate(Bytes{1000 * sizeof(double)}, {}).value_or_throw();
    auto* const elements = reinterpret_cast<double*>(memory.data.get());
    for (int i = 0; i < 1000; ++i) elements[i] = i;
    const auto whole = runtime.volume(elements, {3, 6, 5, 4, 30}, "A");
    BOOST_TEST(look(whole) == (std::vector<double>{3, 6, 5, 4, 30, 142}), boost::test_tools::per_element());
    const std::array<Block, 2> parts{Block{1, 0, 2, 3, 1, 2, 2, 3}, Block{0, 1, 1, 1, 0, 5}};
    const std::vector<Handle> handles = runtime.partition(whole, parts);
    BOOST_TEST(look(handles[0]) == (std::vector<double>{2, 3, 2, 8, 90, 138}), boost::test_tools::per_element());
    BOOST_TEST(runtime.layout(handles[1]).plane_stride == 30);
    const auto own = runtime.allocate_volume<double>({3, 6, 5}, "own");
    runtime.submit((*this)["fill"], {own}, args(7.0));
    BOOST_TEST(look(own) == (std::vector<double>{3, 6, 5, 3, 18, 7}), boost::test_tools::per_element());
    runtime.acquire(own, AccessMode::read_write).volume<double>()(2, 5, 4) = 8;
    BOOST_TEST(look(own).back() == 8);
    std::vector<double> none(1);
    const auto empty = runtime.volume(none.data(), {4, 0, 3});
    BOOST_TEST(runtime.layout(empty).planes == 3);
    runtime.submit((*this)["add_places"], {empty}).wait();
  });
}

BOOST_AUTO_TEST_CASE(columns_and_planes_in_turn_are_blocks_and_have_halos) {
  both([this](Runtime& runtime) {
    Cube cube({3, 7, 5});
    Cube expected = cube;
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    std::vector<Block> parts;
    for (std::int64_t plane = 0; plane < 2; ++plane) {
      for (std::int64_t col = 0; col < 3; ++col) parts.push_back({0, col, 3, (9 - col) / 3, plane, 3 - plane, 3, 2});
    }
    const auto handles = runtime.partition(whole, parts);
    // The halo part around the middle overlaps elements of all of them.
    const std::array<Block, 1> middle{Block{1, 3, 1, 1, 2, 1}};
    const Halo halo = runtime.halos(whole, middle, 1).front();
    std::vector<double> box(27, 0.0);
    const auto sums = runtime.volume(box.data(), {3, 3, 3});
    const std::int64_t none = 0;
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        runtime.submit((*this)["add_places"], {handles[i]});
        add_places_in_sequence(expected, parts[i]);
        runtime.submit((*this)["heat"], {halo, sums}, args(none, none, none));
        runtime.wait(sums);
        Cube around({3, 3, 3});
        for (int at = 0; at < 27; ++at) around.elements[at] = expected(at % 3, 2 + at / 3 % 3, 1 + at / 9);
        BOOST_TEST(box == heat_in_sequence(around).elements);
      }
    }
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);
    BOOST_CHECK_EXCEPTION((void)runtime.halos(whole, std::array{parts[0]}, 1), Error,
                          failure(ErrorCode::invalid_argument, "'A' has steps between its columns or planes"));
  });
}

BOOST_AUTO_TEST_CASE(every_other_column_of_a_matrix_is_a_matrix) {
  both([this](Runtime& runtime) {
    std::vector<double> x(12, 1.0);
    const auto matrix = runtime.matrix(x.data(), 2, 6, 2);
    const std::array<Block, 2> turns{Block{.rows = 2, .cols = 3, .col_step = 2},
                                     Block{.col = 1, .rows = 2, .cols = 3, .col_step = 2}};
    const auto red_and_black = runtime.partition(matrix, turns);
    runtime.submit((*this)["add_to_matrix"], {red_and_black[0]}, args(1.0));
    runtime.submit((*this)["add_to_matrix"], {red_and_black[1]}, args(2.0));
    // The last column of the first block is a block of it.
    const std::array<Block, 1> last{Block{1, 2, 1, 1}};
    const Handle element = runtime.partition(red_and_black[0], last).front();
    runtime.submit((*this)["plus"], {element}, args(10.0));
    {
      const HostAccess held = runtime.acquire(red_and_black[1], AccessMode::read_write);
      held.matrix<double>()(0, 1) += 100;
    }
    runtime.submit((*this)["add_to_matrix"], {matrix}, args(1000.0));
    runtime.wait();
    BOOST_TEST(x == (std::vector<double>{1002, 1002, 1003, 1003, 1002, 1002, 1103, 1003, 1002, 1012, 1003, 1003}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(a_volume_of_one_plane_is_a_matrix) {
  both([this](Runtime& runtime) {
    std::vector<double> x(24, 1.0);
    const auto flat = runtime.volume(x.data(), {4, 6, 1});
    const std::array<Block, 2> halves{Block{0, 0, 4, 3}, Block{0, 3, 4, 3}};
    const auto parts = runtime.partition(flat, halves);
    runtime.submit((*this)["add_to_matrix"], {parts[1]}, args(2.0));
    runtime.wait();
    BOOST_TEST(x[11] == 1);
    BOOST_TEST(x[12] == 3);
  });
}

BOOST_AUTO_TEST_CASE(what_the_program_holds_is_not_written_by_what_comes_home) {
  both([this](Runtime& runtime) {
    Cube cube({5, 6, 4, 7, 45});
    Cube expected = cube;
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    // A box inside of the volume, columns in turn beside it, and the planes behind.
    const std::array<Block, 4> parts{Block{1, 2, 3, 2, 1, 2}, Block{0, 0, 1, 3, 1, 2, 2, 1},
                                     Block{4, 1, 1, 3, 1, 2, 2, 1}, Block{0, 0, 5, 6, 3, 1}};
    const auto handles = runtime.partition(whole, parts);
    HostAccess box = runtime.acquire(handles[0], AccessMode::read_write);
    HostAccess turns = runtime.acquire(handles[1], AccessMode::write);
    add_places(box.volume<double>());
    add_places_in_sequence(expected, parts[0]);
    add_places(turns.volume<double>());
    add_places_in_sequence(expected, parts[1]);
    for (int round = 0; round < 2; ++round) {
      for (const std::size_t i : {2U, 3U}) {
        runtime.submit((*this)["add_places"], {handles[i]});
        add_places_in_sequence(expected, parts[i]);
      }
      // The wait copies around what the program holds, and has changed.
      runtime.wait();
      BOOST_TEST(cube.elements == expected.elements);
    }
    box.give_back();
    turns.give_back();
    runtime.submit((*this)["add_places"], {whole});
    add_places_in_sequence(expected, {0, 0, 5, 6, 0, 4});
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);
  });
}

BOOST_AUTO_TEST_CASE(a_stencil_on_boxes_with_halos_gives_what_it_gives_in_sequence) {
  for (const TileSize size : {TileSize(4), TileSize(5, 3, 2)}) {
    both([&](Runtime& runtime) {
      Cube first({11, 9, 7});
      Cube second({11, 9, 7, 13, 120}, 2);
      Cube expected = first;
      const auto a = runtime.volume(first.elements.data(), first.shape, "a");
      const auto b = runtime.volume(second.elements.data(), second.shape, "b");
      Blocks old(runtime, a, size, 1);
      Blocks now(runtime, b, size, 1);
      for (int step = 0; step < 6; ++step) {
        for_each(old, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          const Block& inside = old.halo(i, j, k).inside();
          runtime.submit((*this)["heat"], {old.halo(i, j, k), now(i, j, k)},
                         args(inside.row, inside.col, inside.plane));
        });
        std::swap(old, now);
        expected = heat_in_sequence(expected);
      }
      runtime.wait();
      BOOST_TEST(first.elements == expected.elements);
    });
  }
}

BOOST_AUTO_TEST_CASE(sums_and_recordings_take_volumes) {
  both([this](Runtime& runtime) {
    Cube cube({3, 2, 4, 4, 11});
    Cube expected = cube;
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    runtime.set_reduction(whole, sum_reduction<double>());
    for (int i = 0; i < 20; ++i) {
      runtime.submit((*this)["reduce_places"], {whole});
      add_places_in_sequence(expected, {0, 0, 3, 2, 0, 4});
      if (i % 7 == 6) runtime.wait();
    }
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);

    Cube same({3, 2, 4}, 2);
    Cube other({3, 4, 2}, 3);
    Cube changed = same;
    const auto second = runtime.volume(same.elements.data(), same.shape, "B");
    const auto third = runtime.volume(other.elements.data(), other.shape, "C");
    const auto origin = runtime.allocate_volume<double>({3, 2, 4}, "origin");
    const RecordedGraph graph = runtime.record([&] { runtime.submit((*this)["add_places"], {origin}); });
    graph.run(std::array{Rebinding{origin, second}});
    runtime.wait();
    add_places_in_sequence(changed, {0, 0, 3, 2, 0, 4});
    BOOST_TEST(same.elements == changed.elements);
    BOOST_CHECK_EXCEPTION(graph.run(std::array{Rebinding{origin, third}}), Error,
                          failure(ErrorCode::invalid_argument, "it was 3 x 2 x 4 of double and is 3 x 4 x 2"));
  });
}

BOOST_AUTO_TEST_CASE(wrong_shapes_and_blocks_are_refused_as_everywhere) {
  both([this](Runtime& runtime) {
    std::vector<double> x(1000);
    const auto refuse_shape = [&](const VolumeShape& shape, auto... parts) {
      BOOST_CHECK_EXCEPTION((void)runtime.volume(x.data(), shape), Error,
                            failure(ErrorCode::invalid_argument, parts...));
    };
    refuse_shape({-1, 2, 2}, "-1 x 2 x 2", "must not be negative");
    refuse_shape({4, 4, 4, 5, 18}, "planes would overlap");
    refuse_shape({INT64_MAX, INT64_MAX, 2}, "too large");
    const auto whole = runtime.volume(x.data(), {4, 4, 4, 5, 20}, "A");
    BOOST_CHECK_EXCEPTION((void)runtime.volume(x.data() + 20, {1, 1, 1}), Error,
                          failure(ErrorCode::overlapping_handles, "share memory with 'A'"));
    const auto refuse = [&](const Block& block, ErrorCode code, auto... parts) {
      BOOST_CHECK_EXCEPTION((void)runtime.partition(whole, std::array{block}), Error, failure(code, parts...));
      BOOST_CHECK_EXCEPTION((void)runtime.repartition(whole, std::array{block, Block{0, 3, 1, 1, 0, 1}}), Error,
                            failure(code, parts...));
    };
    const Handle part = runtime.partition(whole, std::array{Block{0, 3, 1, 1, 0, 1}}).front();
    refuse({0, 0, 4, 4, 2, 3}, ErrorCode::overlapping_handles, "4 x 4 x 3 at (0, 0, 2)", "'A', which is 4 x 4 x 4");
    refuse({0, 0, 1, 1, 4, 1}, ErrorCode::overlapping_handles, "1 x 1 x 1 at (0, 0, 4)");
    refuse({0, 3, 1, 1, 0, 4}, ErrorCode::overlapping_handles, " of 'A' overlaps another part");
    refuse({0, 0, 4, 2, 0, 3, 3, 2}, ErrorCode::overlapping_handles, "in steps of 3 columns and 2 planes");
    refuse({0, 0, 4, 2, 0, 1, 0, 1}, ErrorCode::invalid_argument, "a step is at least 1");
    BOOST_CHECK_EXCEPTION((void)runtime.halos(whole, std::array{Block{0, 0, 1, 1, 0, 1}}, Rim(1, 1, -1)), Error,
                          failure(ErrorCode::invalid_argument, "-1 planes"));
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["add_to_matrix"], {whole}, args(1.0)).wait(), Error,
                          failure(ErrorCode::signature_mismatch, "'A') has 4 planes", "take a VolumeView"));
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["plus"], {whole}, args(1.0)).wait(), Error,
                          failure(ErrorCode::signature_mismatch, "gaps between its columns or planes"));
    runtime.submit((*this)["plus"], {part}, args(1.0));
    runtime.submit((*this)["add_places"], {whole});
    runtime.wait();
    BOOST_TEST(x[15] == 31);
  });
}

BOOST_AUTO_TEST_CASE(random_boxes_give_what_they_give_in_sequence) {
  both([this](Runtime& runtime) {
    DrawnBoxes draw(11);
    for (int program = 0; program < 20; ++program) {
      Cube cube = draw.cube();
      Cube expected = cube;
      const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
      const auto [blocks, handles] = draw.boxes(runtime, whole, cube.shape, 25);
      for (int task = 0; task < 30; ++task) {
        const auto at = static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(blocks.size())));
        if (draw.below(8) == 0) {
          runtime.submit((*this)["add_places"], {whole});
          add_places_in_sequence(expected, {0, 0, cube.shape.rows, cube.shape.cols, 0, cube.shape.planes});
        } else if (draw.below(6) == 0) {
          add_places(runtime.acquire(handles[at], AccessMode::read_write).volume<double>());
          add_places_in_sequence(expected, blocks[at]);
        } else {
          runtime.submit((*this)["add_places"], {handles[at]});
          add_places_in_sequence(expected, blocks[at]);
        }
      }
      runtime.wait();
      BOOST_TEST(cube.elements == expected.elements);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
