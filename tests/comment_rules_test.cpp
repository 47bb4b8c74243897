#include "tests/comment_rules.hpp"

#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <ostream>
#include <string>
#include <vector>

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(comment_rules)

namespace {

/// Returns the numbers of the lines whose comments are refused.
std::vector<int> refused(const std::string& text, const std::string& path = "graph/a.hpp") {
  std::vector<int> lines;
  for (const Fragment& fragment : check_comments({{path, text}})) lines.push_back(fragment.line);
  return lines;
}

BOOST_AUTO_TEST_CASE(a_comment_that_opens_with_a_fragment_is_refused) {
  const std::vector<int> first{1};
  BOOST_TEST(refused("/// Of the plan's; null where it is none of these.\n") == first);
  BOOST_TEST(refused("int a;  // Whose tasks it has stolen.\n") == first);
  BOOST_TEST(refused("int a;  ///< That may have pieces left.\n") == first);
  BOOST_TEST(refused("  // The same for GPUs.\n") == first);
  BOOST_TEST(refused("int a = 5;  // of a chunk\n") == first);
}

BOOST_AUTO_TEST_CASE(sentences_pass_and_so_does_what_only_looks_alike) {
  const std::vector<int> none;
  BOOST_TEST(refused("/// The victim of the last theft.\n/// Of all workers it has the most tasks.\n") == none);
  BOOST_TEST(refused("// Offsets are bytes.\n// Whatever\n") == none);
  BOOST_TEST(refused("const char* text = \"// Of a text\";\n") == none);
}

BOOST_AUTO_TEST_CASE(a_comment_of_another_kind_is_a_comment_of_its_own) {
  const std::vector<int> second{2};
  BOOST_TEST(refused("/// The victim.\n// Of it more is said here.\n") == second);
  BOOST_TEST(refused("int a;\n// Which of them?\n") == second);
}

BOOST_AUTO_TEST_CASE(a_block_is_a_comment_of_its_own) {
  const std::vector<int> none;
  for (const char* path : {"c/a.h", "c/a.c", "kernels/cuda/cuda_a.cu", "a.cl", "service/page/a.js",
                           "service/page/a.css", "cmake/exports.map"}) {
    BOOST_TEST(refused("/* A comment.\n   Of more lines. */\n/**\n * Whose? */ a\n", path) == std::vector<int>{3});
    BOOST_TEST(refused("/* The comment. */\n", path) == none);
  }
  BOOST_TEST(refused("f(\"/* Of a text */\");\n// The first /* of these */\n") == none);
}

/// Checks comments in a file with code that looks like a fragment but is none.
void check_language(const std::string& path, const std::string& mark, const std::string& code) {
  BOOST_TEST_CONTEXT(path) {
    BOOST_TEST(refused(code + "\n" + mark + " The comment.\n" + mark + " Of it.\n" + code, path) == std::vector<int>{});
    BOOST_TEST(refused("a\n" + mark + " Whose?\n" + code, path) == std::vector<int>{2});
    BOOST_TEST(refused("a  " + mark + " That\n" + code, path) == std::vector<int>{1});
  }
}

BOOST_AUTO_TEST_CASE(each_language_has_its_own_marks) {
  check_language("c/a.c", "//", "#pragma Of\n#define Of 1\nputs(\"// Of\");");
  check_language("service/page/a.js", "//", "open('// Of', \"http://Of.com\");");
  check_language("kernels/cuda/cuda_a.cu", "//", "a<<<1, '\"'>>>();");
  check_language("opencl/a.cl", "//", "// a = 'Of';");
  check_language("proto/wire/a.proto", "//", "string url = 1 [default = \"// Of\"];");
  check_language("fortran/a.f90", "!", "print *, 'it''s ! Of', \"! Of\"");
  check_language("fortran/a.f90.in", "!", "print *, '! Of'");
  check_language("python/a.py", "#", "a = 'it\\'s # Of'  # noqa");
  check_language("graph/CMakeLists.txt", "#", "message(\"# Of\")");
  check_language("cmake/A.cmake", "#", "set(a \"\\\" # Of\")");
  check_language("service/systemd/a.toml", "#", "a = \"# Of\"");
  check_language(".clang-tidy", "#", "a: '# Of'");
  check_language(".ci/a.yml", "#", "a: b#Of");
}

BOOST_AUTO_TEST_CASE(a_docstring_is_a_comment) {
  const std::vector<int> second{2};
  BOOST_TEST(refused("def f():\n    \"\"\"Of all rows.\n    # Of a text.\n    \"\"\"\n", "a.py") == second);
  BOOST_TEST(refused("\"\"\"The rows.\"\"\"\n# Of these.\n", "a.py") == second);
}

BOOST_AUTO_TEST_CASE(a_script_is_known_by_its_first_line) {
  const std::vector<int> none;
  const std::vector<int> second{2};
  BOOST_TEST(refused("#!/bin/sh\n# What must pass.\n", ".ci/run") == second);
  BOOST_TEST(refused("#!/usr/bin/make -f\na:\n\tb\n# Whose?\n", "packaging/debian/rules") == std::vector<int>{4});
  BOOST_TEST(refused("#!/usr/bin/env python3\n\"\"\"Of all rows.\"\"\"\n", "a.py") == second);
  BOOST_TEST(refused("#!/bin/sh\n# Runs what must pass.\n[ $# = 1 ] || echo \"# Of\" ${a# Of}\n", ".ci/run") == none);
  BOOST_TEST(refused("# Of a text\n", "LICENSE") == none);
}

BOOST_AUTO_TEST_CASE(the_comments_of_this_tree_are_sentences) {
  for (const Fragment& fragment : check_comments(read_commented(TROUPE_SOURCE_DIR))) {
    BOOST_ERROR(fragment.path << ":" << fragment.line << ": '" << fragment.text
                              << "': a comment is a sentence with a subject; name what it speaks of");
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
