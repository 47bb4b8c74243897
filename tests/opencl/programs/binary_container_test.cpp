#include "opencl/programs/binary_container.hpp"

#include <boost/test/unit_test.hpp>
#include <tuple>

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(binary_containers)

namespace {

const std::vector<opencl::BinaryBlob> kTwoBlobs{
    {"pocl|basic|3.1", CL_PROGRAM_BINARY_TYPE_EXECUTABLE, {1, 2, 3, 0, 255}}, {"", CL_PROGRAM_BINARY_TYPE_LIBRARY, {}}};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_can_be_read) {
  const auto read = opencl::read_container(opencl::write_container(kTwoBlobs));
  BOOST_TEST_REQUIRE(read.has_value());
  BOOST_TEST_REQUIRE(read->size() == kTwoBlobs.size());
  for (std::size_t i = 0; i < read->size(); ++i) {
    BOOST_TEST((*read)[i].identity == kTwoBlobs[i].identity);
    BOOST_TEST((*read)[i].type == kTwoBlobs[i].type);
    BOOST_TEST((*read)[i].bytes == kTwoBlobs[i].bytes, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(any_part_of_it_alone_is_refused) {
  const auto whole = opencl::write_container(kTwoBlobs);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    BOOST_TEST(!opencl::read_container(std::span(whole).first(size)).has_value(), "the first " << size << " bytes");
  }
}

BOOST_AUTO_TEST_CASE(a_bit_that_changed_is_noticed_wherever_it_is) {
  const auto whole = opencl::write_container(kTwoBlobs);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    auto changed = whole;
    changed[bit / 8] ^= static_cast<unsigned char>(1U << (bit % 8));
    BOOST_TEST(!opencl::read_container(changed).has_value(), "bit " << bit);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
