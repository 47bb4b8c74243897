// Tests of nested tasks that divide data in their kernels after the program has gone on: it has submitted readers of
// halo parts, has released or divided the data, or has discarded their content.
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/divided_data.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_anew)

BOOST_AUTO_TEST_CASE(readers_of_halo_parts_come_after_all_divisions) {
  Runtime runtime(with_workers(3));
  Divided data(runtime);
  const Handle halo = data.middle();
  Gate gate;
  ReaderThenWriter after;
  data.submit_two(gate);
  after.read(runtime, halo);
  after.write(runtime, data.whole);
  gate.open();
  runtime.wait();
  BOOST_TEST(after.seen == 3);
  BOOST_TEST(!after.early);
  BOOST_TEST(data.elements[0] == 100);
}

BOOST_AUTO_TEST_CASE(so_they_do_inside_another_nested_task) {
  Runtime runtime(with_workers(3));
  Divided data(runtime);
  const Handle halo = data.middle();
  Gate gate;
  ReaderThenWriter after;
  runtime.submit(
      nested(),
      [&](VectorView<double>) {
        data.submit_two(gate);
        after.read(runtime, halo);
        after.write(runtime, data.whole);
      },
      read_write(data.whole));
  gate.open();
  runtime.wait();
  BOOST_TEST(after.seen == 3);
  BOOST_TEST(!after.early);
  BOOST_TEST(data.elements[0] == 100);
}

BOOST_AUTO_TEST_CASE(a_reader_of_a_halo_part_keeps_later_writers_waiting_through_a_division) {
  // The reader waits between two nested tasks, so its entry in the parts of the first one moves when the second one
  // divides the data.
  for (const bool inside : {false, true}) {
    Runtime runtime(with_workers(3));
    Divided data(runtime);
    const Handle halo = data.middle();
    Gate gate;
    ReaderThenWriter after;
    const auto program = [&] {
      data.submit(8).wait();
      runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(data.whole));
      const Future divided = data.submit(5);
      Gate submitted;
      runtime.submit(
          [&](VectorView<const double> x) {
            submitted.pass();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            after.early = after.early || after.written;
            after.seen = x[0];
          },
          halo);
      gate.open();
      divided.wait();
      after.write(runtime, data.whole);
      submitted.open();
      runtime.wait();
    };
    if (inside) {
      runtime.submit(
          nested(), [&](VectorView<double>) { program(); }, read_write(data.whole));
      runtime.wait();
    } else {
      program();
    }
    BOOST_TEST(after.seen == 3);
    BOOST_TEST(!after.early);
    BOOST_TEST(data.elements[Divided::kSize - 1] == 100);
  }
}

BOOST_AUTO_TEST_CASE(children_of_a_later_nested_task_with_weak_data_stay_in_order_through_a_division) {
  Runtime runtime(with_workers(4));
  Divided data(runtime);
  const Handle halo = data.middle();
  data.submit(3).wait();
  Gate gate;
  Gate submitted;
  std::atomic<bool> divided{false};
  ReaderThenWriter after;
  runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(data.whole));
  runtime.submit(
      nested(),
      [&](VectorView<double> x) {
        Divided::adds_one_in_parts(runtime, data.whole, 8)(x);
        divided = true;
        submitted.pass();
      },
      read_write(data.whole));
  runtime.submit(with_weak({read_write(data.whole)}), [&] {
    after.read(runtime, halo);
    gate.open();
    while (!divided) std::this_thread::yield();
    after.write(runtime, data.whole);
    submitted.open();
  });
  runtime.wait();
  BOOST_TEST(after.seen == 3);
  BOOST_TEST(!after.early);
  BOOST_TEST(data.elements[Divided::kSize - 1] == 100);
}

BOOST_AUTO_TEST_CASE(data_are_released_after_nested_tasks_that_divide_them_anew) {
  std::vector<double> elements(Divided::kSize, 0.0);
  double copied = 0;
  Runtime runtime(with_workers(2));
  const auto out = runtime.scalar(copied);
  const auto divide = [&runtime](const Vector<double>& whole) {
    for (int i = 0; i < 50; ++i) {
      runtime.submit(nested(), Divided::adds_one_in_parts(runtime, whole, 1 + i % 15), read_write(whole));
    }
  };
  Gate gate;
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  {
    const auto whole = runtime.vector(elements);
    runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(whole));
    divide(whole);
    // The end of this scope waits for the last use.
  }
  BOOST_TEST(elements[0] == 50);
  {
    const auto temporary = runtime.allocate_vector<double>(Divided::kSize);
    runtime.submit(
        [](VectorView<double> x) {
          for (double& element : x) element = 0;
        },
        write(temporary));
    divide(temporary);
    runtime.submit([](VectorView<const double> x, double& last) { last = x[Divided::kSize - 1]; }, temporary,
                   write(out));
  }
  opener.join();
  runtime.wait();
  BOOST_TEST(copied == 50);
}

BOOST_AUTO_TEST_CASE(a_repartition_that_waits_leaves_earlier_nested_tasks_alone) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  data.submit(3);
  runtime.wait();
  Gate gate;
  data.submit_two(gate);
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  const auto parts = runtime.repartition(data.whole, std::array<Block, 2>{Block{0, 0, 11, 1}, Block{11, 0, 5, 1}});
  for (const Handle& part : parts) runtime.submit(times_ten, part);
  opener.join();
  runtime.wait();
  BOOST_TEST(data.elements[0] == 40);
  BOOST_TEST(data.elements[Divided::kSize - 1] == 40);
}

BOOST_AUTO_TEST_CASE(children_see_what_was_there_before_a_later_discard) {
  for (const bool weak : {false, true}) {
    Runtime runtime(with_workers(2));
    double seen = 0;
    const auto out = runtime.scalar(seen);
    const auto whole = runtime.allocate_vector<double>(Divided::kSize, "x");
    runtime.submit(
        [](VectorView<double> x) {
          for (double& element : x) element = 1;
        },
        write(whole));
    Gate gate;
    const auto submits = [&] {
      gate.pass();
      runtime.submit(times_ten, read_write(whole));
      BOOST_TEST(runtime.acquire(whole, AccessMode::read).vector<double>()[0] == 10);
      runtime.submit([](VectorView<const double> x, double& last) { last = x[0]; }, whole, write(out));
    };
    if (weak) {
      runtime.submit(with_weak({read_write(whole), write(out)}), submits);
    } else {
      runtime.submit(
          nested(), [&](VectorView<double>, double&) { submits(); }, read_write(whole), read_write(out));
    }
    runtime.discard(whole);
    gate.open();
    runtime.wait();
    BOOST_TEST(seen == 10);
    // The children have written the data, and the discard comes after them.
    BOOST_CHECK_EXCEPTION(runtime.submit([](VectorView<const double>) {}, whole), Error,
                          failure(ErrorCode::invalid_argument, "has discarded it"));
  }
}

BOOST_AUTO_TEST_CASE(data_in_mode_read_are_divided_by_halo_parts) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  double sums[2] = {0, 0};
  const auto left = runtime.scalar(sums[0]), right = runtime.scalar(sums[1]);
  const std::array<Block, 2> blocks{Block{0, 0, 8, 1}, Block{8, 0, 8, 1}};
  runtime.submit(
      nested(),
      [&](VectorView<const double>, double&, double&) {
        const auto halves = runtime.halos(data.whole, blocks, Rim(0, 0));
        const auto sum = [](VectorView<const double> x, double& all) {
          for (const double element : x) all += element;
        };
        runtime.submit(sum, halves[0], read_write(left));
        runtime.submit(sum, halves[1], read_write(right));
      },
      read(data.whole), read_write(left), read_write(right));
  runtime.wait();
  BOOST_TEST(sums[0] + sums[1] == Divided::kSize);
  runtime.submit(
      nested(), [&](VectorView<const double>) { (void)runtime.partition(data.whole, blocks); }, read(data.whole));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::invalid_argument, "cannot be partitioned in the kernel of", "halo parts"));
}

BOOST_AUTO_TEST_CASE(a_waiting_reader_costs_one_entry_however_often_the_data_are_divided) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  Gate gate;
  data.submit_two(gate);
  for (int i = 0; i < 30; ++i) {
    data.submit(1 + i % 15);
  }
  double seen = 0;
  runtime.submit([&seen](VectorView<const double> x) { seen = x[0]; }, data.whole);
  gate.open();
  runtime.wait();
  BOOST_TEST(seen == 33);
}

BOOST_AUTO_TEST_CASE(parts_stay_as_long_as_tasks_name_them) {
  // The task on a part comes from the program, from a nested task with weak data, or from the same recording.
  for (const char* from : {"program", "weak", "recording"}) {
    BOOST_TEST_CONTEXT(from) {
      Runtime runtime(with_workers(3));
      Divided data(runtime);
      std::vector<Handle> parts;
      runtime.submit(
          nested(),
          [&](VectorView<double>) {
            parts = runtime.partition(data.whole, std::array<Block, 2>{Block{0, 0, 8, 1}, Block{8, 0, 8, 1}});
          },
          read_write(data.whole));
      runtime.wait();
      Gate gate;
      Gate named;
      const auto blocker = [&](VectorView<double>) {
        gate.pass();
        named.pass();
      };
      const auto add_to_all = [](VectorView<double> x) {
        for (double& element : x) element += 1;
      };
      const auto program = [&] {
        runtime.submit(blocker, read_write(data.whole));
        runtime.submit(nested("divides"), Divided::adds_one_in_parts(runtime, data.whole, 5), read_write(data.whole));
        if (from == std::string("weak")) {
          runtime.submit(with_weak({read_write(data.whole)}), [&] {
            runtime.submit(times_ten, parts[0]);
            named.open();
          });
        } else {
          runtime.submit(times_ten, parts[0]);
          named.open();
        }
        runtime.submit(add_to_all, read_write(data.whole));
      };
      if (from == std::string("recording")) {
        const RecordedGraph graph = runtime.record(program);
        gate.open();
        graph.run();
        BOOST_CHECK_THROW(runtime.wait(), Error);
      } else {
        program();
        gate.open();
        BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                              failure(ErrorCode::overlapping_handles, "cannot be divided anew, because"));
      }
      // The runtime is as good as new.
      double y = 1;
      const auto other = runtime.scalar(y);
      runtime.submit([](double& value) { value += 1; }, other);
      runtime.wait();
      BOOST_TEST(y == 2);
    }
  }
}

BOOST_AUTO_TEST_CASE(weak_data_in_mode_write_count_as_written_by_a_nested_child_whose_children_have_ended) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  double seen = 0;
  const auto out = runtime.scalar(seen);
  runtime.discard(data.whole);
  runtime.submit(with_weak({write(data.whole), read_write(out)}), [&] {
    runtime.submit(
        nested(),
        [&](VectorView<double> x) {
          for (double& element : x) element = 7;
          runtime.submit(add_one, data.whole);
          runtime.wait();
        },
        write(data.whole));
    runtime.wait();
    runtime.submit([](VectorView<double> x, double& last) { last = x[0]; }, read_write(data.whole), out);
  });
  runtime.submit([](VectorView<const double> x, double& last) { last += x[0]; }, data.whole, out);
  runtime.wait();
  BOOST_TEST(seen == 16);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
