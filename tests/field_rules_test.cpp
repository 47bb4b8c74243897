// Tests of the rule that keeps types small, and of the whole tree against it.
#include "tests/field_rules.hpp"

#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(field_rules)

namespace {

/// The largest number of fields of a type that users see, and of any other type.
constexpr std::size_t kMostPublic = 12;
constexpr std::size_t kMost = 25;

/// Returns true if the rules hold for the file. The structs of the interface for C are flat, so that programs of other
/// languages can describe them.
bool is_counted(const std::string& path) {
  const bool is_of_tests = path.starts_with("tests/") || path.starts_with("lab/") || path.starts_with("gallery/");
  return !is_of_tests && !path.ends_with(".h");
}
bool is_public(const std::string& path) { return path.starts_with("include/"); }

std::size_t fields_of(const std::string& text) {
  const auto types = count_fields({"x.hpp", text});
  return types.empty() ? 0 : types.front().fields;
}

BOOST_AUTO_TEST_CASE(fields_are_counted_and_nothing_else) {
  BOOST_TEST(fields_of("struct X {\n  int a = 0;\n  std::map<int, std::pair<int, int>> b;\n};") == 2U);
  BOOST_TEST(fields_of("struct X {\n  int a = f(1, 2);  // int b;\n  char c = '{', d = ';';\n};") == 3U);
  BOOST_TEST(
      fields_of("class X {\n public:\n  X() : a_{1} {}\n  int f() const { return a_; }\n private:\n  int a_;\n};") ==
      1U);
  BOOST_TEST(fields_of("struct X {\n  std::function<void(int)> f = nullptr;\n  void (*g)(int) = nullptr;\n};") == 2U);
  BOOST_TEST(fields_of("struct alignas(64) X {\n  std::atomic<int> a{0};\n  int b TROUPE_GUARDED_BY(mutex_);\n};") ==
             2U);
  BOOST_TEST(
      fields_of(
          "struct X {\n  static constexpr int a = 1;\n  using Y = int;\n  X& operator=(const X&) = delete;\n};") == 0U);
  BOOST_TEST(
      fields_of("struct X {\n  struct Y {\n    int a;\n    int b;\n  };\n  Y y;\n  enum class Z { one, two };\n};") ==
      1U);
  BOOST_TEST(fields_of("struct X {\n  union {\n    int a;\n    float b;\n  };\n  int c;\n};") == 1U);
  BOOST_TEST(fields_of("enum class X { one, two };") == 0U);
  const auto types =
      count_fields({"x.hpp", "struct X;\ntemplate <class T>\nstruct Y : Z<T> {\n  int a;\n};\nclass W {};"});
  BOOST_REQUIRE(types.size() == 2U);
  BOOST_TEST((types[0] == CountedType{"x.hpp", "Y", 1}));
  BOOST_TEST((types[1] == CountedType{"x.hpp", "W", 0}));
}

BOOST_AUTO_TEST_CASE(no_type_of_this_tree_has_too_many_fields) {
  std::size_t types = 0;
  for (const SourceFile& file : read_tree(TROUPE_SOURCE_DIR)) {
    if (!is_counted(file.path)) continue;
    for (const CountedType& type : count_fields(file)) {
      ++types;
      const std::size_t most = is_public(type.path) ? kMostPublic : kMost;
      if (type.fields > most) {
        BOOST_ERROR(type.path << ": " << type.name << " has " << type.fields << " fields, and may have " << most
                              << ": put those that belong together into a type of their own");
      }
    }
  }
  BOOST_TEST(types > 500U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
