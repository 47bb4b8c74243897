#include "platform/files/atomic_file.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/file_size_limit.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

namespace atomic_file {

using tests::contains;
using tests::FileSizeLimit;
using tests::TemporaryFolder;
using Names = std::vector<std::string>;

struct AtomicFileFixture {
  TemporaryFolder folder;

  void fails(const std::string& path, std::string_view part) {
    const auto written = write_file(path, "text");
    BOOST_TEST_REQUIRE(!written.ok());
    BOOST_TEST((written.failure().code == ErrorCode::io));
    BOOST_TEST_CONTEXT("message: " << written.failure().message) BOOST_TEST(contains(written.failure().message, part));
  }
};

}  // namespace atomic_file

BOOST_FIXTURE_TEST_SUITE(atomic_file, AtomicFileFixture)

BOOST_AUTO_TEST_CASE(creates_and_replaces) {
  BOOST_TEST(write_file(folder.path("a"), "one").ok());
  BOOST_TEST(folder.read("a") == "one");
  BOOST_TEST(write_file(folder.path("a"), "").ok());
  BOOST_TEST(folder.read("a").empty());
  BOOST_TEST(folder.names() == Names{"a"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keeps_the_old_file_until_the_commit) {
  folder.write("a", "old");
  auto file = AtomicFile::create(folder.path("a"));
  BOOST_TEST_REQUIRE(file.ok());
  BOOST_TEST(file.value().write("new").ok());
  BOOST_TEST(folder.read("a") == "old");
  BOOST_TEST(file.value().commit().ok());
  BOOST_TEST(folder.read("a") == "new");
}

BOOST_AUTO_TEST_CASE(leaves_nothing_behind_without_a_commit) {
  {
    auto file = AtomicFile::create(folder.path("a"));
    BOOST_TEST_REQUIRE(file.ok());
    AtomicFile moved = std::move(file).value();
    BOOST_TEST(moved.write("half").ok());
    BOOST_TEST(folder.names().size() == 1U);
  }
  BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(leaves_nothing_behind_when_the_disk_fills_up) {
  folder.write("a", "old");
  {
    const FileSizeLimit limit(1000);
    const auto written = write_file(folder.path("a"), std::string(5000, 'x'));
    BOOST_TEST_REQUIRE(!written.ok());
    BOOST_TEST(contains(written.failure().message, folder.path("a")));
  }
  BOOST_TEST(folder.read("a") == "old");
  BOOST_TEST(folder.names() == Names{"a"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(writes_devices_directly) {
  fails("/dev/full", "No space left");
  BOOST_TEST(write_file("/dev/null", "text").ok());
  BOOST_TEST(std::filesystem::is_character_file("/dev/null"));
}

BOOST_AUTO_TEST_CASE(follows_symbolic_links) {
  folder.write("target", "old");
  std::filesystem::create_symlink("target", folder.path("link"));
  BOOST_TEST(write_file(folder.path("link"), "new").ok());
  BOOST_TEST(std::filesystem::is_symlink(folder.path("link")));
  BOOST_TEST(folder.read("target") == "new");
}

BOOST_AUTO_TEST_CASE(gives_the_permissions_of_any_new_file) {
  const auto mask = ::umask(027);
  BOOST_TEST(write_file(folder.path("a"), "x").ok());
  ::umask(mask);
  BOOST_TEST((std::filesystem::status(folder.path("a")).permissions() == std::filesystem::perms(0640)));
}

BOOST_AUTO_TEST_CASE(writes_names_as_long_as_the_file_system_allows) {
  BOOST_TEST(write_file(folder.path(std::string(255, 'n')), "x").ok());
}

BOOST_AUTO_TEST_CASE(names_the_file_and_the_cause) {
  fails(folder.path("none/a"), "none/a': No such file or directory");
  fails(folder.path(), "Is a directory");
  fails(folder.path("a/"), "Is a directory");
  fails("", "No such file");
  folder.write("file", "");
  fails(folder.path("file/a"), "Not a directory");
  fails(folder.path(std::string(256, 'n')), "name too long");
  BOOST_TEST(folder.names() == Names{"file"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(respects_permissions) {
  if (::geteuid() == 0) {
    tests::skip("root may write everything");
    return;
  }
  std::filesystem::permissions(folder.write("a", "old"), std::filesystem::perms::owner_read);
  fails(folder.path("a"), "Permission denied");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  fails(folder.path("b"), "Permission denied");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
