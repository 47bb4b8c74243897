#include "platform/accelerators/emulation_arguments.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(emulation_arguments)

namespace {

using platform::EmulationOptions;

std::vector<EmulationOptions> parsed(const std::string& text) {
  auto result = parse_emulated_gpus(text);
  BOOST_TEST_REQUIRE(result.ok(), text << ": " << (result.ok() ? "" : result.failure().message));
  return std::move(result).value();
}

void refuses(const std::string& text, const std::vector<std::string>& parts) {
  const auto result = parse_emulated_gpus(text);
  BOOST_TEST_CONTEXT("'" << text << "'") {
    BOOST_TEST_REQUIRE(!result.ok());
    BOOST_TEST((result.failure().code == ErrorCode::invalid_argument));
    for (const std::string& part : parts) {
      BOOST_TEST_CONTEXT(result.failure().message << " should say " << part) {
        BOOST_TEST(result.failure().message.find(part) != std::string::npos);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_number_alone_means_so_many_of_the_usual_kind) {
  const auto all = parsed("3");
  BOOST_TEST_REQUIRE(all.size() == 3U);
  const EmulationOptions usual;
  for (const EmulationOptions& one : all) {
    BOOST_TEST(one.memory.count == usual.memory.count);
    BOOST_TEST(one.to_device_bytes_per_s == usual.to_device_bytes_per_s);
    BOOST_TEST(one.peer_bytes_per_s == 0);
    BOOST_TEST(!one.faults.any());
  }
  BOOST_TEST(parsed("64").size() == 64U);
}

BOOST_AUTO_TEST_CASE(every_option_is_understood) {
  const auto all = parsed(
      "2:memory=1.5MiB,bandwidth=8GB/s,to-host=500MB/s,latency=2.5us,peer=4GiB/s,copy-fault=0.01,kernel-fault=0.02,"
      "allocation-fault=1,lost-after=100,seed=7");
  BOOST_TEST_REQUIRE(all.size() == 2U);
  BOOST_TEST(all[0].memory.count == 3U << 19U);
  BOOST_TEST(all[0].to_device_bytes_per_s == 8e9);
  BOOST_TEST(all[0].to_host_bytes_per_s == 5e8);
  BOOST_TEST((all[0].latency == Duration(2500)));
  BOOST_TEST(all[0].peer_bytes_per_s == 4 * 0x1p30);
  BOOST_TEST(all[0].faults.copy == 0.01);
  BOOST_TEST(all[0].faults.kernel == 0.02);
  BOOST_TEST(all[0].faults.allocation == 1.0);
  BOOST_TEST(all[0].faults.lost_after == 100U);
  BOOST_TEST(all[0].faults.seed == 7U);
  // The second accelerator has another seed, so that the two accelerators do not fail at the same times.
  BOOST_TEST(all[1].faults.seed == 8U);
}

BOOST_AUTO_TEST_CASE(one_direction_wins_over_both_in_any_order) {
  for (const char* text : {"1:bandwidth=1GB/s,to-device=2GB/s", "1:to-device=2GB/s,bandwidth=1GB/s"}) {
    const auto all = parsed(text);
    BOOST_TEST(all[0].to_device_bytes_per_s == 2e9);
    BOOST_TEST(all[0].to_host_bytes_per_s == 1e9);
  }
}

BOOST_AUTO_TEST_CASE(units_are_decimal_and_binary) {
  const std::vector<std::pair<std::string, std::uint64_t>> amounts{{"64B", 64},
                                                                   {"2kB", 2000},
                                                                   {"2KB", 2000},
                                                                   {"2KiB", 2048},
                                                                   {"3MB", 3'000'000},
                                                                   {"1MiB", 1U << 20U},
                                                                   {"1GB", 1000000000U},
                                                                   {"1GiB", 1U << 30U},
                                                                   {"0.5KiB", 512},
                                                                   {"1TB", 1000000000000},
                                                                   {"1TiB", std::uint64_t{1} << 40U}};
  for (const auto& [text, bytes] : amounts) {
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(parsed("1:memory=" + text)[0].memory.count == bytes);
      BOOST_TEST(parsed("1:peer=" + text + "/s")[0].peer_bytes_per_s == static_cast<double>(bytes));
    }
  }
  BOOST_TEST((parsed("1:latency=0us")[0].latency == Duration::zero()));
  BOOST_TEST((parsed("1:latency=15ns")[0].latency == Duration(15)));
  BOOST_TEST((parsed("1:latency=2ms")[0].latency == Duration(2'000'000)));
  BOOST_TEST((parsed("1:latency=1s")[0].latency == Duration(1'000'000'000)));
}

BOOST_AUTO_TEST_CASE(how_many_must_be_a_number_from_1_to_64) {
  for (const char* text : {"", "0", "65", "-1", "two", "2x", "1.5", ":memory=1MiB", " 2", "99999999999999999999"}) {
    refuses(text, {"from 1 to 64"});
  }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_an_option_is_said) {
  for (const char* value :
       {"0MiB", "", "256", "MiB", "-1MiB", "1QiB", "1e3MiB", "2000000TiB", "1.2.3MB", "0.1B", "nan"}) {
    refuses(std::string("2:memory=") + value, {"'memory'", "such as 256MiB", std::string("'") + value + "'"});
  }
  for (const char* name : {"bandwidth", "to-device", "to-host", "peer"}) {
    for (const char* value : {"0", "0GB/s", "8GB", "8", "-8GB/s", "inf", "8GB/s/s", "8GB/ms"}) {
      refuses(std::string("2:") + name + "=" + value,
              {std::string("'") + name + "'", "such as 8GB/s", std::string("'") + value + "'"});
    }
  }
  for (const char* value : {"10", "us", "-1us", "10min", "2000000s"}) {
    refuses(std::string("1:latency=") + value, {"'latency'", "such as 10us"});
  }
  for (const char* name : {"copy-fault", "kernel-fault", "allocation-fault"}) {
    for (const char* value : {"1.5", "-0.1", "nan", "often", "1%"}) {
      refuses(std::string("1:") + name + "=" + value, {std::string("'") + name + "'", "from 0 to 1"});
    }
  }
  refuses("1:lost-after=0", {"'lost-after'", "at least 1"});
  refuses("1:lost-after=many", {"'lost-after'", "at least 1"});
  refuses("1:seed=-1", {"'seed'", "at least 0"});
}

BOOST_AUTO_TEST_CASE(unknown_options_slips_and_trailing_text_are_named) {
  refuses("2:memroy=1GiB", {"'memroy'", "is not known", "memory, bandwidth"});
  refuses("2:memory", {"'memory' is no option", "name=value"});
  refuses("2:", {"''", "name=value"});
  refuses("2:memory=1GiB,", {"''", "name=value"});
  refuses("2:memory=1GiB,,seed=1", {"''", "name=value"});
  refuses("2:=1GiB", {"'=1GiB'", "name=value"});
  refuses("2:memory=1GiB,memory=2GiB", {"'memory' is given twice"});
  refuses("2:memory=1GiB please", {"'1GiB please'"});
  refuses("2:memory=1GiB:seed=1", {"'1GiB:seed=1'"});
}

BOOST_AUTO_TEST_CASE(texts_read_back) {
  for (const char* text :
       {"1", "2:memory=64MiB", "3:memory=1000B,to-device=5GB/s,to-host=1500000B/s,latency=7000ns",
        "2:peer=1GB/s,copy-fault=0.25,kernel-fault=0.5,allocation-fault=1e-05,lost-after=9,seed=7"}) {
    BOOST_TEST(emulated_gpus_text(parse_emulated_gpus(text).value_or_throw()) == text);
  }
  BOOST_TEST(emulated_gpus_text({}) == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
