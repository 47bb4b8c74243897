// Tests the tile sizes that Troupe chooses, by the size of the matrix and the devices, if the program gives none.
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>

#include "linalg/factorization.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(default_tiles)

BOOST_AUTO_TEST_CASE(tiles_on_cores_are_many_across_and_do_not_grow_for_ever) {
  for (const Application application : {Application::cholesky, Application::lu}) {
    BOOST_TEST(default_tile(application, 100) == 64);
    BOOST_TEST(default_tile(application, 2048) == 192);
    BOOST_TEST(default_tile(application, 100000) == 384);
  }
  BOOST_TEST(default_tile(Application::qr, 2048) == 128);
  BOOST_TEST(default_tile(Application::qr, 100000) == 256);
  BOOST_TEST(default_tile_rows(32768, 384, 16) == 384 * 12);
}

BOOST_AUTO_TEST_CASE(a_fast_gpu_gets_large_square_tiles) {
  const GpuRate h200{.count = 1, .flops_per_second = 66.9e12};
  for (const Application application : {Application::cholesky, Application::lu}) {
    BOOST_TEST(default_tile(application, 2048, h200) == 256);
    BOOST_TEST(default_tile(application, 8192, h200) == 1024);
    BOOST_TEST(default_tile(application, 10000, h200) == 1216);
    BOOST_TEST(default_tile(application, 100000, h200) == 1600);
    BOOST_TEST(default_tile(application, 100000, {.count = 1, .flops_per_second = 1e15}) == 2048);
  }
  BOOST_TEST(default_tile(Application::qr, 8192, h200) == 512);
  BOOST_TEST(default_tile(Application::qr, 12288, h200) == 768);
  BOOST_TEST(default_tile(Application::qr, 100000, h200) == 768);
  BOOST_TEST(default_tile_rows(100000, 1600, 16) > 1600);
  BOOST_TEST(default_tile_rows(100000, 1600, 16, h200) == 1600);
}

BOOST_AUTO_TEST_CASE(several_gpus_get_more_tiles_across) {
  const auto across = [](std::size_t count) {
    return 8192 / default_tile(Application::lu, 8192, {.count = count, .flops_per_second = 66.9e12});
  };
  BOOST_TEST(across(1) == 8);
  BOOST_TEST(across(2) == 12);
  BOOST_TEST(across(4) == 21);
}

BOOST_AUTO_TEST_CASE(a_slow_gpu_and_one_of_unknown_rate_get_tiles_as_cores_do) {
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    for (const std::int64_t n : {100, 1000, 4096, 9600, 100000}) {
      BOOST_TEST_CONTEXT(to_string(application) << " of order " << n) {
        const std::int64_t on_cores = default_tile(application, n);
        const std::int64_t slow = default_tile(application, n, {.count = 1, .flops_per_second = 1.2e12});
        BOOST_TEST(slow >= on_cores);
        BOOST_TEST(slow <= 512);
        BOOST_TEST(default_tile(application, n, {.count = 1, .flops_per_second = 1e9}) == on_cores);
        BOOST_TEST(default_tile(application, n, {.count = 1}) == on_cores);
        BOOST_TEST(default_tile(application, n, {.count = 64, .flops_per_second = 66.9e12}) >= on_cores);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(tiles_shrink_with_the_gpus_memory_but_not_below_those_of_cores) {
  std::int64_t before = 2048;
  for (std::uint64_t elements = std::uint64_t{1} << 26U; elements > 0; elements /= 4) {
    const std::int64_t tile = default_tile(Application::cholesky, 100000,
                                           {.count = 1, .flops_per_second = 66.9e12, .memory_elements = elements});
    BOOST_TEST(tile <= before);
    if (tile > 384) {
      BOOST_TEST(3 * static_cast<std::uint64_t>(tile * tile) <= elements);
    }
    BOOST_TEST(tile >= 384);
    before = tile;
  }
  BOOST_TEST(before == 384);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
