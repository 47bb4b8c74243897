#include "opencl/splitting/split_source.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::opencl {

BOOST_AUTO_TEST_SUITE(opencl_split_source)

BOOST_AUTO_TEST_CASE(a_kernel_gets_a_parameter_for_each_buffer_that_it_writes) {
  const std::vector<WrittenParameter> written{{1, "out"}};
  const std::string source = "kernel void f(global const int* in, global int* out) { out[0] = in[0]; }";
  const auto changed = source_for_slices(source, "f", written);
  BOOST_TEST_REQUIRE(changed.has_value());
  BOOST_TEST(*changed ==
             "kernel void f(global const int* in, global int* out, ulong troupe_before_1) { out = "
             "(__typeof__(out))((__global char*)out - troupe_before_1); out[0] = in[0]; }");
}

BOOST_AUTO_TEST_CASE(what_only_looks_like_the_kernel_is_left_alone) {
  const std::vector<WrittenParameter> written{{0, "x"}};
  const std::string source = R"(// f(int a) { }
/* kernel void f(global int* x) { */
#define CALL f(x) { \
  f(x)
constant char text[] = "f(x) {";
int g(int f) { return f; }
kernel void ff(global int* x) { g(1); }
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
f /* here */ (global int* x, int (y)) __attribute__((vec_type_hint(float))) { ff(x); f(x, 1); }
)";
  const auto changed = source_for_slices(source, "f", written);
  BOOST_TEST_REQUIRE(changed.has_value());
  const std::string expected =
      "(global int* x, int (y), ulong troupe_before_0) __attribute__((vec_type_hint(float))) { x = ";
  BOOST_TEST(changed->find(expected) != std::string::npos);
  BOOST_TEST(changed->find("troupe_before_0") ==
             changed->find(expected) + std::string("(global int* x, int (y), ulong ").size());
}

BOOST_AUTO_TEST_CASE(a_kernel_that_is_not_found_or_not_alone_is_not_changed) {
  const std::vector<WrittenParameter> written{{0, "x"}};
  const auto changes = [&](const std::string& source) { return source_for_slices(source, "f", written).has_value(); };
  BOOST_TEST(!changes("#define F kernel void f(global int* x) {\nF }"));
  BOOST_TEST(!changes("kernel void f(global int* x); kernel void f(global int* x) { *x = 1; }"));
  BOOST_TEST(!changes(
      "#ifdef A\nkernel void f(global int* x) { *x = 1; }\n#else\nkernel void f(global int* x) { *x = 2; }\n#endif"));
  BOOST_TEST(!changes("kernel void f(global int* x"));
  BOOST_TEST(!changes("kernel void f() { }"));
  BOOST_TEST(changes("kernel void f(global int* x) { *x = 1; }"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::opencl
