// Tests that blocks of data are the same on workers of the program and on a service, as far as a service has them.
#include <array>
#include <vector>

#include "client/backend.hpp"
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

BOOST_AUTO_TEST_CASE(a_service_refuses_volumes_and_blocks_with_steps) {
  both([](Runtime& runtime) {
    std::vector<double> x(24, 1.0);
    const bool on_service = !runtime.backend().shares_memory();
    const auto is_refused = [](const Error& error) { return error.code() == ErrorCode::no_implementation; };
    if (on_service) {
      BOOST_CHECK_EXCEPTION((void)runtime.volume(x.data(), {2, 3, 4}), Error, is_refused);
      BOOST_CHECK_EXCEPTION((void)runtime.allocate_volume<double>({2, 3, 4}), Error, is_refused);
      const Codelet takes_volume = Codelet("takes volume", {AccessMode::read}).cpu([](VolumeView<const double>) {});
      const Data matrix = runtime.matrix(x.data(), 4, 6, 4);
      BOOST_CHECK_EXCEPTION(runtime.submit(takes_volume, {matrix}), Error, is_refused);
      const std::array<Block, 1> turns{Block{0, 0, 4, 3, 0, 1, 2, 1}};
      BOOST_CHECK_EXCEPTION((void)runtime.partition(matrix, turns), Error, is_refused);
      const std::array<Block, 1> nothing{Block{0, 0, 4, 3, 0, 0}};
      BOOST_CHECK_EXCEPTION((void)runtime.halos(matrix, nothing, 1), Error, is_refused);
    }
    // A volume of one plane is a matrix everywhere.
    const Data flat = runtime.volume(x.data(), {4, 6, 1});
    const std::array<Block, 2> halves{Block{0, 0, 4, 3}, Block{0, 3, 4, 3}};
    BOOST_TEST(runtime.partition(flat, halves).size() == 2U);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
