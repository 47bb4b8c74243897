// Tests every tile codelet that runs on GPUs against its implementation for cores. The GPUs are fake, or real ones if
// the environment variable TROUPE_TEST_GPU is "real".
#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/codelets.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/gpu_environment.hpp"
#include "kernels/tile_kernels.hpp"
#include "tests/kernels/cuda/cuda_comparison.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

using namespace tests::comparison;  // NOLINT: this test uses many names of tests::comparison

BOOST_FIXTURE_TEST_SUITE(cuda_codelets, CudaKernels)

BOOST_AUTO_TEST_CASE_TEMPLATE(updates_are_those_of_cores, T, Precisions) {
  Gpu gpu;
  for (const std::int64_t m : {0, 1, 17, 40}) {
    for (const std::int64_t n : {0, 1, 16, 33}) {
      for (const std::int64_t k : {0, 1, 19}) {
        for (const auto& [above, below] : kAround) {
          const std::int64_t around = above + below;
          compare<T>(gpu, codelets<T>().gemm_nn, {random<T>(m, k, 1), random<T>(k + around, n, 2), random<T>(m, n, 3)},
                     args(above), k, {2});
          compare<T>(gpu, codelets<T>().gemm_nt, {random<T>(m, k, 1), random<T>(n + around, k, 2), random<T>(m, n, 3)},
                     args(above), k, {2});
          compare<T>(gpu, codelets<T>().gemm_tn, {random<T>(k, m, 1), random<T>(k, n, 2), random<T>(m + around, n, 3)},
                     args(above), k, {2});
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_stream_had_ends_without_the_use_of_another_gpu) {
  if (!needs_fake()) return;
  // The environment is destroyed in this thread, which has never chosen a GPU.
  auto environment = gpu_environment();
  std::thread([] {
    Gpu gpu(1);
    compare<double>(gpu, codelets<double>().gemm_nn,
                    {random<double>(5, 4, 1), random<double>(4, 3, 2), random<double>(5, 3, 3)}, args(std::int64_t{0}),
                    4, {2});
  }).join();
  environment.reset();
  BOOST_TEST(fake->is_in_use(1));
  BOOST_TEST(!fake->is_in_use(0));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(syrk_updates_the_lower_triangle_and_what_is_below, T, Precisions) {
  Gpu gpu;
  for (const std::int64_t n : kOrders) {
    for (const std::int64_t k : {0, 1, 33}) {
      for (const auto& [above, below] : kAround) {
        compare<T>(gpu, codelets<T>().syrk, {random<T>(above + n + below, k, 1), random<T>(above + n + below, n, 2)},
                   args(above), k, {1});
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(triangular_solves_are_those_of_cores, T, Precisions) {
  Gpu gpu;
  const TileCodelets<T>& all = codelets<T>();
  for (const std::int64_t n : kOrders) {
    for (const Around& around : kAround) {
      Operand d = tall_tile<T>(n, around, 1);
      // The elements are small, so the inverse of the unit triangle has small elements, too.
      Operand unit = random<T>(around.above + n + around.below, n, 2);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < unit.layout.rows; ++i) unit.matrix<T>()(i, j) /= static_cast<T>(n);
      }
      for (const std::int64_t m : {0, 1, 29}) {
        for (const Codelet* codelet : {&all.trsm_cholesky, &all.trsm_right_upper}) {
          compare<T>(gpu, *codelet, {d, random<T>(m, n, 3)}, args(around.above), n, {1});
        }
        const Operand b = random<T>(around.above + n + around.below, m, 4);
        for (const Codelet* codelet : {&all.solve_lower, &all.solve_lower_transposed, &all.solve_upper}) {
          compare<T>(gpu, *codelet, {d, b}, args(around.above), n + around.above + around.below, {1});
        }
        compare<T>(gpu, all.solve_unit_lower, {unit, b}, args(around.above), n + around.below, {1});
      }
    }
  }
}

/// Returns true if the element (row, col) of a result has a defined value. Libraries may write anything to the upper
/// triangle of the diagonal block.
bool below_diagonal(std::int64_t row, std::int64_t col) { return row >= col || row < 0; }

BOOST_AUTO_TEST_CASE_TEMPLATE(potrf_factorizes_tall_tiles_as_cores_do, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t n : kOrders) {
    for (const Around& around : kAround) {
      const Operands given{tall_tile<T>(n, around, 1)};
      Operands on_gpu = given;
      Operands on_core = given;
      gpu.run(codelets<T>().potrf, on_gpu, args(around.above, std::int64_t{0}));
      run_on_core(codelets<T>().potrf, on_core, args(around.above, std::int64_t{0}));
      BOOST_TEST(difference<T>(on_gpu[0], on_core[0], below_diagonal, around.above) <= bound(n));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(lu_without_pivoting_is_that_of_cores, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t n : kOrders) {
    for (const Around& around : kAround) {
      compare<T>(gpu, codelets<T>().getrf_without_pivoting, {tall_tile<T>(n, around, 1)},
                 args(around.above, std::int64_t{0}), n, {0});
    }
  }
}

template <class T>
void compare_errors(Gpu& gpu, const Codelet& codelet, const Operand& d, std::int64_t offset, std::int64_t first) {
  Operands on_gpu{d};
  Operands on_core{d};
  const std::string expected = error_of([&] { run_on_core(codelet, on_core, args(offset, first)); });
  BOOST_TEST(expected != "no error");
  BOOST_TEST(error_of([&] { gpu.run(codelet, on_gpu, args(offset, first)); }) == expected);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_breakdown_is_reported_with_the_row_that_cores_report, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t n : {1, 16, 64, 65, 128}) {
    for (const Around& around : kAround) {
      // If a leading minor whose order is a multiple of 64 is not positive, cuSOLVER reports the next order, or no
      // error.
      for (const std::int64_t bad : {std::int64_t{0}, n / 2, std::min<std::int64_t>(n, 64) - 1, n - 1}) {
        Operand indefinite = tall_tile<T>(n, around, 1);
        indefinite.matrix<T>()(around.above + bad, bad) = T{-1};
        compare_errors<T>(gpu, codelets<T>().potrf, indefinite, around.above, 100);
        // A row of zeros stays zero, so its pivot is exactly zero. Later pivots may also be zero.
        Operand singular = tall_tile<T>(n, around, 1);
        for (std::int64_t j = 0; j < n; ++j) singular.matrix<T>()(around.above + bad, j) = T{0};
        compare_errors<T>(gpu, codelets<T>().getrf_without_pivoting, singular, around.above, 100);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(nan_and_infinity_do_not_pass_through_cholesky, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  for (const T value : {std::numeric_limits<T>::quiet_NaN(), kInfinity, -kInfinity}) {
    for (const std::int64_t row : {40, 63}) {
      Operands tile{tall_tile<T>(64, {3, 5}, 1)};
      tile[0].matrix<T>()(3 + row, 40) = value;
      BOOST_TEST(error_of([&] { gpu.run(codelets<T>().potrf, tile, args(std::int64_t{3}, std::int64_t{100})); }) ==
                 "the matrix is not positive definite: its leading minor of order " + std::to_string(101 + row) +
                     " is not positive");
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_block_with_nan_that_would_be_factorized_without_pivoting_is_named, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  Operands tile{tall_tile<T>(16, {3, 5}, 1)};
  tile[0].matrix<T>()(3 + 12, 7) = std::numeric_limits<T>::quiet_NaN();
  BOOST_TEST(error_of([&] {
               gpu.run(codelets<T>().getrf_without_pivoting, tile, args(std::int64_t{3}, std::int64_t{100}));
             }).starts_with("the matrix has an element in column 108 that is NaN or infinite"));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(reflectors_are_applied_as_on_cores, T, Precisions) {
  Gpu gpu;
  const TileCodelets<T>& all = codelets<T>();
  for (const std::int64_t k : {1, 7, 16, 33}) {
    for (const std::int64_t more : {0, 20}) {
      for (const std::int64_t inner : {1, 5, 16}) {
        const std::int64_t block = std::min(inner, k);
        Operands panel{random<T>(k + more, k, 1), Operand::zeros<T>(block, k, kGap), random<T>(k + more, k, 2)};
        run_on_core(all.geqrt, panel);
        Operands stacked{random<T>(k + more, k, 3), random<T>(k + more, k, 4), Operand::zeros<T>(block, k, kGap)};
        run_on_core(all.tpqrt, stacked, args(std::int64_t{0}));
        for (const std::int64_t m : {0, 1, 21}) {
          if (has_device_code()) {
            for (const Codelet* codelet : {&all.gemqrt, &all.gemqrt_transposed}) {
              compare<T>(gpu, *codelet, {panel[2], panel[1], random<T>(k + more + inner, m, 5)}, {}, k + more, {2});
            }
          }
          for (const Codelet* codelet : {&all.tpmqrt, &all.tpmqrt_transposed}) {
            compare<T>(gpu, *codelet, {stacked[1], stacked[2], random<T>(k + more, m, 6), random<T>(k + more, m, 7)},
                       args(more), k + more, {2, 3});
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_tile_without_rows_below_reflects_nothing, T, Precisions) {
  Gpu gpu;
  const Operands given{random<T>(0, 4, 1), Operand::zeros<T>(2, 4, kGap), random<T>(4, 5, 2), random<T>(0, 5, 3)};
  compare<T>(gpu, codelets<T>().tpmqrt_transposed, given, args(std::int64_t{1}), 4, {2, 3});
}

BOOST_AUTO_TEST_CASE_TEMPLATE(generated_matrices_are_those_of_cores_to_the_last_bit, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t rows : {0, 1, 300}) {
    for (const std::int64_t cols : {0, 1, 40}) {
      Operands on_gpu{random<T>(rows, cols, 1)};
      Operands on_core = on_gpu;
      const Arguments arguments = args(std::int64_t{10}, std::int64_t{20}, std::uint64_t{7}, 1000.0);
      gpu.run(codelets<T>().fill_symmetric, on_gpu, arguments);
      run_on_core(codelets<T>().fill_symmetric, on_core, arguments);
      BOOST_TEST((on_gpu[0].bytes == on_core[0].bytes));
    }
  }
}

BOOST_AUTO_TEST_CASE(all_of_them_run_on_gpus_but_those_of_incremental_pivoting) {
  if (!needs_device_code()) return;
  const std::set<std::string_view> on_cores{"getrf_incpiv", "gessm", "gessm_back", "tstrf", "ssssm", "ssssm_back"};
  for (const TileKernel<double>& entry : tile_kernels<double>()) {
    const bool runs = (codelets<double>().*entry.codelet).definition().runs_on(DeviceKind::cuda);
    BOOST_TEST(runs != on_cores.contains(entry.name), entry.name);
  }
}

BOOST_AUTO_TEST_CASE(kernels_only_enqueue) {
  if (!needs_fake()) return;
  Gpu gpu;
  Operands first{tall_tile<double>(40, {2, 3}, 1)};
  const Arguments arguments = args(std::int64_t{2}, std::int64_t{0});
  // The first run creates the libraries' handles, so that `begin` below does not have to create them.
  gpu.run(codelets<double>().potrf, first, arguments);
  Operands given{tall_tile<double>(40, {2, 3}, 1)};
  const Operands before = given;
  // The operands must be pinned, because a call that copies pageable memory waits for the stream.
  const platform::CudaApi& api = *platform::cuda_api().value();
  BOOST_REQUIRE(api.cudaHostRegister(given[0].bytes.data(), given[0].bytes.size(), 0) == cudaSuccess);
  fake->pause();
  gpu.begin(codelets<double>().potrf, given, arguments);
  BOOST_TEST((given[0].bytes == before[0].bytes));
  fake->resume();
  gpu.end();
  BOOST_TEST((given[0].bytes == first[0].bytes));
  BOOST_TEST((api.cudaHostUnregister(given[0].bytes.data()) == cudaSuccess));
}

BOOST_AUTO_TEST_CASE(after_their_first_use_kernels_allocate_nothing) {
  if (!needs_fake()) return;
  Gpu gpu;
  const auto once = [&] {
    Operands tile{tall_tile<double>(30, {0, 3}, 1)};
    gpu.run(codelets<double>().potrf, tile, args(std::int64_t{0}, std::int64_t{0}));
    Operands update{random<double>(30, 30, 1), random<double>(30, 30, 2), random<double>(30, 30, 3)};
    gpu.run(codelets<double>().gemm_nt, update, args(std::int64_t{0}));
    Operands reflect{random<double>(30, 8, 1), random<double>(4, 8, 2), random<double>(8, 30, 3),
                     random<double>(30, 30, 4)};
    gpu.run(codelets<double>().tpmqrt, reflect, args(std::int64_t{0}));
  };
  once();
  const tests::FakeCudaLeaks before = fake->leaks();
  for (int i = 0; i < 3; ++i) once();
  BOOST_TEST(fake->leaks().allocations == before.allocations);
  BOOST_TEST(fake->leaks().pinned_ranges == before.pinned_ranges);
}

BOOST_AUTO_TEST_CASE(statuses_of_kernels_in_flight_are_kept_apart) {
  Gpu gpu;
  std::vector<Operands> tiles;
  for (int i = 0; i < 5; ++i) {
    Operand tile = tall_tile<double>(8, {0, 0}, 1);
    tile.matrix<double>()(i, i) = -1;
    tiles.push_back({tile});
  }
  for (Operands& tile : tiles) gpu.begin(codelets<double>().potrf, tile, args(std::int64_t{0}, std::int64_t{0}));
  for (int i = 0; i < 5; ++i) {
    const std::string expected = "leading minor of order " + std::to_string(i + 1) + " ";
    BOOST_TEST(error_of([&] { gpu.end(); }).find(expected) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(each_stream_and_each_device_has_handles_of_its_own) {
  if (!needs_fake()) return;
  const Operands given{tall_tile<double>(20, {0, 0}, 1)};
  Operands expected = given;
  run_on_core(codelets<double>().potrf, expected, args(std::int64_t{0}, std::int64_t{0}));
  for (const int device : {0, 1, 0}) {
    Gpu one(device);
    Gpu other(device);
    for (Gpu* gpu : {&one, &other}) {
      Operands result = given;
      gpu->run(codelets<double>().potrf, result, args(std::int64_t{0}, std::int64_t{0}));
      BOOST_TEST(difference<double>(result[0], expected[0], below_diagonal) <= bound(20));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_library_refuses_is_an_error_with_its_name_for_it) {
  if (!needs_fake()) return;
  Gpu gpu;
  Operands wrong{random<double>(9, 4, 1), random<double>(9, 4, 2), random<double>(9, 9, 3)};
  wrong[0].layout.ld = 2;  // The leading dimension is less than the number of rows.
  try {
    gpu.run(codelets<double>().gemm_nt, wrong, args(std::int64_t{0}));
    BOOST_ERROR("a leading dimension below the number of rows was taken");
  } catch (const Error& error) {
    const std::string text = error.what();
    BOOST_TEST((error.code() == ErrorCode::kernel_failed));
    BOOST_TEST(text.find("cublasGemm failed: CUBLAS_STATUS_INVALID_VALUE") != std::string::npos, text);
  }
}

BOOST_AUTO_TEST_CASE(without_a_stream_the_data_are_the_hosts_and_a_core_computes) {
  // A GPU in virtual time calls the kernel in this way: without a stream, on data in host memory.
  Operands given{tall_tile<double>(20, {1, 2}, 1)};
  Operands expected = given;
  const Arguments arguments = args(std::int64_t{1}, std::int64_t{0});
  run_on_core(codelets<double>().potrf, expected, arguments);
  const DataView view{given[0].bytes.data(), given[0].layout};
  const DataView* const pointer = &view;
  const KernelContext context({&pointer, 1}, arguments.view());
  codelets<double>().potrf.definition().kernel_for(DeviceKind::cuda)(context);
  BOOST_TEST((given[0].bytes == expected[0].bytes));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
