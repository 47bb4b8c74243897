#include "service/configuration/trusted_files.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

namespace trusted_files {

namespace fs = std::filesystem;
using tests::contains;

struct Fixture {
  Fixture() {
    fs::create_directories(folder.path("plugins/below"));
    for (const char* name : {"plugins", "plugins/below"}) fs::permissions(folder.path(name), fs::perms(0755));
    for (const char* name : {"plugins/b.so", "plugins/a.so", "plugins/readme.txt", "elsewhere.so"}) {
      fs::permissions(folder.write(name, "x"), fs::perms(0644));
    }
  }
  [[nodiscard]] Result<TrustedFolder> look(const std::string& name = "plugins") const {
    return look_at_trusted_folder(folder.path(name), ::geteuid());
  }
  tests::TemporaryFolder folder;
};

}  // namespace trusted_files

BOOST_FIXTURE_TEST_SUITE(trusted_files, Fixture)

BOOST_AUTO_TEST_CASE(shared_objects_are_listed_by_name) {
  const auto found = look();
  BOOST_REQUIRE_MESSAGE(found.ok(), (found ? "" : found.failure().message));
  BOOST_REQUIRE(found.value().files.size() == 2U);
  BOOST_TEST(found.value().files[0] == folder.path("plugins/a.so"));
  BOOST_TEST(found.value().files[1] == folder.path("plugins/b.so"));
  BOOST_TEST(found.value().refused.empty());
  BOOST_TEST(look("plugins/").ok());
  BOOST_TEST(look("plugins/below/..").ok());
}

BOOST_AUTO_TEST_CASE(folders_that_others_can_write_are_refused_and_so_is_what_lies_below) {
  for (const auto mode : {0775, 0757, 0777}) {
    fs::permissions(folder.path("plugins"), fs::perms(mode));
    for (const char* name : {"plugins", "plugins/below"}) {
      const auto found = look(name);
      BOOST_REQUIRE(!found.ok());
      BOOST_TEST(contains(found.failure().message, "chmod go-w"), found.failure().message);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_sticky_folder_may_be_above_but_not_hold_plugins) {
  fs::permissions(folder.path("plugins"), fs::perms(01777));
  BOOST_TEST(!look("plugins").ok());
  BOOST_TEST(look("plugins/below").ok());
}

BOOST_AUTO_TEST_CASE(files_that_others_can_write_are_left_out) {
  fs::permissions(folder.path("plugins/a.so"), fs::perms(0664));
  const auto found = look();
  BOOST_REQUIRE(found.ok());
  BOOST_TEST(found.value().files.size() == 1U);
  BOOST_REQUIRE(found.value().refused.size() == 1U);
  BOOST_TEST(contains(found.value().refused[0], "plugins/a.so"));
}

BOOST_AUTO_TEST_CASE(symbolic_links_lead_to_files_of_the_same_folder_only) {
  fs::create_symlink(folder.path("elsewhere.so"), folder.path("plugins/out.so"));
  fs::create_symlink("a.so", folder.path("plugins/in.so"));
  fs::create_symlink("missing.so", folder.path("plugins/nowhere.so"));
  const auto found = look();
  BOOST_REQUIRE(found.ok());
  BOOST_TEST(found.value().files.size() == 3U);
  BOOST_TEST(found.value().refused.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_path_through_a_symbolic_link_is_refused) {
  fs::create_symlink(folder.path("plugins"), folder.path("link"));
  BOOST_TEST(contains(look("link").failure().message, "symbolic link"));
  BOOST_TEST(contains(look("link/below").failure().message, "symbolic link"));
}

BOOST_AUTO_TEST_CASE(what_belongs_to_others_is_refused) {
  // The files are ours; a service of another user does not trust us, unless we are root.
  const auto found = look_at_trusted_folder(folder.path("plugins"), ::geteuid() + 1);
  BOOST_TEST(found.ok() == (::geteuid() == 0));
  if (::geteuid() != 0) return;
  BOOST_REQUIRE(::chown(folder.path("plugins/a.so").c_str(), 12345, 12345) == 0);
  BOOST_TEST(look().value().files.size() == 1U);
  BOOST_REQUIRE(::chown(folder.path("plugins").c_str(), 12345, 12345) == 0);
  BOOST_TEST(contains(look().failure().message, "belongs to user 12345"));
}

BOOST_AUTO_TEST_CASE(what_is_no_folder_is_refused) {
  BOOST_TEST(!look("missing").ok());
  BOOST_TEST(!look("plugins/a.so").ok());
  BOOST_TEST(!look_at_trusted_folder("relative", ::geteuid()).ok());
  BOOST_TEST(!look_at_trusted_folder("", ::geteuid()).ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
