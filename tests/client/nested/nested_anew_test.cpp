// Tests of nested tasks that divide data in their kernels after the program has gone on: it has submitted readers of
// halo parts, has released or divided the data, records a graph, or has discarded their content.
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

namespace {

constexpr std::int64_t kSize = 16;

/// Returns the kernel of a nested task that divides `whole` at this element, and submits a child for each part.
auto adds_one_in_parts(Runtime& runtime, const Handle& whole, std::int64_t at) {
  return [&runtime, whole, at](VectorView<double>) {
    const std::array<Block, 2> parts{Block{0, 0, at, 1}, Block{at, 0, kSize - at, 1}};
    for (const Handle& part : runtime.partition(whole, parts)) runtime.submit(add_one, part);
  };
}

/// A vector, a task on it that waits at the gate, and two nested tasks behind it that divide it differently.
struct Divided {
  explicit Divided(Runtime& of) : runtime(of), whole(of.vector(elements, "x")) {}

  void submit(const Gate& gate) {
    runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(whole));
    runtime.submit(nested(), adds_one_in_parts(runtime, whole, 8), read_write(whole));
    runtime.submit(nested(), adds_one_in_parts(runtime, whole, 5), read_write(whole));
  }
  Runtime& runtime;
  std::vector<double> elements = std::vector<double>(kSize, 1.0);
  Vector<double> whole;
};

/// Submits a slow reader of the halo part, and then a writer, which must wait for it.
struct ReaderThenWriter {
  void submit(Runtime& runtime, const Handle& halo, const Vector<double>& whole) {
    runtime.submit(
        [this](VectorView<const double> x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          early = early || written;
          seen = x[0];
        },
        halo);
    runtime.submit(
        [this](VectorView<double> x) {
          written = true;
          for (double& element : x) element = 100;
        },
        read_write(whole));
  }
  std::atomic<bool> written{false};
  bool early = false;
  double seen = 0;
};

std::vector<Halo> middle_of(Runtime& runtime, const Handle& whole) {
  return runtime.halos(whole, std::array<Block, 1>{Block{4, 0, 8, 1}}, Rim(1, 0));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nested_anew)

BOOST_AUTO_TEST_CASE(readers_of_halo_parts_come_after_all_divisions) {
  Runtime runtime(with_workers(3));
  Divided data(runtime);
  const std::vector<Halo> halos = middle_of(runtime, data.whole);
  Gate gate;
  ReaderThenWriter after;
  data.submit(gate);
  after.submit(runtime, halos[0], data.whole);
  gate.open();
  runtime.wait();
  BOOST_TEST(after.seen == 3);
  BOOST_TEST(!after.early);
  BOOST_TEST(data.elements[0] == 100);
}

BOOST_AUTO_TEST_CASE(so_they_do_inside_another_nested_task) {
  Runtime runtime(with_workers(3));
  Divided data(runtime);
  const std::vector<Halo> halos = middle_of(runtime, data.whole);
  Gate gate;
  ReaderThenWriter after;
  runtime.submit(
      nested(),
      [&](VectorView<double>) {
        data.submit(gate);
        after.submit(runtime, halos[0], data.whole);
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
    const std::vector<Halo> halos = middle_of(runtime, data.whole);
    Gate gate;
    ReaderThenWriter after;
    const auto program = [&] {
      runtime.submit(nested(), adds_one_in_parts(runtime, data.whole, 8), read_write(data.whole)).wait();
      runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(data.whole));
      const Future divided =
          runtime.submit(nested(), adds_one_in_parts(runtime, data.whole, 5), read_write(data.whole));
      Gate submitted;
      runtime.submit(
          [&](VectorView<const double> x) {
            submitted.pass();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            after.early = after.early || after.written;
            after.seen = x[0];
          },
          halos[0]);
      gate.open();
      divided.wait();
      runtime.submit(
          [&](VectorView<double> x) {
            after.written = true;
            for (double& element : x) element = 100;
          },
          read_write(data.whole));
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
    BOOST_TEST(data.elements[kSize - 1] == 100);
  }
}

BOOST_AUTO_TEST_CASE(children_of_a_later_nested_task_with_weak_data_stay_in_order_through_a_division) {
  Runtime runtime(with_workers(4));
  Divided data(runtime);
  const std::vector<Halo> halos = middle_of(runtime, data.whole);
  runtime.submit(nested(), adds_one_in_parts(runtime, data.whole, 3), read_write(data.whole)).wait();
  Gate gate;
  Gate submitted;
  std::atomic<bool> divided{false};
  ReaderThenWriter after;
  runtime.submit([&gate](VectorView<double>) { gate.pass(); }, read_write(data.whole));
  runtime.submit(
      nested(),
      [&](VectorView<double> x) {
        adds_one_in_parts(runtime, data.whole, 8)(x);
        divided = true;
        submitted.pass();
      },
      read_write(data.whole));
  runtime.submit(with_weak({read_write(data.whole)}), [&] {
    runtime.submit(
        [&](VectorView<const double> x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          after.early = after.early || after.written;
          after.seen = x[0];
        },
        halos[0]);
    gate.open();
    while (!divided) std::this_thread::yield();
    runtime.submit(
        [&](VectorView<double> x) {
          after.written = true;
          for (double& element : x) element = 100;
        },
        read_write(data.whole));
    submitted.open();
  });
  runtime.wait();
  BOOST_TEST(after.seen == 3);
  BOOST_TEST(!after.early);
  BOOST_TEST(data.elements[kSize - 1] == 100);
}

BOOST_AUTO_TEST_CASE(data_are_released_after_nested_tasks_that_divide_them_anew) {
  std::vector<double> elements(kSize, 0.0);
  double copied = 0;
  Runtime runtime(with_workers(2));
  const auto out = runtime.scalar(copied);
  const auto divide = [&runtime](const Vector<double>& whole) {
    for (int i = 0; i < 50; ++i) {
      runtime.submit(nested(), adds_one_in_parts(runtime, whole, 1 + i % 15), read_write(whole));
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
    const auto temporary = runtime.allocate_vector<double>(kSize);
    runtime.submit(
        [](VectorView<double> x) {
          for (double& element : x) element = 0;
        },
        write(temporary));
    divide(temporary);
    runtime.submit([](VectorView<const double> x, double& last) { last = x[kSize - 1]; }, temporary, write(out));
  }
  opener.join();
  runtime.wait();
  BOOST_TEST(copied == 50);
}

BOOST_AUTO_TEST_CASE(a_repartition_that_waits_leaves_earlier_nested_tasks_alone) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  runtime.submit(nested(), adds_one_in_parts(runtime, data.whole, 3), read_write(data.whole));
  runtime.wait();
  Gate gate;
  data.submit(gate);
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  const auto parts = runtime.repartition(data.whole, std::array<Block, 2>{Block{0, 0, 11, 1}, Block{11, 0, 5, 1}});
  for (const Handle& part : parts) runtime.submit(times_ten, part);
  opener.join();
  runtime.wait();
  BOOST_TEST(data.elements[0] == 40);
  BOOST_TEST(data.elements[kSize - 1] == 40);
}

BOOST_AUTO_TEST_CASE(kernels_divide_data_while_the_program_records_tasks_on_them) {
  Runtime runtime(with_workers(3));
  Divided data(runtime);
  const std::vector<Halo> halos = middle_of(runtime, data.whole);
  Gate gate;
  std::atomic<int> divided{0};
  const auto divides = [&](std::int64_t at) {
    return [&, at](VectorView<double> x) {
      gate.pass();
      adds_one_in_parts(runtime, data.whole, at)(x);
      ++divided;
    };
  };
  runtime.submit(nested(), divides(8), read_write(data.whole));
  runtime.submit(nested(), divides(5), read_write(data.whole));
  ReaderThenWriter before;
  ReaderThenWriter between;
  const RecordedGraph graph = runtime.record([&] {
    before.submit(runtime, halos[0], data.whole);
    runtime.submit(
        [&](VectorView<const double> x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          between.early = between.early || between.written;
          between.seen = x[0];
        },
        halos[0]);
    gate.open();
    while (divided < 2) std::this_thread::yield();
    runtime.submit(
        [&](VectorView<double> x) {
          between.written = true;
          for (double& element : x) element = 7;
        },
        read_write(data.whole));
  });
  runtime.wait();
  BOOST_TEST(data.elements[0] == 3);
  graph.run();
  runtime.wait();
  BOOST_TEST(before.seen == 3);
  BOOST_TEST(between.seen == 100);
  BOOST_TEST(!before.early);
  BOOST_TEST(!between.early);
  BOOST_TEST(data.elements[kSize - 1] == 7);
}

BOOST_AUTO_TEST_CASE(recorded_readers_of_halo_parts_wait_for_writers_that_were_recorded_before_a_division) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  const std::vector<Halo> halos = middle_of(runtime, data.whole);
  Gate gate;
  std::atomic<bool> divided{false};
  runtime.submit(
      nested(),
      [&](VectorView<double> x) {
        gate.pass();
        adds_one_in_parts(runtime, data.whole, 8)(x);
        divided = true;
      },
      read_write(data.whole));
  double seen = 0;
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(
        [](VectorView<double> x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          for (double& element : x) element = 9;
        },
        read_write(data.whole));
    gate.open();
    while (!divided) std::this_thread::yield();
    runtime.submit([&seen](VectorView<const double> x) { seen = x[0]; }, halos[0]);
  });
  runtime.wait();
  graph.run();
  runtime.wait();
  BOOST_TEST(seen == 9);
}

BOOST_AUTO_TEST_CASE(children_see_what_was_there_before_a_later_discard) {
  for (const bool weak : {false, true}) {
    Runtime runtime(with_workers(2));
    double seen = 0;
    const auto out = runtime.scalar(seen);
    const auto whole = runtime.allocate_vector<double>(kSize, "x");
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
  BOOST_TEST(sums[0] + sums[1] == kSize);
  runtime.submit(
      nested(), [&](VectorView<const double>) { (void)runtime.partition(data.whole, blocks); }, read(data.whole));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::invalid_argument, "cannot be partitioned in the kernel of", "halo parts"));
}

BOOST_AUTO_TEST_CASE(a_waiting_reader_costs_one_entry_however_often_the_data_are_divided) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  Gate gate;
  data.submit(gate);
  for (int i = 0; i < 30; ++i) {
    runtime.submit(nested(), adds_one_in_parts(runtime, data.whole, 1 + i % 15), read_write(data.whole));
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
        runtime.submit(nested("divides"), adds_one_in_parts(runtime, data.whole, 5), read_write(data.whole));
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

BOOST_AUTO_TEST_CASE(a_recorded_reduction_ends_before_a_kernel_divides_its_data) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  const std::vector<Halo> halos = middle_of(runtime, data.whole);
  runtime.set_reduction(data.whole, sum_reduction<double>());
  Gate gate;
  std::atomic<bool> divided{false};
  runtime.submit(
      nested(),
      [&](VectorView<double> x) {
        gate.pass();
        adds_one_in_parts(runtime, data.whole, 8)(x);
        divided = true;
      },
      read_write(data.whole));
  double seen = 0;
  const RecordedGraph graph = runtime.record([&] {
    for (int i = 0; i < 3; ++i) runtime.submit(add_one, reduce(data.whole));
    gate.open();
    while (!divided) std::this_thread::yield();
    runtime.submit([&seen](VectorView<const double> x) { seen = x[0]; }, halos[0]);
  });
  runtime.wait();
  graph.run();
  runtime.wait();
  BOOST_TEST(seen == 5);
}

BOOST_AUTO_TEST_CASE(kernels_that_are_called_in_place_of_tasks_divide_data_anew) {
  RuntimeOptions options = with_workers(1);
  options.placement.cutoff = std::chrono::minutes(1);
  Runtime runtime(options);
  Divided data(runtime);
  for (int round = 0; round < 5; ++round) {
    runtime.submit(
        nested("around"),
        [&](VectorView<double>) {
          for (const std::int64_t at : {8, 5, 3}) {
            runtime.submit(nested("inside"), adds_one_in_parts(runtime, data.whole, at), read_write(data.whole));
          }
        },
        read_write(data.whole));
    runtime.wait();
  }
  BOOST_TEST(data.elements[0] == 16);
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

BOOST_AUTO_TEST_CASE(a_called_kernel_writes_the_part_inside_of_the_halo_part_that_it_reads) {
  RuntimeOptions options = with_workers(1);
  options.placement.cutoff = std::chrono::minutes(1);
  Runtime runtime(options);
  Divided data(runtime);
  const auto parts = runtime.partition(data.whole, std::array<Block, 2>{Block{0, 0, 8, 1}, Block{8, 0, 8, 1}});
  const auto halos = runtime.halos(data.whole, std::array<Block, 1>{Block{0, 0, 8, 1}}, Rim(1, 0));
  const auto inner = [&](VectorView<const double>, VectorView<double>) { runtime.submit(add_one, parts[0]); };
  for (int round = 0; round < 20; ++round) {
    runtime.submit(
        nested("around"),
        [&](VectorView<const double>, VectorView<double>) {
          runtime.submit(nested("inside"), inner, halos[0], read_write(parts[0]));
        },
        halos[0], read_write(parts[0]));
    runtime.wait();
  }
  BOOST_TEST(data.elements[0] == 21);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
