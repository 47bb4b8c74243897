// Tests that programs give the same results on workers of their own and on a service.
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/codelets.hpp"
#include "tests/client/remote/places.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(programs_in_both_places, Places)

BOOST_AUTO_TEST_CASE(tasks_compute_on_memory_of_the_program_and_of_the_runtime) {
  both([this](Runtime& runtime) {
    std::vector<double> y(1000, 1.0);
    const Data x = runtime.allocate_vector<double>(1000, "x"), dy = runtime.vector(y, "y");
    runtime.submit((*this)["fill"], {x}, args(3.0));
    for (int i = 0; i < 10; ++i) runtime.submit((*this)["axpy"], {x, dy}, args(0.5));
    runtime.wait();
    BOOST_TEST(y.front() == 16);
    BOOST_TEST(y.back() == 16);
    const HostAccess access = runtime.acquire(x, AccessMode::read_write);
    access.vector<double>()[0] = 7;
  });
}

BOOST_AUTO_TEST_CASE(what_the_program_writes_while_it_holds_data_is_what_tasks_see) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 1.0), y(100, 0.0);
    const Data dx = runtime.vector(x), dy = runtime.vector(y);
    for (int round = 1; round <= 5; ++round) {
      {
        const HostAccess access = runtime.acquire(dx, AccessMode::read_write);
        for (double& value : access.vector<double>()) value = round;
      }
      runtime.submit((*this)["axpy"], {dx, dy}, args(1.0));
    }
    runtime.wait(dy);
    BOOST_TEST(y[0] == 15);
    BOOST_TEST(y[99] == 15);
  });
}

BOOST_AUTO_TEST_CASE(tasks_run_on_the_devices_that_they_are_restricted_to_and_else_not_at_all) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 1.0), y(100, 0.0);
    const Data dx = runtime.vector(x), dy = runtime.vector(y);
    runtime.submit((*this)["axpy"], {dx, dy}, args(1.0), {.devices = DeviceSet::cores()});
    runtime.wait();
    BOOST_TEST(y[0] == 1);
    try {
      runtime.submit((*this)["axpy"], {dx, dy}, args(1.0), {.devices = DeviceKind::cuda});
      runtime.wait();
      BOOST_ERROR("a task ran that no device may run");
    } catch (const Error& error) {
      BOOST_TEST((error.code() == ErrorCode::no_implementation));
      BOOST_TEST(std::string(error.what()).find("restricted to CUDA GPU") != std::string::npos, error.what());
    }
    try {
      runtime.submit((*this)["fill"], {dy}, args(2.0), {.devices = DeviceSet::cores() & DeviceSet::accelerators()});
      runtime.wait();
      BOOST_ERROR("a task ran that no device may run");
    } catch (const Error& error) {
      BOOST_TEST(std::string(error.what()).find("restricted to no device") != std::string::npos, error.what());
    }
    for (const WorkerId worker : {WorkerId(0), WorkerId(1)}) {
      runtime.submit((*this)["fill"], {dy}, args(4.0), {.devices = DeviceSet::worker(worker) & DeviceSet::cores()});
    }
    runtime.wait(dy);
    BOOST_TEST(y[0] == 4);
    try {
      const DeviceSet nobody = DeviceSet::named("abacus") | DeviceSet::worker(WorkerId(0));
      runtime.submit((*this)["fill"], {dy}, args(2.0), {.devices = nobody});
      runtime.wait();
      BOOST_ERROR("a task ran that is restricted to what is not there");
    } catch (const Error& error) {
      BOOST_TEST((error.code() == ErrorCode::invalid_argument));
      BOOST_TEST(contains(error.what(), "'abacus' is neither a model nor a worker here"), error.what());
    }
    // The device set of a task must not apply to the next task.
    runtime.submit((*this)["fill"], {dy}, args(3.0));
    runtime.wait(dy);
    BOOST_TEST(y[0] == 3);
  });
}

BOOST_AUTO_TEST_CASE(a_cholesky_factorization_on_tiles_is_right) {
  both([](Runtime& runtime) {
    constexpr std::int64_t n = 200, tile = 64;
    std::vector<double> a(n * n);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) a[i + j * n] = 1.0 / static_cast<double>(1 + std::abs(i - j));
      a[j + j * n] += static_cast<double>(n);
    }
    std::vector<double> l(n * n, 0.0);
    TiledMatrix<double> tiles(runtime, n, n, tile);
    tiles.gather_from(a.data(), n);
    const auto& kernel = kernels::codelets<double>();
    const std::int64_t none = 0;
    for (int k = 0; k < tiles.tile_cols(); ++k) {
      runtime.submit(kernel.potrf, {tiles(k, k)}, args(none, k * tile), {.priority = 3});
      for (int i = k + 1; i < tiles.tile_rows(); ++i) {
        runtime.submit(kernel.trsm_cholesky, {tiles(k, k), tiles(i, k)}, args(none));
      }
      for (int j = k + 1; j < tiles.tile_cols(); ++j) {
        runtime.submit(kernel.syrk, {tiles(j, k), tiles(j, j)}, args(none));
        for (int i = j + 1; i < tiles.tile_rows(); ++i) {
          runtime.submit(kernel.gemm_nt, {tiles(i, k), tiles(j, k), tiles(i, j)}, args(none));
        }
      }
    }
    tiles.scatter_to(l.data(), n, TilePart::lower);
    runtime.wait();
    double largest = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        double sum = 0;
        for (std::int64_t k = 0; k <= j; ++k) sum += l[i + k * n] * l[j + k * n];
        largest = std::max(largest, std::abs(sum - a[i + j * n]));
      }
    }
    BOOST_TEST(largest < 1e-11 * static_cast<double>(n));
    BOOST_TEST(largest >= 0);
  });
}

BOOST_AUTO_TEST_CASE(an_lu_factorization_with_pivoting_of_block_columns_is_right) {
  both([](Runtime& runtime) {
    constexpr std::int64_t n = 100, tile = 40;
    std::vector<double> a(n * n);
    // In each column the largest element is far below the diagonal, so pivoting exchanges rows.
    for (std::int64_t i = 0; i < n * n; ++i) a[i] = std::sin(static_cast<double>(i * i % 1009));
    std::vector<double> lu(n * n, 0.0);
    TiledMatrix<double> tiles(runtime, n, n, tile, TileStorage::columns);
    tiles.gather_from(a.data(), n);
    const auto& kernel = kernels::codelets<double>();
    std::vector<int> rows(n);
    const Data pivots = runtime.vector(rows, "pivots");
    const std::vector<Handle> panels =
        runtime.partition(pivots, std::array{Block{0, 0, 40, 1}, Block{40, 0, 40, 1}, Block{80, 0, 20, 1}});
    const auto column = [&](std::vector<Access> accesses, int top, int j) {
      for (int i = top; i < 3; ++i) accesses.push_back(read_write(tiles(i, j)));
      return accesses;
    };
    const std::int64_t none = 0;
    for (int k = 0; k < 3; ++k) {
      runtime.submit(kernel.getrf_panel, column({write(panels[k])}, k, k), args(none, k * tile));
      for (int j = k + 1; j < 3; ++j) {
        runtime.submit(kernel.swap_and_solve, column({read(tiles(k, k)), read(panels[k])}, k, j), args(none, k * tile));
        for (int i = k + 1; i < 3; ++i) {
          runtime.submit(kernel.gemm_nn, {tiles(i, k), tiles(k, j), tiles(i, j)}, args(none));
        }
      }
    }
    for (int j = 0; j < 2; ++j) {
      std::vector<Access> accesses;
      for (int k = j + 1; k < 3; ++k) accesses.push_back(read(panels[k]));
      runtime.submit(kernel.swap_rows, column(accesses, j + 1, j), args(none, (j + 1) * tile));
    }
    tiles.scatter_to(lu.data(), n);
    runtime.wait();
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) std::swap(a[i + j * n], a[rows[i] + j * n]);
    }
    double largest = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = i <= j ? lu[i + j * n] : 0;
        for (std::int64_t k = 0; k < std::min(i, j + 1); ++k) sum += lu[i + k * n] * lu[k + j * n];
        largest = std::max(largest, std::abs(sum - a[i + j * n]));
      }
    }
    BOOST_TEST(largest < 1e-11);
    // A service refuses a task that writes data which it accesses with mode read, and a task whose rows do not exist.
    const auto wrong_mode = column({read(panels[2])}, 2, 2);
    BOOST_CHECK_EXCEPTION((runtime.submit(kernel.getrf_panel, wrong_mode, args(none, none)), runtime.wait()), Error,
                          failure(ErrorCode::signature_mismatch, "has mode read, the kernel needs it in mode write"));
  });
  Runtime runtime = connect();
  std::vector<double> a(20);
  std::vector<int> rows(2);
  const Data matrix = runtime.matrix(a.data(), 10, 2, 10), pivots = runtime.vector(rows);
  runtime.submit(kernels::codelets<double>().getrf_panel, {write(pivots), read_write(matrix)},
                 args(std::int64_t{9}, std::int64_t{9}));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::invalid_argument, "offset must be from 0 to 8"));
}

BOOST_AUTO_TEST_CASE(partial_results_come_together) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 1.0);
    double sum = 5;
    const Data dx = runtime.vector(x), total = runtime.scalar(sum, "total");
    runtime.set_reduction(total, sum_reduction<double>());
    for (int i = 0; i < 50; ++i) runtime.submit((*this)["sum"], {dx, total});
    runtime.wait();
    BOOST_TEST(sum == 5005);
  });
}

BOOST_AUTO_TEST_CASE(what_nobody_has_written_is_not_read_and_may_be_reduced_into) {
  both([this](Runtime& runtime) {
    std::vector<double> y(100, 1.0);
    const Data x = runtime.allocate_vector<double>(100, "x"), dy = runtime.vector(y);
    const auto refused = failure(ErrorCode::invalid_argument, "'x' has no valid content");
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["axpy"], {x, dy}, args(1.0)), Error, refused);
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(x, AccessMode::read), Error, refused);
    const RecordedGraph reads = runtime.record([&] { runtime.submit((*this)["axpy"], {x, dy}, args(1.0)); });
    BOOST_CHECK_EXCEPTION(reads.run(), Error, refused);
    runtime.submit((*this)["fill"], {x}, args(2.0));
    reads.run();
    runtime.submit((*this)["axpy"], {x, dy}, args(1.0));
    runtime.wait();
    BOOST_TEST(y[99] == 5);
    for (int round = 0; round < 3; ++round) {
      // These data may get memory that other data used before, so it need not be zero.
      const Data total = runtime.allocate_scalar<double>("total");
      runtime.set_reduction(total, sum_reduction<double>());
      runtime.submit((*this)["sum"], {dy, total});
      BOOST_TEST(runtime.acquire(total, AccessMode::read).vector<double>()[0] == 500);
    }
  });
}

BOOST_AUTO_TEST_CASE(registrations_may_end_in_callbacks) {
  both([this](Runtime& runtime) {
    std::vector<double> y(100, 1.0);
    const Data dy = runtime.vector(y);
    runtime.submit((*this)["fill"], {dy}, args(1.0), {.callback = [&](const TaskOutcome&) {
                     const Data x = runtime.allocate_vector<double>(100);
                     runtime.submit((*this)["fill"], {x}, args(2.0));
                     runtime.submit((*this)["axpy"], {x, dy}, args(1.0));
                   }});
    runtime.wait();
    BOOST_TEST(y[99] == 3);
  });
  Runtime runtime = connect();
  std::vector<double> x(100, 1.0);
  double other = 0;
  const Data flush = runtime.scalar(other);
  const Codelet& fill = (*this)["fill"];
  runtime.submit(fill, {flush}, args(0.0),
                 {.callback = [&](const TaskOutcome&) { const Data unused = runtime.vector(x, "x"); }});
  runtime.wait();
  runtime.submit(fill, {flush}, args(0.0), {.callback = [&](const TaskOutcome&) {
                   const Data data = runtime.vector(x, "x");
                   runtime.submit(fill, {data}, args(2.0));
                 }});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::wait_in_kernel, "the registration of 'x' ended"));
  BOOST_TEST(x[99] == 1);
  const Data again = runtime.vector(x, "again");
  runtime.submit(fill, {again}, args(3.0));
  runtime.wait();
  BOOST_TEST(x[99] == 3);
}

BOOST_AUTO_TEST_CASE(recorded_graphs_run_many_times_with_other_data) {
  both([this](Runtime& runtime) {
    std::vector<double> a(10, 1.0), b(10, 1.0), c(10, 0.0);
    const Data da = runtime.vector(a), db = runtime.vector(b), dc = runtime.vector(c);
    const RecordedGraph step = runtime.record(
        [&] {
          runtime.submit((*this)["axpy"], {da, db}, args(1.0));
          runtime.submit((*this)["axpy"], {db, dc}, args(1.0));
        },
        "step");
    BOOST_TEST(step.tasks() == 2U);
    for (int i = 0; i < 3; ++i) step.run();
    runtime.wait();
    BOOST_TEST(b[0] == 4);
    BOOST_TEST(c[0] == 2 + 3 + 4);
    std::vector<double> d(10, 0.0);
    const Data dd = runtime.vector(d);
    const Future run = step.run({{dc, dd}});
    run.wait();
    runtime.wait();
    BOOST_TEST(d[0] == 5);
    BOOST_TEST(c[0] == 9);
    BOOST_CHECK_EXCEPTION(step.run({{dc, da}}), Error, failure(ErrorCode::conflicting_access));
  });
}

BOOST_AUTO_TEST_CASE(callbacks_submit_and_wait_waits_for_what_they_submit) {
  both([this](Runtime& runtime) {
    std::atomic<int> calls{0};
    std::function<void(const TaskOutcome&)> again;
    again = [&](const TaskOutcome& outcome) {
      BOOST_TEST((outcome.status == TaskStatus::succeeded));
      if (++calls < 20) runtime.submit((*this)["empty"], {}, {}, {.callback = again});
    };
    runtime.submit((*this)["empty"], {}, {}, {.callback = again});
    runtime.wait();
    BOOST_TEST(calls.load() == 20);
    const Progress progress = runtime.progress();
    BOOST_TEST(progress.submitted == 20U);
    BOOST_TEST(progress.ended == 20U);
  });
}

BOOST_AUTO_TEST_CASE(several_threads_submit_and_wait) {
  both([this](Runtime& runtime) {
    std::vector<std::vector<double>> x(4, std::vector<double>(100, 1.0));
    std::vector<std::thread> threads;
    for (std::vector<double>& mine : x) {
      threads.emplace_back([&] {
        const Data data = runtime.vector(mine);
        const Data y = runtime.allocate_vector<double>(100);
        runtime.submit((*this)["fill"], {y}, args(1.0));
        for (int i = 0; i < 300; ++i) {
          const Future future = runtime.submit((*this)["axpy"], {y, data}, args(1.0));
          if (i % 50 == 0) future.wait();
          if (i % 70 == 0) runtime.wait(data);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<double>& mine : x) BOOST_TEST(mine[99] == 301);
    runtime.wait();
  });
}

BOOST_AUTO_TEST_CASE(no_task_is_taken_after_stop) {
  both([this](Runtime& runtime) {
    runtime.submit((*this)["empty"], {});
    runtime.stop();
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["empty"], {}), Error,
                          failure(ErrorCode::stopped, "'empty'", "takes no tasks"));
    runtime.wait();
  });
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_tasks_end_once_each) {
  both([this](Runtime& runtime) {
    for (int i = 0; i < 100'000; ++i) runtime.submit((*this)["empty"], {});
    runtime.wait();
    BOOST_TEST(runtime.progress().ended == 100'000U);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
