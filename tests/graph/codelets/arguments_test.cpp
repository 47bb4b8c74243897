#include "graph/codelets/arguments.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "graph/codelets/kernel_context.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(arguments)

namespace {

struct Pair {
  std::int32_t first;
  double second;
};

BOOST_AUTO_TEST_CASE(come_back_as_they_were_given) {
  const int target = 7;
  const Arguments packed = args('a', 2.5, std::uint16_t{3}, &target, true);
  const KernelContext context({}, packed.bytes().data(), packed.offsets().data());
  BOOST_TEST(packed.size() == 5U);
  BOOST_TEST(context.argument<char>(0) == 'a');
  BOOST_TEST(context.argument<double>(1) == 2.5);
  BOOST_TEST(context.argument<std::uint16_t>(2) == 3);
  BOOST_TEST(context.argument<const int*>(3) == &target);
  BOOST_TEST(context.argument<bool>(4));
}

BOOST_AUTO_TEST_CASE(are_aligned_as_their_type_needs) {
  const Arguments packed = args(char{1}, Pair{2, 3.0}, char{4}, std::int64_t{5});
  BOOST_TEST(packed.offsets()[1] % alignof(Pair) == 0U);
  BOOST_TEST(packed.offsets()[3] % alignof(std::int64_t) == 0U);
  const KernelContext context({}, packed.bytes().data(), packed.offsets().data());
  BOOST_TEST(context.argument<Pair>(1).first == 2);
  BOOST_TEST(context.argument<Pair>(1).second == 3.0);
  BOOST_TEST(context.argument<std::int64_t>(3) == 5);
}

BOOST_AUTO_TEST_CASE(may_fill_all_the_room_there_is) {
  const std::array<std::byte, Arguments::kMaxBytes> large{std::byte{9}};
  BOOST_TEST(args(large).bytes().size() == Arguments::kMaxBytes);
  BOOST_TEST(args(1, 2, 3, 4, 5, 6, 7).size() == Arguments::kMaxArguments);
  BOOST_TEST(args().size() == 0U);
  BOOST_TEST(args().bytes().empty());
}

BOOST_AUTO_TEST_CASE(have_equal_tags_where_they_have_equal_types) {
  BOOST_TEST(args(1).tag(0) == args(2).tag(0));
  BOOST_TEST(args(1).tag(0) != args(1L).tag(0));
  BOOST_TEST(args(1.0).tag(0) != args(1.0F).tag(0));
  int value = 0;
  const int constant = 0;
  BOOST_TEST(args(value).tag(0) == args(constant).tag(0));
  BOOST_TEST(args(&value).tag(0) != args(&constant).tag(0));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
