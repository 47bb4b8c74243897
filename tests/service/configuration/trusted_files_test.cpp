#include "service/configuration/trusted_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <utility>

#include "tests/support/skipping.hpp"
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

BOOST_AUTO_TEST_CASE(a_file_that_others_can_change_is_not_trusted) {
  const std::string file = folder.write("service.toml", "");
  for (const auto& [mode, trusted] : {std::pair{0644, true}, std::pair{0600, true}, std::pair{0666, false}}) {
    fs::permissions(file, fs::perms(mode));
    BOOST_TEST(check_trusted_file(file, ::geteuid()).ok() == trusted, mode);
  }
  fs::permissions(file, fs::perms(0644));
  fs::create_symlink("service.toml", folder.path("link.toml"));
  BOOST_TEST(check_trusted_file(folder.path("link.toml"), ::geteuid()).ok());
  fs::permissions(folder.write("plugins/other.toml", ""), fs::perms(0644));
  fs::create_symlink(folder.path("plugins/other.toml"), folder.path("far.toml"));
  BOOST_TEST(check_trusted_file(folder.path("far.toml"), ::geteuid()).ok());
  fs::permissions(folder.path("plugins"), fs::perms(0777));
  BOOST_TEST(!check_trusted_file(folder.path("far.toml"), ::geteuid()).ok());
  BOOST_TEST(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  const auto pipe = check_trusted_file(folder.path("pipe"), ::geteuid());
  BOOST_REQUIRE(!pipe.ok());
  BOOST_TEST(contains(pipe.failure().message, "is no file"), pipe.failure().message);
  BOOST_TEST(!check_trusted_file(folder.path("missing.toml"), ::geteuid()).ok());
}

BOOST_AUTO_TEST_CASE(a_place_is_found_behind_links_that_can_be_trusted_only) {
  const auto place = [this](const std::string& name) { return place_of_file(folder.path(name), ::geteuid()); };
  BOOST_TEST(place("new.log").value_or_throw() == folder.path("new.log"));
  fs::create_symlink("plugins/there.log", folder.path("link.log"));
  BOOST_TEST(place("link.log").value_or_throw() == folder.path("plugins/there.log"));
  fs::permissions(folder.path("plugins"), fs::perms(0777));
  BOOST_TEST(!place("link.log").ok());
  fs::permissions(folder.path("plugins"), fs::perms(01777));
  BOOST_TEST(place("link.log").ok());
  fs::create_symlink("circle", folder.path("circle"));
  BOOST_TEST(!place("circle").ok());
  BOOST_TEST(place_of_file("/dev/null", ::geteuid()).value_or_throw() == "/dev/null");
  BOOST_TEST(place_of_file("/dev/stderr", ::geteuid()).ok());
  if (::geteuid() != 0) return tests::skip("only root can give files away");
  const auto give_away = [](const std::string& path) { BOOST_TEST(::lchown(path.c_str(), 65534, 65534) == 0); };
  give_away(folder.path("link.log"));
  BOOST_TEST(contains(place("link.log").failure().message, "belongs to user 65534"));
  fs::create_symlink("plugins/other.log", folder.path("second.log"));
  give_away(folder.path("plugins"));
  BOOST_TEST(!place("second.log").ok());
  give_away(folder.write("theirs.log", ""));
  BOOST_TEST(!place("theirs.log").ok());
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
  // The files belong to this user. The service of another user does not trust files of this user, unless this user is
  // root.
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
