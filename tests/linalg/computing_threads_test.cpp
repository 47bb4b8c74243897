// Tests which threads compute while a matrix is factorized: workers, helpers of teams, and threads of a BLAS library.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "linalg/factorization.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(computing_threads)

namespace {

namespace data = boost::unit_test::data;
using Names = std::multiset<std::string>;

/// Returns the names of this process's threads that are running or ready to run. The calling thread, the main thread
/// and threads that only pass messages are left out.
Names runnable_threads() {
  Names names;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const int id = std::stoi(thread.path().filename().string());
    if (id == ::getpid() || id == ::gettid()) continue;
    std::string line;
    std::getline(std::ifstream(thread.path() / "stat"), line);
    const std::size_t begin = line.find('(');
    const std::size_t end = line.rfind(')');
    if (end == std::string::npos || end + 2 >= line.size() || line[end + 2] != 'R') continue;
    const std::string name = line.substr(begin + 1, end - begin - 1);
    if (!name.starts_with("caf.")) names.insert(name);
  }
  return names;
}

/// Samples the runnable threads again and again in a thread of its own.
class Sampler {
 public:
  Sampler() : thread_([this] { look(); }) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler() { stop(); }
  void stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
  }

  /// These functions return the number of samples for each number of threads, and for each name. Call `stop` before
  /// them.
  [[nodiscard]] const std::map<std::size_t, int>& counts() const { return counts_; }
  [[nodiscard]] const std::map<std::string, int>& looks_by_name() const { return looks_by_name_; }

 private:
  void look() {
    while (!done_) {
      const Names names = runnable_threads();
      ++counts_[names.size()];
      for (const std::string& name : names) ++looks_by_name_[name];
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  }

  std::atomic<bool> done_{false};
  std::map<std::size_t, int> counts_;
  std::map<std::string, int> looks_by_name_;
  std::thread thread_;
};

BOOST_DATA_TEST_CASE(a_cholesky_factorization_never_has_more_than_there_are_cores,
                     data::make(std::vector<std::string>{"1x2", "2x1"}) *
                         data::make(std::vector<std::string>{"lws", "heft"}),
                     clusters, policy) {
  constexpr std::size_t kCores = 2;
  if (std::thread::hardware_concurrency() < kCores) {
    tests::skip("there is one core");
    return;
  }
  RuntimeOptions options = tests::with_workers(kCores);
  options.threads.bind = true;
  options.clusters = clusters;
  options.policy = policy;
  Runtime runtime(options);
  constexpr std::int64_t kOrder = 2400;
  DenseMatrix<double> a(kOrder, kOrder);
  for (std::int64_t j = 0; j < kOrder; ++j) {
    for (std::int64_t i = 0; i < kOrder; ++i) a(i, j) = i == j ? 2.0 * kOrder : 1.0 / static_cast<double>(1 + i + j);
  }
  const DenseMatrix<double> original = a;
  // OpenBLAS's own threads look for work for about 50 ms after the program has started. Then they sleep.
  for (int i = 0; i < 5000 && !runnable_threads().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Sampler sampler;
  Factorization<double> factorization(runtime, a, {.application = Application::cholesky, .tile = 400});
  sampler.stop();
  for (const Residual& residual : factorization.residuals(original)) BOOST_TEST(residual.accepted());
  BOOST_TEST_REQUIRE(!sampler.counts().empty());
  BOOST_TEST(sampler.counts().rbegin()->first <= kCores);
  // The sampler must have seen both threads compute at the same time.
  BOOST_TEST(sampler.counts().contains(kCores));
  for (const auto& [threads, looks] : sampler.counts())
    BOOST_TEST_MESSAGE(threads << " threads: " << looks << " looks");
  for (const auto& [name, looks] : sampler.looks_by_name()) BOOST_TEST_MESSAGE(name << ": " << looks << " looks");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
