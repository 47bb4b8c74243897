#include "troupe/arguments.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <set>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(arguments)

namespace {

struct Pair {
  std::int32_t first;
  double second;
};

auto wrong(ErrorCode code, const std::string& text) {
  return [code, text](const Error& error) {
    return error.code() == code && std::string(error.what()).find(text) != std::string::npos;
  };
}

BOOST_AUTO_TEST_CASE(come_back_as_they_were_given) {
  const int target = 7;
  const Arguments packed = args('a', 2.5, std::uint16_t{3}, &target, true);
  const KernelContext context({}, packed.view());
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
  const KernelContext context({}, packed.view());
  BOOST_TEST(context.argument<Pair>(1).first == 2);
  BOOST_TEST(context.argument<Pair>(1).second == 3.0);
  BOOST_TEST(context.argument<std::int64_t>(3) == 5);
}

BOOST_AUTO_TEST_CASE(are_refused_under_another_number_or_type) {
  const Arguments packed = args(2.5, std::int64_t{3});
  const KernelContext context({}, packed.view());
  BOOST_CHECK_EXCEPTION((void)context.argument<double>(2), Error,
                        wrong(ErrorCode::invalid_argument, "argument 2, counting from 0, and the task has 2"));
  BOOST_CHECK_EXCEPTION((void)context.argument<float>(0), Error,
                        wrong(ErrorCode::signature_mismatch, "argument 0 as float"));
  BOOST_CHECK_EXCEPTION((void)context.argument<double>(1), Error,
                        wrong(ErrorCode::signature_mismatch, "as in args(double(x))"));
  BOOST_CHECK_EXCEPTION((void)KernelContext({}, kNoArguments.view()).argument<int>(0), Error,
                        wrong(ErrorCode::invalid_argument, "the task has 0"));
}

template <class... T>
std::set<int> marks_of() {
  return {int{mark_of(type_tag<T>())}...};
}

BOOST_AUTO_TEST_CASE(no_two_numbers_have_the_same_mark) {
  const auto marks = marks_of<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                              unsigned long, long long, unsigned long long, float, double>();
  BOOST_TEST(marks.size() == 14U);
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
