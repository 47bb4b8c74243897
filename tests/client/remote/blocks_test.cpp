// Tests that blocks of matrices and vectors are the same on workers of the program and on a service.
#include <vector>

#include "tests/client/remote/places.hpp"

namespace troupe::tests {

namespace blocks_in_both_places {}  // namespace blocks_in_both_places

BOOST_FIXTURE_TEST_SUITE(blocks_in_both_places, Places)

BOOST_AUTO_TEST_CASE(wholes_and_blocks_are_ordered) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 0.0);
    const Data whole = runtime.vector(x, "x");
    const std::vector<Block> blocks{{0, 0, 50, 1}, {50, 0, 50, 1}};
    const std::vector<Handle> parts = runtime.partition(whole, blocks);
    runtime.submit((*this)["fill"], {whole}, args(1.0));
    runtime.submit((*this)["fill"], {parts[1]}, args(2.0));
    runtime.submit((*this)["axpy"], {parts[1], parts[0]}, args(10.0));
    runtime.wait(whole);
    BOOST_TEST(x[0] == 21);
    BOOST_TEST(x[99] == 2);
    {
      const HostAccess access = runtime.acquire(parts[1], AccessMode::read_write);
      access.vector<double>()[49] = 100;
    }
    runtime.submit((*this)["axpy"], {parts[1], parts[0]}, args(1.0));
    runtime.wait();
    BOOST_TEST(x[49] == 121);
    const std::vector<Block> overlapping{{40, 0, 20, 1}};
    BOOST_CHECK_EXCEPTION(runtime.partition(whole, overlapping), Error, failure(ErrorCode::overlapping_handles));
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
