// Tests, in both places, of parts that are replaced by others while tasks use them.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/client/remote/shape_places.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(repartition_in_both_places, ShapePlaces)

BOOST_AUTO_TEST_CASE(a_task_on_a_new_part_waits_for_the_tasks_on_what_it_overlaps) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    runtime.submit((*this)["gated_plus"], {x.parts[0]}, args(1.0));
    const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({6, 2, 4}));
    const Future behind = runtime.submit((*this)["plus"], {parts[0]}, args(1.0));
    const Future free = runtime.submit((*this)["plus"], {parts[1]}, args(1.0));
    free.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    BOOST_TEST(!behind.done());
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["plus"], {x.parts[0]}, args(1.0)), Error,
                          failure(ErrorCode::invalid_handle, "after its data were"));
    gate().open();
    runtime.submit((*this)["plus"], {x.whole}, args(1.0));
    runtime.wait();
    BOOST_TEST(x.x == (std::vector<double>{4, 4, 4, 4, 3, 3, 3, 3, 2, 2, 2, 2}), boost::test_tools::per_element());
    BOOST_TEST(runtime.layout(parts[0]).rows == 6);
  });
}

BOOST_AUTO_TEST_CASE(data_are_divided_anew_many_times) {
  both([this](Runtime& runtime) {
    std::vector<double> x(240, 0.0);
    const auto whole = runtime.vector(x, "x");
    Blocks blocks(runtime, whole, {240, 1});
    for (int round = 0; round < 50; ++round) {
      blocks.repartition(runtime, {1 + 17 * round % 100, 1});
      for (std::int64_t i = 0; i < blocks.rows(); ++i) runtime.submit((*this)["plus"], {blocks(i)}, args(1.0));
      if (round % 7 == 3) runtime.submit((*this)["plus"], {whole}, args(1.0));
    }
    runtime.wait();
    BOOST_TEST(x.front() == 57);
    BOOST_TEST(std::ranges::count(x, 57.0) == 240);
  });
}

BOOST_AUTO_TEST_CASE(boxes_change_while_tasks_use_them) {
  both([this](Runtime& runtime) {
    Cube cube({6, 6, 6, 7, 45});
    Cube expected = cube;
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    Blocks boxes(runtime, whole, 6);
    for (int round = 0; round < 12; ++round) {
      boxes.repartition(runtime, TileSize(1 + round % 3, 1 + round % 4, 1 + round % 5));
      for_each(boxes, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        runtime.submit((*this)["add_places"], {boxes(i, j, k)});
        add_places_in_sequence(expected, boxes.place(i, j, k));
      });
      if (round % 4 == 3) {
        add_places(runtime.acquire(boxes(0, 0, 0), AccessMode::read_write).volume<double>());
        add_places_in_sequence(expected, boxes.place(0, 0, 0));
      }
    }
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);
    // Columns in turn take the place of boxes.
    const std::array<Block, 2> turns{Block{0, 0, 6, 3, 0, 6, 2, 1}, Block{0, 1, 6, 3, 0, 6, 2, 1}};
    const std::vector<Handle> parts = runtime.repartition(whole, turns);
    for (std::size_t i = 0; i < 2; ++i) {
      runtime.submit((*this)["add_places"], {parts[i]});
      add_places_in_sequence(expected, turns[i]);
    }
    runtime.wait();
    BOOST_TEST(cube.elements == expected.elements);
  });
}

BOOST_AUTO_TEST_CASE(it_waits_where_it_must) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    std::atomic<bool> opened{false};
    const auto opens_later = [&] {
      gate().close();
      opened = false;
      return std::thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        opened = true;
        gate().open();
      });
    };
    // A task uses the whole.
    std::thread opens = opens_later();
    runtime.submit((*this)["gated_plus"], {x.whole}, args(1.0));
    std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({6, 6}));
    BOOST_TEST(opened.load());
    opens.join();
    // There is a halo part, which stays and sees what the new parts write.
    const std::array<Block, 1> middle{Block{3, 0, 6, 1}};
    const Halo halo = runtime.halos(x.whole, middle, 1).front();
    opens = opens_later();
    runtime.submit((*this)["gated_plus"], {parts[1]}, args(1.0));
    parts = runtime.repartition(x.whole, blocks_of({2, 10}));
    BOOST_TEST(opened.load());
    opens.join();
    double sum = 0;
    const auto total = runtime.scalar(sum);
    runtime.submit((*this)["plus"], {parts[0]}, args(1.0));
    runtime.submit((*this)["plus"], {parts[1]}, args(10.0));
    runtime.submit((*this)["sum"], {halo, total});
    runtime.wait();
    BOOST_TEST(sum == 4 * 12 + 4 * 13);
    // The new parts do not cover the whole.
    opens = opens_later();
    runtime.submit((*this)["gated_plus"], {parts[1]}, args(1.0));
    parts = runtime.repartition(x.whole, blocks_of({4}));
    BOOST_TEST(opened.load());
    opens.join();
    runtime.submit((*this)["plus"], {parts[0]}, args(1.0));
    runtime.submit((*this)["plus"], {x.whole}, args(1.0));
    runtime.wait();
    BOOST_TEST(x.x == (std::vector<double>{5, 5, 15, 15, 14, 14, 15, 15, 15, 15, 15, 15}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(new_parts_and_the_rest_have_content_where_the_former_parts_had) {
  both([this](Runtime& runtime) {
    double sum = 0;
    const auto total = runtime.scalar(sum);
    const auto sums = [&](const Handle& part) {
      runtime.submit((*this)["sum"], {part, total});
      runtime.wait();
      return sum;
    };
    const auto refused = failure(ErrorCode::invalid_argument, "has no valid content");
    // Nobody has written the data.
    const auto fresh = runtime.allocate_vector<double>(12);
    std::vector<Handle> parts = runtime.repartition(fresh, blocks_of({6, 6}));
    BOOST_CHECK_EXCEPTION(sums(parts[0]), Error, refused);
    // Only the first part was written, and the new parts cover more.
    const auto begun = runtime.allocate_vector<double>(12);
    parts = runtime.partition(begun, blocks_of({4}));
    runtime.submit((*this)["fill"], {parts[0]}, args(1.0));
    parts = runtime.repartition(begun, blocks_of({2, 10}));
    BOOST_TEST(sums(parts[0]) == 2);
    BOOST_CHECK_EXCEPTION(sums(parts[1]), Error, refused);
    parts = runtime.repartition(begun, blocks_of({4}));
    BOOST_CHECK_EXCEPTION(sums(begun), Error, refused);
    // The discarded part lies in the new one.
    InParts x(runtime);
    runtime.discard(x.parts[0]);
    parts = runtime.repartition(x.whole, blocks_of({6}));
    BOOST_CHECK_EXCEPTION(sums(x.whole), Error, refused);
    runtime.submit((*this)["fill"], {parts[0]}, args(5.0));
    BOOST_TEST(sums(x.whole) == 36);
    // The discarded part lies beside the new one.
    InParts y(runtime);
    runtime.discard(y.parts[2]);
    parts = runtime.repartition(y.whole, blocks_of({6}));
    BOOST_TEST(sums(parts[0]) == 6);
    BOOST_CHECK_EXCEPTION(sums(y.whole), Error, refused);
  });
}

BOOST_AUTO_TEST_CASE(a_failure_reaches_the_elements_that_it_concerns) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    runtime.submit((*this)["fail"], {x.parts[0]});
    gate().open();
    BOOST_CHECK_THROW(runtime.wait(), Error);
    const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({6}));
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(parts[0], AccessMode::read), Error,
                          failure(ErrorCode::cancelled, "no content"));
    runtime.submit((*this)["fill"], {parts[0]}, args(5.0));
    BOOST_TEST(runtime.acquire(x.whole, AccessMode::read).vector<double>()[11] == 1);
  });
}

BOOST_AUTO_TEST_CASE(a_reduction_that_began_meanwhile_ends_before_tasks_on_new_parts) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(12, 0.0);
    const auto whole = runtime.vector(elements, "x");
    runtime.set_reduction(whole, sum_reduction<double>());
    runtime.submit((*this)["gated_plus"], {whole}, args(1.0));
    std::vector<Handle> parts;
    std::thread divides([&] { parts = runtime.repartition(whole, blocks_of({6, 6})); });
    // The result is the same if the thread begins later, but then there is no reduction.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    runtime.submit((*this)["plus_one_reduced"], {whole});
    gate().open();
    divides.join();
    for (const Handle& part : parts) runtime.submit((*this)["plus"], {part}, args(10.0));
    runtime.wait();
    BOOST_TEST(elements == std::vector<double>(12, 12.0), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(former_parts_take_no_tasks_while_it_waits) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    runtime.submit((*this)["gated_plus"], {x.whole}, args(1.0));
    std::vector<Handle> parts;
    std::thread divides([&] { parts = runtime.repartition(x.whole, blocks_of({6, 6})); });
    // Until the former parts are refused, they take tasks, which must not change the result.
    const auto is_refused = [&] {
      return contains(message_of([&] { runtime.submit((*this)["plus"], {x.parts[0]}, args(0.0)); }),
                      "after its data were");
    };
    BOOST_TEST(eventually(is_refused));
    const Future behind = runtime.submit((*this)["plus"], {x.whole}, args(1.0));
    gate().open();
    divides.join();
    runtime.submit((*this)["plus"], {parts[1]}, args(1.0));
    behind.wait();
    runtime.wait();
    BOOST_TEST(x.x.front() == 3);
    BOOST_TEST(x.x.back() == 4);
  });
}

BOOST_AUTO_TEST_CASE(failures_reach_the_new_parts) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    runtime.submit((*this)["fail"], {x.parts[1]});
    const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({3, 6, 3}));
    const Future good = runtime.submit((*this)["plus"], {parts[0]}, args(1.0));
    const Future bad = runtime.submit((*this)["plus"], {parts[1]}, args(1.0));
    gate().open();
    good.wait();
    BOOST_CHECK_EXCEPTION(bad.wait(), Error, failure(ErrorCode::cancelled, "no content"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    runtime.submit((*this)["fill"], {parts[1]}, args(7.0));
    runtime.submit((*this)["plus"], {x.whole}, args(1.0));
    runtime.wait();
    BOOST_TEST(x.x == (std::vector<double>{3, 3, 3, 8, 8, 8, 8, 8, 8, 2, 2, 2}), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(what_nobody_has_written_stays_so) {
  both([this](Runtime& runtime) {
    const auto whole = runtime.allocate_vector<double>(12, "x");
    const std::vector<Handle> halves = runtime.partition(whole, blocks_of({6, 6}));
    runtime.submit((*this)["fill"], {halves[0]}, args(1.0));
    const std::vector<Handle> parts = runtime.repartition(whole, blocks_of({4, 8}));
    runtime.submit((*this)["plus"], {parts[0]}, args(1.0));
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["plus"], {parts[1]}, args(1.0)), Error,
                          failure(ErrorCode::invalid_argument, "has no valid content"));
    runtime.submit((*this)["fill"], {parts[1]}, args(5.0));
    runtime.submit((*this)["plus"], {whole}, args(1.0));
    BOOST_TEST(runtime.acquire(whole, AccessMode::read).vector<double>()[3] == 3);
  });
}

BOOST_AUTO_TEST_CASE(memory_of_the_runtime_may_go_at_once) {
  both([this](Runtime& runtime) {
    std::vector<double> sums(30, 0.0);
    for (double& sum : sums) {
      const auto whole = runtime.allocate_vector<double>(12);
      const auto total = runtime.scalar(sum);
      Blocks blocks(runtime, whole, {4, 1});
      for (int k = 0; k < 3; ++k) runtime.submit((*this)["fill"], {blocks(k)}, args(1.0));
      blocks.repartition(runtime, {6, 1});
      runtime.submit((*this)["sum"], {blocks(1), total});
    }
    runtime.wait();
    BOOST_TEST(sums == std::vector<double>(30, 6.0), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(children_on_former_parts_come_before_tasks_on_new_parts) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    runtime.submit((*this)["plus_weak"], {}, args(1.0),
                   {.nested = true, .weak = {read_write(x.parts[0]), read_write(x.parts[1])}});
    const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({2, 6, 4}));
    const Future behind = runtime.submit((*this)["plus"], {parts[1]}, args(10.0));
    runtime.submit((*this)["plus"], {parts[2]}, args(10.0)).wait();
    BOOST_TEST(!behind.done());
    gate().open();
    runtime.wait();
    BOOST_TEST(x.x == (std::vector<double>{2, 2, 12, 12, 12, 12, 12, 12, 11, 11, 11, 11}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(parts_that_kernels_have_made_end) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(12, 1.0);
    const auto x = runtime.vector(elements, "x");
    runtime.submit((*this)["plus_by_elements"], {x}, {}, {.nested = true});
    runtime.wait();
    BOOST_CHECK_EXCEPTION((void)runtime.partition(x, blocks_of({6, 6})), Error,
                          failure(ErrorCode::overlapping_handles, "overlaps another part"));
    const std::vector<Handle> halves = runtime.repartition(x, blocks_of({6, 6}));
    runtime.submit((*this)["plus"], {halves[1]}, args(1.0));
    runtime.submit((*this)["plus_by_elements"], {halves[0]}, {}, {.nested = true});
    runtime.wait();
    BOOST_TEST(elements[5] == 3);
    BOOST_TEST(elements[6] == 3);
    const Future refused = runtime.submit((*this)["divides_anew"], {x}, {}, {.nested = true});
    BOOST_CHECK_EXCEPTION(refused.wait(), Error, failure(ErrorCode::wait_in_kernel, "nested task"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  });
}

BOOST_AUTO_TEST_CASE(recordings_divide_nothing_anew) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    const auto refused = failure(ErrorCode::invalid_argument, "record");
    RecordedGraph graph = runtime.record([&] {
      runtime.submit((*this)["plus"], {x.parts[0]}, args(1.0));
      BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, blocks_of({12})), Error, refused);
      std::thread other(
          [&] { BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, blocks_of({12})), Error, refused); });
      other.join();
    });
    graph.run();
    runtime.wait();
    BOOST_TEST(x.x[0] == 2);
    (void)runtime.repartition(x.whole, blocks_of({12}));
    BOOST_CHECK_EXCEPTION(graph.run(), Error, failure(ErrorCode::invalid_handle, "after its data were"));
  });
}

BOOST_AUTO_TEST_CASE(wrong_blocks_are_refused_and_change_nothing) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, blocks_of({6, 7})), Error,
                          failure(ErrorCode::overlapping_handles, "does not lie inside"));
    const std::array<Block, 2> overlapping{Block{0, 0, 7, 1}, Block{6, 0, 6, 1}};
    BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, overlapping), Error,
                          failure(ErrorCode::overlapping_handles, "overlaps another part"));
    BOOST_CHECK_EXCEPTION((void)runtime.repartition(Handle(), blocks_of({12})), Error,
                          failure(ErrorCode::invalid_handle, "empty handle"));
    const std::array<Block, 1> middle{Block{3, 0, 6, 1}};
    const Halo halo = runtime.halos(x.whole, middle, 1).front();
    BOOST_CHECK_EXCEPTION((void)runtime.repartition(halo, blocks_of({2})), Error,
                          failure(ErrorCode::invalid_argument, "halo part"));
    for (const Handle& part : x.parts) runtime.submit((*this)["plus"], {part}, args(1.0));
    runtime.wait();
    BOOST_TEST(x.x == std::vector<double>(12, 2.0), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(a_thread_that_holds_a_former_part_is_told_what_waits_for_it) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    const auto refused = failure(ErrorCode::invalid_argument, "would never end");
    HostAccess access = runtime.acquire(x.parts[0], AccessMode::read_write);
    for (double& element : access.vector<double>()) element = 5;
    const Future old = runtime.submit((*this)["plus"], {x.parts[0]}, args(1.0));
    const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({3, 3, 6}));
    const Future behind = runtime.submit((*this)["plus"], {parts[1]}, args(10.0));
    for (const Future& future : {old, behind}) BOOST_CHECK_EXCEPTION(future.wait(), Error, refused);
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(parts[0], AccessMode::read), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, refused);
    // Other parts are free, and may change once more.
    runtime.submit((*this)["plus"], {parts[2]}, args(100.0)).wait();
    const std::vector<Handle> again = runtime.repartition(x.whole, blocks_of({5, 7}));
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(again[0], AccessMode::read), Error, refused);
    access.give_back();
    behind.wait();
    runtime.wait();
    BOOST_TEST(x.x == (std::vector<double>{6, 6, 6, 16, 11, 11, 101, 101, 101, 101, 101, 101}),
               boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(a_call_that_would_wait_for_its_own_thread_changes_nothing) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    const auto refused = failure(ErrorCode::invalid_argument, "would never end");
    {
      const HostAccess access = runtime.acquire(x.whole, AccessMode::read_write);
      BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, blocks_of({6, 6})), Error, refused);
    }
    {
      // The new parts do not cover the whole, so the call would wait for the hold.
      const HostAccess access = runtime.acquire(x.parts[1], AccessMode::read_write);
      BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, blocks_of({6})), Error, refused);
    }
    for (const Handle& part : x.parts) runtime.submit((*this)["plus"], {part}, args(1.0));
    runtime.wait();
    BOOST_TEST(x.x == std::vector<double>(12, 2.0), boost::test_tools::per_element());
    BOOST_TEST(runtime.repartition(x.whole, blocks_of({6})).size() == 1U);
  });
}

BOOST_AUTO_TEST_CASE(callbacks_divide_anew_what_they_need_not_wait_for) {
  both([this](Runtime& runtime) {
    InParts x(runtime);
    std::vector<double> y(1, 0.0);
    const auto other = runtime.vector(y);
    std::vector<Handle> parts;
    std::string message;
    runtime.submit((*this)["plus"], {other}, args(1.0), {.callback = [&](const TaskOutcome&) {
                     parts = runtime.repartition(x.whole, blocks_of({6, 6}));
                     runtime.submit((*this)["plus"], {parts[1]}, args(1.0));
                     runtime.submit((*this)["gated_plus"], {x.whole}, args(1.0));
                     message = message_of([&] { (void)runtime.repartition(x.whole, blocks_of({12})); });
                     gate().open();
                   }});
    runtime.wait();
    BOOST_TEST(contains(message, "kernel or callback"), message);
    runtime.submit((*this)["plus"], {parts[0]}, args(1.0));
    runtime.wait();
    BOOST_TEST(x.x.front() == 3);
    BOOST_TEST(x.x.back() == 3);
  });
}

BOOST_AUTO_TEST_CASE(several_threads_may_divide_the_same_data) {
  both([this](Runtime& runtime) {
    std::vector<double> x(60, 0.0);
    const auto whole = runtime.vector(x, "x");
    (void)runtime.partition(whole, blocks_of({30, 30}));
    std::atomic<int> submitted{0};
    std::atomic<int> others{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < 120; ++round) {
          // Another thread may replace the parts before this one uses them, or add its own.
          try {
            const std::int64_t cut = 1 + (7 * round + thread) % 58;
            const bool covers = round % 5 != 0;
            const auto parts = runtime.repartition(whole, covers ? blocks_of({cut, 60 - cut}) : blocks_of({cut}));
            runtime.submit((*this)["plus"], {parts[0]}, args(0.0));
            if (round % 3 == 0) {
              runtime.submit((*this)["plus"], {whole}, args(1.0));
              ++submitted;
            }
          } catch (const Error& error) {
            if (error.code() != ErrorCode::invalid_handle) ++others;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    runtime.wait();
    BOOST_TEST(others.load() == 0);
    BOOST_TEST(std::ranges::count(x, static_cast<double>(submitted)) == 60);
    const std::vector<Handle> parts = runtime.repartition(whole, blocks_of({20, 40}));
    runtime.submit((*this)["plus"], {parts[1]}, args(1.0));
    runtime.wait();
    BOOST_TEST(x[59] == submitted + 1);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
