#include "opencl/analysis/kept_const.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace troupe::tests {

using opencl::keeps_const;

BOOST_AUTO_TEST_SUITE(kept_const)

namespace {

/// Returns true if the pointer `in` remains const in a kernel with this body.
bool keeps(const std::string& body, const std::string& options = "", const std::string& type = "float4*") {
  return keeps_const("kernel void k(global const float4* restrict in, global float4* out) {" + body + "}", options,
                     {"in", type});
}

}  // namespace

BOOST_AUTO_TEST_CASE(elements_may_be_read_in_many_ways) {
  for (const char* body :
       {"out[0] = in[1];", "out[0].x = 2 * (in[get_global_id(0)].x + in[0].s1);", "out[0] = (1 + (in[2]));",
        "out[0] = *in;\n#define F 3\n out[1] = in[F];", "if (out[0].x && in[0].x) out[1] = f(*in, 3);",
        "/* &in */ printf(\"&in\"); // (global float4*)in\n", "other = &out[in[0].x > 1];"}) {
    BOOST_TEST(keeps(std::string(body) + " f(0, *in);"), body);
  }
  BOOST_TEST(keeps("out[0] = in[0];", "-DN=3 -I folder", "float *"));
}

BOOST_AUTO_TEST_CASE(whatever_could_lose_the_const_is_found) {
  for (const char* body :
       {"((global float4*)in)[0] = 1;", "global float4* p = in; p[0] = 1;", "h(in);", "h(0, in);", "h(&in[3]);",
        "h(& (in[3]));", "h(&*in);", "h(in + 1);", "3[in];", "global float4* p = c ? in : out;", "q = (size_t)in;",
        "out[0] = i &in[0];", "return &in[1];"}) {
    BOOST_TEST(!keeps(std::string("out[0] = in[0];") + body), body);
  }
  for (const char* lines :
       {"#define LOSE(x) &x\n", "#define A(i) i##n\n", "#define q in\n", "#include \"h\"\n", "%:define q in\n"}) {
    BOOST_TEST(!keeps(std::string("\n") + lines + "out[0] = in[0];"), lines);
  }
}

BOOST_AUTO_TEST_CASE(elements_that_may_hold_arrays_and_options_that_may_hide_something_are_doubtful) {
  for (const char* type : {"Pair*", "float4**", "", "float4", "image2d_t", "my_float*"}) {
    BOOST_TEST(!keeps("out[0] = in[0];", "", type), type);
  }
  for (const char* options : {"-DF(x)=&x", "-Din=out", "-DA=in", "-cl-std=CLC++"}) {
    BOOST_TEST(!keeps("out[0] = in[0];", options), options);
  }
  BOOST_TEST(!keeps_const("kernel void k(global const int* in) {}", "", {"", "int*"}));
  // The source contains no kernel of this name, because a macro makes it.
  BOOST_TEST(!keeps_const("MAKE_KERNEL(k)", "", {"in", "int*"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
