#include "platform/files/dynamic_library.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.hpp"

using troupe::ErrorCode;
using troupe::Result;
using troupe::platform::DynamicLibrary;

BOOST_AUTO_TEST_SUITE(dynamic_library)

BOOST_AUTO_TEST_CASE(functions_of_a_library_that_the_loader_finds_can_be_called) {
  Result<DynamicLibrary> library = DynamicLibrary::open("libm.so.6", {}, {});
  BOOST_TEST_REQUIRE(library.ok());
  BOOST_TEST(library.value().path() == "libm.so.6");
  Result<void*> cosine = library.value().find("cos");
  BOOST_TEST_REQUIRE(cosine.ok());
  BOOST_TEST(reinterpret_cast<double (*)(double)>(cosine.value())(0.0) == 1.0);
}

BOOST_AUTO_TEST_CASE(a_function_that_is_not_there_is_named) {
  Result<DynamicLibrary> library = DynamicLibrary::open("libm.so.6", {}, {});
  BOOST_TEST_REQUIRE(library.ok());
  const Result<void*> none = library.value().find("no_such_function");
  BOOST_TEST_REQUIRE(!none.ok());
  BOOST_TEST((none.failure().code == ErrorCode::platform));
  BOOST_TEST(none.failure().message.find("no_such_function") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_library_that_is_nowhere_is_named_with_every_place) {
  const std::array<std::string, 2> before{"", "/first/place"};
  const std::array<std::string, 1> after{"/last/place"};
  const Result<DynamicLibrary> none = DynamicLibrary::open("libnosuch.so.1", before, after);
  BOOST_TEST_REQUIRE(!none.ok());
  const std::string& message = none.failure().message;
  const auto first = message.find("/first/place/libnosuch.so.1");
  const auto last = message.find("/last/place/libnosuch.so.1");
  BOOST_TEST(first != std::string::npos);
  BOOST_TEST(last != std::string::npos);
  BOOST_TEST(first < last);
}

BOOST_AUTO_TEST_CASE(a_place_without_the_library_does_not_hide_the_next) {
  const std::array<std::string, 1> before{"/first/place"};
  BOOST_TEST(DynamicLibrary::open("libm.so.6", before, {}).ok());
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_off_is_an_error_and_no_signal) {
  const Result<DynamicLibrary> math = DynamicLibrary::open("libm.so.6", {}, {});
  BOOST_TEST_REQUIRE(math.ok());
  const troupe::tests::TemporaryFolder folder;
  const std::string copy = folder.path("libcut.so");
  std::filesystem::copy_file(math.value().file(), copy);
  const auto whole = std::filesystem::file_size(copy);
  for (const std::uintmax_t size :
       {whole / 2, whole / 4, std::uintmax_t{4096}, std::uintmax_t{100}, std::uintmax_t{64}}) {
    std::filesystem::resize_file(copy, size);
    const Result<DynamicLibrary> cut = DynamicLibrary::open(copy, {}, {});
    BOOST_TEST_REQUIRE(!cut.ok());
    BOOST_TEST(cut.failure().message.find("cut off") != std::string::npos, cut.failure().message);
    BOOST_TEST(cut.failure().message.find(std::to_string(size)) != std::string::npos, cut.failure().message);
  }
  for (const char* content : {"", "text", "\177ELF"}) {
    BOOST_TEST(!DynamicLibrary::open(folder.write("libno.so", content), {}, {}).ok());
  }
}

BOOST_AUTO_TEST_CASE(a_library_is_the_same_under_every_name) {
  const Result<DynamicLibrary> math = DynamicLibrary::open("libm.so.6", {}, {});
  const Result<DynamicLibrary> other = DynamicLibrary::open("libc.so.6", {}, {});
  BOOST_TEST_REQUIRE((math.ok() && other.ok()));
  const std::string file = math.value().file();
  BOOST_TEST(file == std::filesystem::canonical(file).string());
  const troupe::tests::TemporaryFolder folder;
  std::filesystem::create_symlink(file, folder.path("libother.so"));
  const Result<DynamicLibrary> linked = DynamicLibrary::open(folder.path("libother.so"), {}, {});
  BOOST_TEST_REQUIRE(linked.ok());
  BOOST_TEST((linked.value() == math.value()));
  BOOST_TEST(linked.value().file() == file);
  BOOST_TEST((other.value() != math.value()));
}

BOOST_AUTO_TEST_CASE(a_library_knows_what_is_part_of_it) {
  const Result<DynamicLibrary> library = DynamicLibrary::open("libm.so.6", {}, {});
  BOOST_TEST_REQUIRE(library.ok());
  BOOST_TEST(library.value().has(library.value().find("cos").value()));
  static const int ours = 0;
  BOOST_TEST(!library.value().has(&ours));
  BOOST_TEST(!library.value().has(nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
