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
std::vector<int> refused(const std::string& text) {
  std::vector<int> lines;
  for (const Fragment& fragment : check_comments({{"graph/a.hpp", text}})) lines.push_back(fragment.line);
  return lines;
}

BOOST_AUTO_TEST_CASE(a_comment_that_opens_with_a_fragment_is_refused) {
  const std::vector<int> first{1};
  BOOST_TEST(refused("/// Of the plan's; null where it is none of these.\n") == first);
  BOOST_TEST(refused("int a;  // Whose tasks it has stolen.\n") == first);
  BOOST_TEST(refused("int a;  ///< That may have pieces left.\n") == first);
  BOOST_TEST(refused("  // The same for GPUs.\n") == first);
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

BOOST_AUTO_TEST_CASE(the_comments_of_this_tree_are_sentences) {
  for (const Fragment& fragment : check_comments(read_tree(TROUPE_SOURCE_DIR))) {
    BOOST_ERROR(fragment.path << ":" << fragment.line << ": '" << fragment.text
                              << "': a comment is a sentence with a subject; name what it speaks of");
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
