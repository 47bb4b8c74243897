#include "platform/opencl/opencl_search.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_search)

namespace {

using tests::contains;
using tests::EnvironmentVariable;
using tests::TemporaryFolder;
using Libraries = std::vector<std::string>;
const auto kEachLibrary = boost::test_tools::per_element();

/// Returns the libraries that the search finds. Checks that nothing is skipped.
Libraries found_by(const OpenClSearch& search) {
  const OpenClDrivers found = find_opencl_drivers(search);
  for (const SkippedOpenCl& skipped : found.skipped) BOOST_ERROR(skipped.what << ": " << skipped.why);
  Libraries libraries;
  for (const OpenClDriver& driver : found.drivers) libraries.push_back(driver.library);
  return libraries;
}

/// Returns the only skipped item. Checks that the search finds no library.
SkippedOpenCl skipped_by(const OpenClSearch& search) {
  const OpenClDrivers found = find_opencl_drivers(search);
  BOOST_TEST(found.drivers.empty());
  BOOST_TEST_REQUIRE(found.skipped.size() == 1U);
  return found.skipped[0];
}

}  // namespace

BOOST_AUTO_TEST_CASE(icd_files_of_the_standard_folder_are_taken_by_their_names) {
  const TemporaryFolder folder;
  folder.write("pocl.icd", "libpocl.so.2\n");
  folder.write("amd.icd", "/opt/amd/libamd.so");
  folder.write("README", "no driver");
  folder.write("old.icd.bak", "libold.so");
  const OpenClSearch search{.standard_folder = folder.path()};
  BOOST_TEST(found_by(search) == (Libraries{"/opt/amd/libamd.so", "libpocl.so.2"}), kEachLibrary);
  BOOST_TEST(find_opencl_drivers(search).drivers[0].named_by == folder.path("amd.icd"));
}

BOOST_AUTO_TEST_CASE(nothing_is_said_where_nothing_is_installed) {
  BOOST_TEST(found_by({.standard_folder = "/no/such/folder"}).empty());
  const TemporaryFolder empty;
  BOOST_TEST(found_by({.standard_folder = empty.path()}).empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_was_chosen_and_is_not_there_is_said) {
  const SkippedOpenCl skipped = skipped_by({.vendor_path = "/no/such/folder"});
  BOOST_TEST(skipped.what == "/no/such/folder");
  BOOST_TEST(contains(skipped.why, "No such file"));
}

BOOST_AUTO_TEST_CASE(opencl_vendor_path_replaces_the_standard_folder) {
  const TemporaryFolder standard;
  const TemporaryFolder chosen;
  standard.write("a.icd", "libstandard.so");
  chosen.write("a.icd", "libchosen.so");
  const OpenClSearch search{.vendor_path = chosen.path(), .standard_folder = standard.path()};
  BOOST_TEST(found_by(search) == Libraries{"libchosen.so"}, kEachLibrary);
}

BOOST_AUTO_TEST_CASE(ocl_icd_vendors_may_be_a_folder_which_goes_before_opencl_vendor_path) {
  const TemporaryFolder path;
  const TemporaryFolder vendors;
  path.write("a.icd", "libpath.so");
  vendors.write("a.icd", "libvendors.so");
  const OpenClSearch search{.vendors = vendors.path(), .vendor_path = path.path(), .standard_folder = path.path()};
  BOOST_TEST(found_by(search) == Libraries{"libvendors.so"}, kEachLibrary);
}

BOOST_AUTO_TEST_CASE(ocl_icd_vendors_may_be_an_icd_file_by_its_path) {
  const TemporaryFolder standard;
  standard.write("a.icd", "liba.so");
  const TemporaryFolder other;
  const OpenClSearch search{.vendors = other.write("one.icd", "libone.so"), .standard_folder = standard.path()};
  BOOST_TEST(found_by(search) == Libraries{"libone.so"}, kEachLibrary);
}

BOOST_AUTO_TEST_CASE(an_icd_file_without_a_slash_is_looked_for_in_the_folder_first) {
  const TemporaryFolder standard;
  const TemporaryFolder chosen;
  standard.write("a.icd", "libstandard.so");
  chosen.write("a.icd", "libchosen.so");
  BOOST_TEST(found_by({.vendors = "a.icd", .standard_folder = standard.path()}) == Libraries{"libstandard.so"},
             kEachLibrary);
  BOOST_TEST(found_by({.vendors = "a.icd", .vendor_path = chosen.path(), .standard_folder = standard.path()}) ==
                 Libraries{"libchosen.so"},
             kEachLibrary);
  // The text is taken as a file in the current folder, which has no such file.
  const SkippedOpenCl skipped = skipped_by({.vendors = "none.icd", .standard_folder = standard.path()});
  BOOST_TEST(skipped.what == "none.icd");
  BOOST_TEST(contains(skipped.why, "No such file"));
}

BOOST_AUTO_TEST_CASE(ocl_icd_vendors_is_else_the_library_itself) {
  const TemporaryFolder standard;
  standard.write("a.icd", "liba.so");
  const OpenClSearch search{.vendors = "libone.so.1", .standard_folder = standard.path()};
  BOOST_TEST(found_by(search) == Libraries{"libone.so.1"}, kEachLibrary);
  BOOST_TEST(find_opencl_drivers(search).drivers[0].named_by == "OCL_ICD_VENDORS");
}

BOOST_AUTO_TEST_CASE(ocl_icd_filenames_come_before_the_folder) {
  const TemporaryFolder standard;
  standard.write("a.icd", "liba.so");
  const TemporaryFolder other;
  const std::string icd = other.write("b.icd", "libb.so");
  const OpenClSearch search{.file_names = ":libc.so: " + icd + "::/opt/libd.so", .standard_folder = standard.path()};
  BOOST_TEST(found_by(search) == (Libraries{"libc.so", "libb.so", "/opt/libd.so", "liba.so"}), kEachLibrary);
  BOOST_TEST(find_opencl_drivers(search).drivers[0].named_by == "OCL_ICD_FILENAMES");
}

BOOST_AUTO_TEST_CASE(the_first_line_of_an_icd_file_names_the_library) {
  BOOST_TEST(library_named_in("libpocl.so.2") == "libpocl.so.2");
  BOOST_TEST(library_named_in("libpocl.so.2\n") == "libpocl.so.2");
  BOOST_TEST(library_named_in(" /opt/with blank/lib.so\t\r\nlibother.so\n") == "/opt/with blank/lib.so");
  BOOST_TEST(library_named_in("") == "");
  BOOST_TEST(library_named_in("\nlibpocl.so.2\n") == "");
}

BOOST_AUTO_TEST_CASE(icd_files_that_cannot_be_used_are_said_and_hide_no_other) {
  const TemporaryFolder folder;
  folder.write("empty.icd", "");
  std::filesystem::create_directory(folder.path("folder.icd"));
  std::filesystem::create_symlink("/no/such/file", folder.path("gone.icd"));
  folder.write("large.icd", std::string(std::size_t{2} << 20U, 'x'));
  folder.write("usable.icd", "liba.so");
  const OpenClDrivers found = find_opencl_drivers({.standard_folder = folder.path()});
  BOOST_TEST_REQUIRE(found.drivers.size() == 1U);
  BOOST_TEST(found.drivers[0].library == "liba.so");
  BOOST_TEST_REQUIRE(found.skipped.size() == 4U);
  const Libraries names{"empty.icd", "folder.icd", "gone.icd", "large.icd"};
  const Libraries reasons{"is empty", "Is a directory", "No such file", "too large"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    BOOST_TEST(found.skipped[i].what == folder.path(names[i]));
    BOOST_TEST(contains(found.skipped[i].why, reasons[i]), found.skipped[i].why);
  }
}

BOOST_AUTO_TEST_CASE(the_environment_is_read) {
  const EnvironmentVariable names("OCL_ICD_FILENAMES", "a");
  const EnvironmentVariable vendors("OCL_ICD_VENDORS", "b");
  const EnvironmentVariable path("OPENCL_VENDOR_PATH", "c");
  const OpenClSearch search = opencl_search_of_environment();
  BOOST_TEST(search.file_names == "a");
  BOOST_TEST(search.vendors == "b");
  BOOST_TEST(search.vendor_path == "c");
  BOOST_TEST(search.standard_folder == "/etc/OpenCL/vendors");
}

BOOST_AUTO_TEST_CASE(libraries_that_unite_others_and_loaders_are_not_loaded) {
  BOOST_TEST(contains(why_not_to_load("libsocl-1.3.so.0"), "SOCL"));
  BOOST_TEST(contains(why_not_to_load("/usr/lib/libsocl-1.4.so"), "SOCL"));
  BOOST_TEST(contains(why_not_to_load("/usr/lib/libOpenCL.so.1"), "loader"));
  BOOST_TEST(why_not_to_load("libpocl.so.2.10.0") == "");
  BOOST_TEST(why_not_to_load("/opt/libsocl/libnvidia-opencl.so.1") == "");
}

BOOST_AUTO_TEST_CASE(platforms_that_unite_others_and_troupes_own_are_not_used) {
  BOOST_TEST(contains(why_not_to_use("Troupe", "TROUPE"), "Troupe itself"));
  BOOST_TEST(contains(why_not_to_use("SOCL Platform", "SOCL"), "SOCL"));
  BOOST_TEST(contains(why_not_to_use("StarPU's OpenCL", ""), "StarPU"));
  BOOST_TEST(why_not_to_use("Portable Computing Language", "POCL") == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
