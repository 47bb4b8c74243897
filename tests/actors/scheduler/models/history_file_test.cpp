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
  for (const double time : {0.25, 0.5, 0.3}) gemm.add(gemm.shape(0xfedcba9876543210ULL, {.size = 1e9}), time);
  for (const double time : {0.1, 0.1, 0.1, 9.0}) gemm.add(gemm.shape(7, {.size = 1.0 / 3}), time);
  KernelHistory& copy = history.kernel(kCopy);
  copy.add(copy.shape(1, {.size = 4096}), 1e-7);
  // The program asked for the times of these shapes, but no task of these shapes was measured.
  (void)copy.shape(2, {.size = 4096});
  (void)history.kernel({"unused", DeviceKind::cpu_core, 8, true}).shape(1, {.size = 1});
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
    kernel.add(kernel.shape(7, {.size = 1e9}), key == four ? 0.1 : 0.01);
  }
  write_history(path, kMachine, history).value_or_throw();
  const ExecutionHistory read = read_history(path, kMachine).value_or_throw();
  BOOST_REQUIRE(read.kernels().size() == 4U);
  BOOST_TEST(read.kernels().at(four).shapes().at(7).times.mean_s() == 0.1);
  BOOST_TEST(read.kernels().at(named).shapes().at(7).times.mean_s() == 0.01);
  BOOST_TEST(read.kernels().at(kGemm).shapes().size() == 2U);
}

BOOST_AUTO_TEST_CASE(laws_and_ages_are_kept) {
  ExecutionHistory history;
  KernelHistory& kernel = history.kernel(kGemm);
  for (int i = 1; i <= 20; ++i) {
    TaskMeasures task{.size = 1000.0 * i, .extents = {10.0 * i, 100}, .extent_count = 2};
    KernelHistory::Shape& shape = kernel.shape(static_cast<std::uint64_t>(i), task);
    shape.used = static_cast<std::uint64_t>(i);
    kernel.add(shape, i * 1e-3);
  }
  write_history(path, kMachine, history).value_or_throw();
  const ExecutionHistory read = read_history(path, kMachine).value_or_throw();
  BOOST_TEST(read.run() == 21U);
  const KernelHistory& found = read.kernels().at(kGemm);
  BOOST_TEST(found.law().count() == 20U);
  BOOST_TEST(found.shapes().at(3).used == 3U);
  BOOST_TEST(found.shapes().at(3).extents[0] == 30);
  const TaskMeasures another{.size = 7500, .extents = {75, 100}, .extent_count = 2};
  BOOST_TEST(found.law().at(another)->time_s == 7.5e-3, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(a_file_is_bounded_and_what_was_not_used_for_longest_goes_first) {
  ExecutionHistory history;
  const KernelKey old{"old", DeviceKind::cpu_core, 8, true};
  for (const KernelKey& key : {kGemm, old}) {
    KernelHistory& kernel = history.kernel(key);
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      KernelHistory::Shape& shape = kernel.shape(i, {.size = 1000.0 + static_cast<double>(i)});
      shape.used = key == old ? 1 : i % 10 == 0 ? 3 : 2;
      kernel.add(shape, 1e-6 * shape.size);
      if (i == 70) kernel.add(shape, 1e-6 * shape.size);
    }
  }
  write_history(path, kMachine, history).value_or_throw();
  BOOST_TEST(folder.read("times.json").size() < 20'000U);
  const ExecutionHistory read = read_history(path, kMachine).value_or_throw();
  const auto& shapes = read.kernels().at(kGemm).shapes();
  BOOST_TEST(shapes.size() == HistoryBounds().shapes_of_kernel);
  for (const auto& [hash, shape] : shapes) BOOST_TEST(shape.used == 3U);
  // Shape 70 is kept because it was measured twice.
  BOOST_TEST(shapes.contains(70));
  // Shape 9999 was not kept, but the law that was fitted to all shapes predicts its time.
  BOOST_TEST(read.kernels().at(kGemm).predict(9999, {.size = 10'999})->time_s == 10'999e-6,
             boost::test_tools::tolerance(0.01));
  write_history(path, kMachine, history, {.shapes_of_kernel = 8, .shapes = 10, .kernels = 2}).value_or_throw();
  const ExecutionHistory small = read_history(path, kMachine).value_or_throw();
  BOOST_TEST(small.kernels().at(kGemm).shapes().size() == 8U);
  BOOST_TEST(small.kernels().at(old).shapes().size() == 2U);
  write_history(path, kMachine, history, {.kernels = 1}).value_or_throw();
  BOOST_TEST(read_history(path, kMachine).value_or_throw().kernels().contains(kGemm));
  BOOST_TEST(!read_history(path, kMachine).value_or_throw().kernels().contains(old));
}

BOOST_AUTO_TEST_CASE(files_of_the_first_version_are_read) {
  // The first version of the format had no laws, no extents and no ages.
  folder.write(
      "times.json",
      R"({"checksum":"1f2bf55641b8a47c","format":"troupe kernel times","kernels":[{"codelet":"gemm","element_bytes":8,"kind":"cpu core","measured":[{"count":5,"deviation_s":0.0,"mean_s":0.001,"shapes":1,"size":1000.0,"strange":0},{"count":5,"deviation_s":0.0,"mean_s":0.002,"shapes":2,"size":2000.0,"strange":0},{"count":5,"deviation_s":0.0,"mean_s":0.004,"shapes":3,"size":4000.0,"strange":0}],"size_in":"flops"}],"machine":"a-machine-1x2c4t","version":1})");
  const ExecutionHistory read = read_history(path, kMachine).value_or_throw();
  const KernelHistory& kernel = read.kernels().at(kGemm);
  BOOST_TEST(kernel.shapes().at(2).times.mean_s() == 2e-3);
  BOOST_TEST(kernel.law().at({.size = 3000})->time_s == 3e-3, boost::test_tools::tolerance(0.02));
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
  // Without the last brace the text is not a JSON object. Only the newline at the end may be missing.
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
    // A changed byte may leave a valid file if it only changes white space. The measured times must be unchanged.
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
  damaged(replaced(whole, "\"version\":2", "\"version\":3"), "version");
  damaged(replaced(whole, kMachine, "another-machine-1x2c4t"), "machine");
  damaged(replaced(whole, "0.1", "0.2"), "checksum");
  damaged(replaced(whole, "\"kernels\"", "\"kernel\""), "checksum");
}

BOOST_AUTO_TEST_CASE(times_that_cannot_be_are_refused_even_with_the_right_checksum) {
  ExecutionHistory history;
  KernelHistory& kernel = history.kernel(kGemm);
  kernel.shape(1, {.size = 1}).times = TimeStatistics(3, -1, 0, 0);
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
      for (int i = 0; i < 500 * (w + 1); ++i)
        own.add(own.shape(static_cast<std::uint64_t>(i), {.size = static_cast<double>(i)}), 1);
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
