#include "service/http/token_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

namespace token_file {

using tests::contains;

struct Fixture {
  Result<std::string> read(const std::string& text, unsigned mode = 0600) {
    const std::string path = folder.write("token", text);
    std::filesystem::permissions(path, std::filesystem::perms(mode));
    return read_token(path, ::geteuid());
  }
  tests::TemporaryFolder folder;
};

}  // namespace token_file

BOOST_FIXTURE_TEST_SUITE(token_file, Fixture)

BOOST_AUTO_TEST_CASE(the_token_is_read_without_white_space_around_it) {
  BOOST_TEST(read(" 0123456789abcdef\r\n").value_or_throw() == "0123456789abcdef");
  BOOST_TEST(read("0123456789abcdef", 0400).ok());
  BOOST_TEST(read(std::string(256, 'x')).ok());
}

BOOST_AUTO_TEST_CASE(files_that_others_can_read_are_refused) {
  for (const unsigned mode : {0640U, 0604U, 0620U, 0602U, 0644U, 0666U}) {
    const auto token = read("0123456789abcdef", mode);
    BOOST_REQUIRE(!token.ok());
    BOOST_TEST(contains(token.failure().message, "chmod 600"), token.failure().message);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_token_is_refused) {
  for (const std::string& text : {std::string(), std::string("short"), std::string("two words are not one token"),
                                  std::string("0123456789abcdef\nfedcba9876543210"), std::string("0123456789abcde\xff"),
                                  std::string(257, 'x'), std::string("0123456789abcdef+/"), std::string(100000, 'x')}) {
    BOOST_TEST(!read(text).ok(), text.substr(0, 40));
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_plain_file_is_refused_and_does_not_hold_up) {
  BOOST_TEST(!read_token(folder.path("missing"), ::geteuid()).ok());
  BOOST_TEST(!read_token(folder.path(), ::geteuid()).ok());
  BOOST_REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  BOOST_TEST(!read_token(folder.path("pipe"), ::geteuid()).ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
