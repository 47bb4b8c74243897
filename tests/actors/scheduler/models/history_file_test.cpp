#include "actors/scheduler/models/history_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace troupe::scheduler {

namespace history_file {

using tests::contains;
using tests::TemporaryFolder;

const std::string kMachine = "a-machine-1x2c4t";
const KernelKey kGemm{"gemm", DeviceKind::cpu_core, 8, true};
const KernelKey kCopy{"copy \"\n\xff", DeviceKind::cuda, 4, false};

ExecutionHistory sample() {
  ExecutionHistory history;
  KernelHistory& gemm = history.kernel(kGemm);
  for (const double time : {0.25, 0.5, 0.3}) gemm.add(gemm.shape(0xfedcba9876543210ULL, 1e9), time);
  for (const double time : {0.1, 0.1, 0.1, 9.0}) gemm.add(gemm.shape(7, 1.0 / 3), time);
  KernelHistory& copy = history.kernel(kCopy);
  copy.add(copy.shape(1, 4096), 1e-7);
  // Asked for, and never measured.
  (void)copy.shape(2, 4096);
  (void)history.kernel({"unused", DeviceKind::cpu_core, 8, true}).shape(1, 1);
  return history;
}

struct Fixture {
  void damaged(const std::string& text, const std::string& part) const {
    const auto read = read_history(folder.write("damaged.json", text), kMachine);
    BOOST_TEST_REQUIRE(!read.ok(), text);
    BOOST_TEST((read.failure().code == ErrorCode::bad_input));
    BOOST_TEST(contains(read.failure().message, part), read.failure().message);
    BOOST_TEST(contains(read.failure().message, "damaged.json"));
  }
  std::string written() const {
    write_history(path, kMachine, sample()).value_or_throw();
    return folder.read("times.json");
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    BOOST_TEST_REQUIRE(at != std::string::npos, what);
    return text.replace(at, what.size(), with);
  }

  TemporaryFolder folder;
  const std::string path = folder.path("times.json");
};

}  // namespace history_file

BOOST_FIXTURE_TEST_SUITE(history_file, Fixture)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  (void)written();
  const ExecutionHistory read = read_history(path, kMachine).value_or_throw();
  BOOST_REQUIRE(read.kernels().size() == 2U);
  const auto& gemm = read.kernels().at(kGemm).shapes();
  const auto before = sample();
  const auto& expected = before.kernels().at(kGemm).shapes();
  BOOST_REQUIRE(gemm.size() == 2U);
  for (const auto& [hash, shape] : expected) {
    BOOST_TEST(gemm.at(hash).size == shape.size);
    BOOST_TEST(gemm.at(hash).times.count() == shape.times.count());
    BOOST_TEST(gemm.at(hash).times.mean_s() == shape.times.mean_s());
    BOOST_TEST(gemm.at(hash).times.deviation_s() == shape.times.deviation_s(), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(gemm.at(hash).times.strange() == shape.times.strange());
  }
}

BOOST_AUTO_TEST_CASE(numbers_of_cores_and_models_are_kept_and_left_out_where_they_say_nothing) {
  BOOST_TEST(!contains(written(), "\"cores\""));
  BOOST_TEST(!contains(written(), "\"model\""));
  ExecutionHistory history = sample();
  const KernelKey four{"gemm", {DeviceKind::cpu_core, 4}, 8, true};
  const KernelKey named{"gemm", {DeviceKind::cuda, 1, "H200"}, 8, true};
  for (const KernelKey& key : {four, named}) {
    KernelHistory& kernel = history.kernel(key);
    kernel.add(kernel.shape(7, 1e9), key == four ? 0.1 : 0.01);
  }
  write_history(path, kMachine, history).value_or_throw();
  const ExecutionHistory read = read_history(path, kMachine).value_or_throw();
  BOOST_REQUIRE(read.kernels().size() == 4U);
  BOOST_TEST(read.kernels().at(four).shapes().at(7).times.mean_s() == 0.1);
  BOOST_TEST(read.kernels().at(named).shapes().at(7).times.mean_s() == 0.01);
  BOOST_TEST(read.kernels().at(kGemm).shapes().size() == 2U);
}

BOOST_AUTO_TEST_CASE(no_file_is_an_empty_history) {
  BOOST_TEST(read_history(path, kMachine).value_or_throw().kernels().empty());
  BOOST_TEST(read_history(folder.path("no/such/folder.json"), kMachine).value_or_throw().kernels().empty());
}

BOOST_AUTO_TEST_CASE(folders_are_made) {
  const std::string deep = folder.path("a/b/times.json");
  write_history(deep, kMachine, sample()).value_or_throw();
  BOOST_TEST(read_history(deep, kMachine).ok());
}

BOOST_AUTO_TEST_CASE(a_file_that_ends_anywhere_too_early_is_damaged) {
  const std::string whole = written();
  // Without the last brace and the line's end it is no object.
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    const auto read = read_history(folder.write("cut.json", whole.substr(0, length)), kMachine);
    BOOST_TEST_REQUIRE(!read.ok(), "length " << length);
    BOOST_TEST_REQUIRE((read.failure().code == ErrorCode::bad_input));
  }
}

BOOST_AUTO_TEST_CASE(any_changed_byte_is_noticed_or_harmless) {
  const std::string whole = written();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto read = read_history(folder.write("changed.json", changed), kMachine);
    // White space may become other white space; what was measured may not become something else.
    if (!read.ok()) continue;
    const auto& times = read.value().kernels().at(kGemm).shapes().at(7).times;
    BOOST_TEST_REQUIRE(times.mean_s() == sample().kernels().at(kGemm).shapes().at(7).times.mean_s(), "byte " << i);
  }
}

BOOST_AUTO_TEST_CASE(other_content_is_refused_and_the_message_says_why) {
  const std::string whole = written();
  damaged("", "times");
  damaged("[]", "object");
  damaged("{}", "format");
  damaged(std::string(100000, '['), "times");
  damaged(std::string("\0\0\0\0", 4), "times");
  damaged(replaced(whole, "\"version\": 1", "\"version\": 2"), "version");
  damaged(replaced(whole, kMachine, "another-machine-1x2c4t"), "machine");
  damaged(replaced(whole, "0.1", "0.2"), "checksum");
  damaged(replaced(whole, "\"kernels\"", "\"kernel\""), "checksum");
}

BOOST_AUTO_TEST_CASE(times_that_cannot_be_are_refused_even_with_the_right_checksum) {
  ExecutionHistory history;
  KernelHistory& kernel = history.kernel(kGemm);
  kernel.shape(1, 1).times = TimeStatistics(3, -1, 0, 0);
  write_history(path, kMachine, history).value_or_throw();
  const auto read = read_history(path, kMachine);
  BOOST_TEST_REQUIRE(!read.ok());
  BOOST_TEST(contains(read.failure().message, "mean_s"), read.failure().message);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_or_written_is_an_io_failure) {
  const auto folder_instead = read_history(folder.path(), kMachine);
  BOOST_TEST_REQUIRE(!folder_instead.ok());
  BOOST_TEST((folder_instead.failure().code == ErrorCode::io));
  const std::string file = folder.write("file", "");
  const auto below_a_file = write_history(file + "/times.json", kMachine, sample());
  BOOST_TEST_REQUIRE(!below_a_file.ok());
  BOOST_TEST((below_a_file.failure().code == ErrorCode::io));
  BOOST_TEST(contains(below_a_file.failure().message, "file"));
}

BOOST_AUTO_TEST_CASE(an_endless_file_is_refused) {
  const auto read = read_history("/dev/zero", kMachine);
  BOOST_TEST_REQUIRE(!read.ok());
  BOOST_TEST(contains(read.failure().message, "larger than"));
}

BOOST_AUTO_TEST_CASE(whoever_reads_while_others_write_sees_a_whole_file) {
  (void)written();
  constexpr int kWriters = 3;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = ::fork();
    if (child == 0) {
      ExecutionHistory history = sample();
      KernelHistory& own = history.kernel({"own", DeviceKind::cpu_core, 8, true});
      for (int i = 0; i < 500 * (w + 1); ++i) own.add(own.shape(static_cast<std::uint64_t>(i), i), 1);
      bool fine = true;
      for (int i = 0; i < 10; ++i) fine = write_history(path, kMachine, history).ok() && fine;
      ::_exit(fine ? 0 : 1);
    }
    writers.push_back(child);
  }
  for (int i = 0; i < 50; ++i) BOOST_TEST_REQUIRE(read_history(path, kMachine).ok());
  for (const pid_t writer : writers) {
    int status = 1;
    BOOST_TEST(::waitpid(writer, &status, 0) == writer);
    BOOST_TEST(status == 0);
  }
  BOOST_TEST(read_history(path, kMachine).ok());
  BOOST_TEST(folder.names().size() == 1U, "temporary files are left");
}

BOOST_AUTO_TEST_CASE(a_machine_is_known_by_its_processor_and_its_numbers) {
  platform::Machine machine;
  machine.cpu_model = "AMD EPYC(TM) 9654 96-Core";
  machine.packages = 2;
  machine.cores = 192;
  machine.pus.resize(384);
  BOOST_TEST(machine_key(machine) == "amd-epyc-tm-9654-96-core-2x192c384t");
  machine.cpu_model = "../../etc/passwd";
  BOOST_TEST(machine_key(machine) == "etc-passwd-2x192c384t");
  machine.cpu_model = "";
  BOOST_TEST(machine_key(machine) == "unknown-processor-2x192c384t");
  machine.cpu_model = std::string(5000, 'x');
  BOOST_TEST(machine_key(machine).size() < 150U);
  BOOST_TEST(history_path("/a", "b") == "/a/kernel-times-b.json");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
