#include "actors/memory/eviction/reuse_profile.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/actors/memory/memory_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(reuse_profile)

namespace {

struct Kept {
  std::string path;
  std::vector<std::string> warnings = {};

  KeptReuseProfile open() {
    return KeptReuseProfile(path, [this](const std::string& what) { warnings.push_back(what); });
  }
};

BOOST_AUTO_TEST_CASE(the_core_counts_the_uses_of_every_handle) {
  MemoryOptions options = tiles({4});
  options.reuse_profile = std::make_shared<ReuseProfile>();
  const auto profile = options.reuse_profile;
  Driven memory(std::move(options));
  memory.run(1, 1, {read(0), write(2)});
  memory.run(2, 0, {read(2)});
  BOOST_TEST(memory.acquire_at_once(3, 0, {read(2)}));
  BOOST_TEST(profile->uses() == (std::vector<std::uint64_t>{1, 0, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_counts_where_there_is_no_file_and_the_next_one_goes_by_it) {
  const tests::TemporaryFolder folder;
  Kept kept{folder.path() + "/profile.json"};
  {
    KeptReuseProfile first = kept.open();
    BOOST_TEST(first.learned() == nullptr);
    BOOST_REQUIRE(first.recorded());
    first.recorded()->used(HandleId(1));
    first.recorded()->used(HandleId(1));
    first.save();
  }
  KeptReuseProfile second = kept.open();
  BOOST_REQUIRE(second.learned() != nullptr);
  BOOST_TEST(!second.recorded());
  BOOST_TEST(second.learned()->uses() == (std::vector<std::uint64_t>{0, 2}), boost::test_tools::per_element());
  BOOST_TEST(kept.warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_costs_a_warning_and_is_replaced) {
  for (const std::string text : {"", "{", "[]", R"({"format":"troupe reuse profile","version":2,"uses":[]})",
                                 R"({"format":"troupe reuse profile","version":1,"uses":[1,-2]})",
                                 R"({"format":"something","version":1,"uses":[1]})"}) {
    const tests::TemporaryFolder folder;
    Kept kept{folder.path() + "/profile.json"};
    std::ofstream(kept.path) << text;
    KeptReuseProfile profile = kept.open();
    BOOST_TEST(profile.learned() == nullptr);
    BOOST_REQUIRE(profile.recorded());
    BOOST_REQUIRE_EQUAL(kept.warnings.size(), 1U);
    BOOST_TEST(kept.warnings[0].find(kept.path) != std::string::npos);
    profile.recorded()->used(HandleId(0));
    profile.save();
    BOOST_TEST(read_reuse_profile(kept.path).ok());
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_costs_a_warning) {
  Kept kept{"/nowhere/at/all/profile.json"};
  KeptReuseProfile profile = kept.open();
  profile.recorded()->used(HandleId(0));
  profile.save();
  BOOST_TEST(kept.warnings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(without_a_path_nothing_is_counted_or_kept) {
  Kept kept{""};
  KeptReuseProfile profile = kept.open();
  BOOST_TEST(profile.learned() == nullptr);
  BOOST_TEST(!profile.recorded());
  profile.save();
  BOOST_TEST(kept.warnings.empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
