#include "platform/cuda/cuda_devices.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_objects.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe::platform;
using troupe::tests::contains;
using troupe::tests::CudaFixture;
using troupe::tests::EnvironmentVariable;
using troupe::tests::FakeCudaOptions;

BOOST_AUTO_TEST_SUITE(cuda_devices)

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Returns the message that says why there are no GPUs.
std::string why_none() {
  const auto devices = list_cuda_devices();
  BOOST_TEST_REQUIRE(!devices.ok());
  BOOST_TEST((devices.failure().code == ErrorCode::platform));
  // Opening a GPU must fail with this message, too.
  const auto opened = open_cuda_accelerator(0);
  BOOST_TEST_REQUIRE(!opened.ok());
  BOOST_TEST(opened.failure().message == devices.failure().message);
  return devices.failure().message;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_gpu_is_listed_with_its_name_and_memory) {
  const CudaFixture fixture({.devices = 3, .memory = 64 * kMiB});
  if (!fixture.needs_fake()) return;
  const auto devices = list_cuda_devices();
  BOOST_TEST_REQUIRE(devices.ok());
  BOOST_TEST_REQUIRE(devices.value().size() == 3U);
  for (int i = 0; i < 3; ++i) {
    const CudaDeviceInfo& info = devices.value()[static_cast<std::size_t>(i)];
    BOOST_TEST(info.index == i);
    BOOST_TEST(info.name == "Fake GPU " + std::to_string(i));
    BOOST_TEST(info.memory.count == 64 * kMiB);
    BOOST_TEST(!info.free.has_value());
    BOOST_TEST(info.major == 9);
    BOOST_TEST(info.bus_id == "0000:0" + std::to_string(i + 1) + ":00.0");
  }
}

BOOST_AUTO_TEST_CASE(the_peak_rate_follows_from_units_and_clock) {
  struct Model {
    const char* name;
    int major;
    int minor;
    int multiprocessors;
    int clock_mhz;
    int ratio;
    /// The manufacturer's peak rates, in TFlop/s.
    double in_float;
    double in_double;
  };
  for (const Model& model :
       {Model{"P100", 6, 0, 56, 1480, 2, 10.6, 5.3}, Model{"P40", 6, 1, 30, 1531, 32, 11.8, 0.37},
        Model{"V100", 7, 0, 80, 1530, 2, 15.7, 7.8}, Model{"T4", 7, 5, 40, 1590, 32, 8.1, 0.25},
        Model{"A100", 8, 0, 108, 1410, 2, 19.5, 19.5}, Model{"A40", 8, 6, 84, 1740, 64, 37.4, 0.58},
        Model{"L40S", 8, 9, 142, 2520, 64, 91.6, 1.43}, Model{"H200", 9, 0, 132, 1980, 2, 66.9, 66.9},
        Model{"B200", 10, 0, 148, 1965, 2, 74.5, 37.2}}) {
    const CudaFixture fixture({.devices = 1,
                               .capability_major = model.major,
                               .capability_minor = model.minor,
                               .multiprocessors = model.multiprocessors,
                               .clock_khz = model.clock_mhz * 1000,
                               .single_to_double = model.ratio});
    if (!fixture.needs_fake()) return;
    BOOST_TEST_CONTEXT(model.name) {
      const CudaPeak peak = cuda_peak(0);
      BOOST_TEST(peak.in_float * 1e-12 == model.in_float, boost::test_tools::tolerance(0.02));
      BOOST_TEST(peak.in_double * 1e-12 == model.in_double, boost::test_tools::tolerance(0.02));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_rate_that_is_not_known_is_zero) {
  const CudaFixture fixture({.devices = 1, .clock_khz = 0});
  if (!fixture.needs_fake()) return;
  for (const int index : {-1, 0, 1}) {
    BOOST_TEST(cuda_peak(index).in_float == 0);
    BOOST_TEST(cuda_peak(index).in_double == 0);
  }
  const CudaFixture without_ratio({.devices = 1, .single_to_double = 0});
  BOOST_TEST(cuda_peak(0).in_float > 0);
  BOOST_TEST(cuda_peak(0).in_double == 0);
}

BOOST_AUTO_TEST_CASE(free_memory_is_told_where_asked_for) {
  const CudaFixture fixture({.devices = 1, .memory = 64 * kMiB, .taken = 24 * kMiB});
  if (!fixture.needs_fake()) return;
  const auto devices = list_cuda_devices(AskFreeMemory::yes);
  BOOST_TEST_REQUIRE(devices.ok());
  BOOST_TEST_REQUIRE(devices.value()[0].free.has_value());
  BOOST_TEST(devices.value()[0].free->count == 40 * kMiB);
}

BOOST_AUTO_TEST_CASE(a_missing_driver_is_said) {
  const CudaFixture fixture({.driver_version = 0});
  if (!fixture.needs_fake()) return;
  BOOST_TEST(contains(why_none(), "no NVIDIA driver is installed"));
}

BOOST_AUTO_TEST_CASE(a_driver_that_is_too_old_is_named_with_both_versions) {
  const CudaFixture fixture({.driver_version = 11040});
  if (!fixture.needs_fake()) return;
  const std::string why = why_none();
  BOOST_TEST(contains(why, "too old"));
  BOOST_TEST(contains(why, "11.4"));
  BOOST_TEST(contains(why, std::to_string(CUDART_VERSION / 1000) + "."));
}

BOOST_AUTO_TEST_CASE(an_empty_cuda_visible_devices_is_blamed) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  const EnvironmentVariable none("CUDA_VISIBLE_DEVICES", "");
  BOOST_TEST(contains(why_none(), "CUDA_VISIBLE_DEVICES is \"\""));
}

BOOST_AUTO_TEST_CASE(a_machine_without_gpus_is_said) {
  const CudaFixture fixture({.devices = 0});
  if (!fixture.needs_fake()) return;
  BOOST_TEST(contains(why_none(), "finds none in this machine"));
}

BOOST_AUTO_TEST_CASE(hidden_gpus_are_not_counted) {
  const CudaFixture fixture({.devices = 3});
  if (!fixture.needs_fake()) return;
  const EnvironmentVariable one("CUDA_VISIBLE_DEVICES", "2");
  const auto devices = list_cuda_devices();
  BOOST_TEST_REQUIRE(devices.ok());
  BOOST_TEST_REQUIRE(devices.value().size() == 1U);
  BOOST_TEST(devices.value()[0].index == 0);
  BOOST_TEST(devices.value()[0].name == "Fake GPU 2");
  const auto other = open_cuda_accelerator(1);
  BOOST_TEST_REQUIRE(!other.ok());
  BOOST_TEST(contains(other.failure().message, "there is no GPU 1: CUDA sees 1"));
}

BOOST_AUTO_TEST_CASE(without_a_limit_nine_tenths_of_the_free_memory_are_taken) {
  const CudaFixture fixture({.devices = 1, .memory = 64 * kMiB, .taken = 14 * kMiB});
  if (!fixture.needs_fake()) return;
  const auto gpu = open_cuda_accelerator(0);
  BOOST_TEST_REQUIRE(gpu.ok());
  BOOST_TEST(gpu.value()->capacity().count == 50 * kMiB / 10 * 9);
  BOOST_TEST(gpu.value()->name() == "GPU 0 (Fake GPU 0)");
  BOOST_TEST(gpu.value()->index() == 0);
}

BOOST_AUTO_TEST_CASE(a_limit_is_kept) {
  const CudaFixture fixture;
  const auto gpu = open_cuda_accelerator(0, Bytes{3 * kMiB});
  BOOST_TEST_REQUIRE(gpu.ok());
  BOOST_TEST(gpu.value()->capacity().count == 3 * kMiB);
}

BOOST_AUTO_TEST_CASE(a_limit_above_what_is_free_is_refused_with_both_numbers) {
  const CudaFixture fixture({.devices = 1, .memory = 64 * kMiB, .taken = 60 * kMiB});
  if (!fixture.needs_fake()) return;
  const auto gpu = open_cuda_accelerator(0, Bytes{5 * kMiB});
  BOOST_TEST_REQUIRE(!gpu.ok());
  BOOST_TEST((gpu.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(contains(gpu.failure().message, "5.00 MiB"));
  BOOST_TEST(contains(gpu.failure().message, "4.00 MiB of its 64.00 MiB are free"));
}

BOOST_AUTO_TEST_CASE(a_gpu_without_free_memory_and_one_used_with_none_are_refused) {
  const CudaFixture fixture({.devices = 1, .memory = kMiB, .taken = kMiB});
  if (!fixture.needs_fake()) return;
  const auto full = open_cuda_accelerator(0);
  BOOST_TEST_REQUIRE(!full.ok());
  BOOST_TEST((full.failure().code == ErrorCode::out_of_memory));
  const auto none = open_cuda_accelerator(0, Bytes{0});
  BOOST_TEST_REQUIRE(!none.ok());
  BOOST_TEST((none.failure().code == ErrorCode::invalid_argument));
}

BOOST_AUTO_TEST_CASE(memory_that_cannot_be_had_is_an_error_and_leaves_nothing) {
  const CudaFixture fixture({.failing_malloc = 1});
  if (!fixture.needs_fake()) return;
  const auto gpu = open_cuda_accelerator(0, Bytes{kMiB});
  BOOST_TEST_REQUIRE(!gpu.ok());
  BOOST_TEST((gpu.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(contains(gpu.failure().message, "out of memory (cudaErrorMemoryAllocation)"));
}

BOOST_AUTO_TEST_CASE(a_gpu_that_is_busy_or_forbidden_is_named) {
  const CudaFixture fixture({.unavailable_device = 1});
  if (!fixture.needs_fake()) return;
  BOOST_TEST(open_cuda_accelerator(0, Bytes{kMiB}).ok());
  const auto busy = open_cuda_accelerator(1, Bytes{kMiB});
  BOOST_TEST_REQUIRE(!busy.ok());
  BOOST_TEST((busy.failure().code == ErrorCode::platform));
  BOOST_TEST(contains(busy.failure().message, "GPU 1 (Fake GPU 1) is not free to be used"));
}

BOOST_AUTO_TEST_CASE(an_index_that_no_gpu_has_is_refused) {
  const CudaFixture fixture;
  for (const int index : {-1, 1000}) {
    const auto gpu = open_cuda_accelerator(index);
    BOOST_TEST_REQUIRE(!gpu.ok());
    BOOST_TEST(contains(gpu.failure().message, "there is no GPU " + std::to_string(index)));
  }
}

BOOST_AUTO_TEST_CASE(a_fault_while_opening_is_an_error_and_leaves_nothing) {
  const CudaFixture fixture({.devices = 1, .fault_in_copy = 1});
  if (!fixture.needs_fake()) return;
  const auto gpu = open_cuda_accelerator(0, Bytes{kMiB});
  BOOST_TEST_REQUIRE(!gpu.ok());
  BOOST_TEST((gpu.failure().code == ErrorCode::device_lost));
}

BOOST_AUTO_TEST_CASE(a_device_that_its_service_has_taken_away_is_lost) {
  for (const int number : {805, 806, 807, 808, 809, 810, 700, 719, 226, 721}) {
    BOOST_TEST(is_sticky(static_cast<cudaError_t>(number)), number);
  }
  for (const int number : {0, 1, 2, 600, 712, 802, 803, 804, 811}) {
    BOOST_TEST(!is_sticky(static_cast<cudaError_t>(number)), number);
  }
}

BOOST_AUTO_TEST_CASE(events_whose_end_is_asked_for_interrupt_nobody) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  const CudaApi& api = *cuda_api().value_or_throw();
  BOOST_TEST(make_cuda_event(api, true).ok());
  BOOST_TEST(make_cuda_event(api, false).ok());
  BOOST_TEST(fixture.fake->counts().timed_events_that_interrupt == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
