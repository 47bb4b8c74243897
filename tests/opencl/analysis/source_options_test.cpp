#include <boost/test/unit_test.hpp>

#include "opencl/analysis/compiler_options.hpp"
#include "opencl/analysis/source_text.hpp"
#include "opencl/analysis/vendor_macros.hpp"

namespace troupe::tests {

using opencl::compiler_options;
using opencl::depends_on_vendor;

BOOST_AUTO_TEST_SUITE(source_options)

BOOST_AUTO_TEST_CASE(options_for_meaning_stay_and_those_for_speed_go) {
  const auto options = compiler_options(" -DA -D B=2 -I \"a folder\" -cl-mad-enable -w -cl-nv-verbose -UC -Ihere ");
  BOOST_TEST_REQUIRE(options.has_value());
  BOOST_TEST(
      options->arguments == (std::vector<std::string>{"-DA", "-DB=2", "-Ia folder", "-UC", "-Ihere", "-cl-std=CL1.2"}),
      boost::test_tools::per_element());
  BOOST_TEST(options->defined == (std::vector<std::string>{"A", "B", "C"}), boost::test_tools::per_element());
  BOOST_TEST(compiler_options("-cl-std=CL2.0")->arguments == std::vector<std::string>{"-cl-std=CL2.0"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(options_that_are_not_understood_are_refused) {
  for (const char* options : {"-D", "-DA=\"b c\"", "-x spir", "file.cl", "-DA=\\\"b\\\"", "-I \"open", "-include h",
                              "-fpack-struct", "-m32", "-funsigned-char", "-Wp,-DA=b", "-fshort-enums", "-mcpu=a"}) {
    BOOST_TEST(!compiler_options(options).has_value(), options);
  }
}

BOOST_AUTO_TEST_CASE(the_values_of_macros_are_looked_at_as_the_source_is) {
  const auto options = compiler_options("-DA=__x86_64__ -D B -D \"C\"=2 -I a -I b");
  BOOST_TEST(!options.has_value());
  const auto understood = compiler_options("-DA=__x86_64__ -D B -DF(x)=2 -I a -I b");
  BOOST_TEST_REQUIRE(understood.has_value());
  BOOST_TEST(understood->definitions == "#define A __x86_64__\n#define F(x) 2\n");
  BOOST_TEST(understood->folders == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
  BOOST_TEST(depends_on_vendor({"int a;", understood->definitions}, understood->defined));
}

BOOST_AUTO_TEST_CASE(code_that_names_what_vendors_define_is_doubtful) {
  for (const char* text :
       {"int a = __x86_64__;",
        "#define SEL_1 a\n#define CAT(x) SEL_##x\nvoid f(int* a) { CAT(__NV_CL_C_VERSION)[0] = 1; }",
        "#define SIZE __POCL__\n", "int a = cl_khr_fp64;", "int a = CL_DEVICE;", "int a = FP_FAST_FMAF;",
        "int a = SOCL_DEVICE_TYPE_GPU;", "int a[_Vendor];", "#define V(x) __##x##__\nint a = V(x86_64);",
        "%:ifdef X\nint a;\n%:endif", "int a; \\  \nint b = __GPU__;", "int a;\r#ifdef X\rint b;\r#endif",
        "#define Y /*\n*/ GPU\n#if Y\nint a;\n#endif", "\f#ifdef X\nint a;\n#endif", "#ifdef \\ \nX\nint a;\n#endif"}) {
    BOOST_TEST(depends_on_vendor({text}, {}), text);
  }
}

BOOST_AUTO_TEST_CASE(code_in_the_words_of_the_language_is_not) {
  for (const char* text :
       {"__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(__global const int* __restrict x) {}",
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint a;", "int a = __builtin_popcount(3);",
        "printf(\"__x86_64__ '\\\"\", '\\'');  // __GPU__\n/* __CPU__ */", "int a = __LINE__ + __OPENCL_VERSION__;",
        "struct __attribute__((__packed__)) S { char c; };", "barrier(CLK_LOCAL_MEM_FENCE); cl_mem_fence_flags f;",
        "#define __mul24 mul24\nint a = __mul24(2, 3);", "int a = GIVEN + __GIVEN;", "int _a = 1, my__a = 2;"}) {
    BOOST_TEST(!depends_on_vendor({text}, {"GIVEN", "__GIVEN"}), text);
  }
}

BOOST_AUTO_TEST_CASE(conditionals_on_what_vendors_define_are_doubtful) {
  for (const char* text :
       {"#ifdef __POCL__\nint a;\n#endif", "#if defined(X)\n#else\nint a;\n#endif",
        "#ifdef cl_khr_fp64\n#define R double\n#endif", "# if 1 && \\\n NV_CL\nint a;\n#endif",
        "#if 0\n#elif Z\nint a;\n#endif", "#define Y __NV_CL_C_VERSION\n#if Y > 1\nint a;\n#endif",
        "#ifndef cl_khr_fp64\n#define cl_khr_fp64\n#endif", "#define F(x) (x + G)\n#if F(1)\nint a;\n#endif",
        "#ifdef X\n#if 1\nint a;\n#endif\n#endif", "#ifdef X\nint a;", "/* */ #ifdef X // b\nint a;\n#endif"}) {
    BOOST_TEST(depends_on_vendor({text}, {}), text);
  }
}

BOOST_AUTO_TEST_CASE(conditionals_of_the_program_are_not) {
  for (const char* text :
       {"int a;", "#ifdef GIVEN\nint a;\n#endif",
        "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif",
        "#ifndef N\n#define N 3\n#endif\n#if N > 2u && __OPENCL_VERSION__ >= 0x78\nint a;\n#endif",
        "#ifndef __A_H__\n#define __A_H__\nint a;\n#endif", "// #ifdef X\nint a;\n// #endif",
        "/*\n#ifdef X\n*/int a;/*\n#endif\n*/", "#define F(x, y) (x > y)\n#if F(1, GIVEN)\nint a;\n#endif",
        "const char* a = \"\\\"//\";\n#if 0\nint b;\n#endif",
        "#ifdef X\n#if Y\n#error no\n#endif\n#else\n\n#endif\nint a;"}) {
    BOOST_TEST(!depends_on_vendor({text}, {"GIVEN"}), text);
  }
  // A conditional may use a name that a header of the program defines.
  BOOST_TEST(!depends_on_vendor({"#if SIZE\nint a;\n#endif", "#define SIZE 3"}, {}));
  BOOST_TEST(opencl::has_directive("int a;\n  # include <b>", "include"));
  BOOST_TEST(!opencl::has_directive("// #include <b>", "include"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
