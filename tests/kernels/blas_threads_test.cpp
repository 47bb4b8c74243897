#include "kernels/blas_threads.hpp"

#include <dirent.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <thread>
#include <vector>

#include "kernels/codelets.hpp"
#include "kernels/fortran.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/thread_host.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(blas_threads)

namespace {

bool no_openblas() {
  if (openblas_set_num_threads != nullptr && openblas_get_num_threads != nullptr) return false;
  tests::skip("the BLAS library is not OpenBLAS");
  return true;
}

/// Sets the number of BLAS threads as a user would do, until the end of the scope.
class UserSetting {
 public:
  explicit UserSetting(int threads) : before_(openblas_get_num_threads()) { openblas_set_num_threads(threads); }
  UserSetting(const UserSetting&) = delete;
  UserSetting& operator=(const UserSetting&) = delete;
  ~UserSetting() { openblas_set_num_threads(before_); }

 private:
  int before_;
};

int threads_of_this_process() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  while (const dirent* entry = ::readdir(folder)) count += entry->d_name[0] != '.' ? 1 : 0;
  ::closedir(folder);
  return count;
}

double cpu_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Computes a product that is so large that OpenBLAS would use several threads.
void multiply(std::vector<double>& a, std::vector<double>& b, std::vector<double>& c, int n) {
  fortran::gemm('N', 'N', n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
}

BOOST_AUTO_TEST_CASE(the_users_setting_comes_back_when_the_last_one_dies) {
  if (no_openblas()) return;
  const UserSetting user(2);
  const int set = openblas_get_num_threads();  // The number is lower if OpenBLAS was built for fewer threads.
  {
    auto first = single_threaded_blas();
    BOOST_TEST(openblas_get_num_threads() == 1);
    auto second = single_threaded_blas();
    auto copy = second;
    first.reset();
    BOOST_TEST(openblas_get_num_threads() == 1);
    second.reset();
    BOOST_TEST(openblas_get_num_threads() == 1);
    copy.reset();
    BOOST_TEST(openblas_get_num_threads() == set);
  }
  {
    const auto again = single_threaded_blas();
    BOOST_TEST(openblas_get_num_threads() == 1);
  }
  BOOST_TEST(openblas_get_num_threads() == set);
}

BOOST_AUTO_TEST_CASE(functions_that_may_call_it_have_one_thread_whatever_was_set_before) {
  if (no_openblas()) return;
  const UserSetting user(2);
  const int set = openblas_get_num_threads();
  {
    const BlasInOneThread first;
    BOOST_TEST(openblas_get_num_threads() == 1);
    openblas_set_num_threads(2);
    {
      const BlasInOneThread second;
      BOOST_TEST(openblas_get_num_threads() == 1);
    }
    BOOST_TEST(openblas_get_num_threads() == 1);
  }
  BOOST_TEST(openblas_get_num_threads() == set);
  const auto guard = single_threaded_blas();
  lend_blas_threads();
  BOOST_TEST(openblas_get_num_threads() == set);
  const BlasInOneThread again;
  BOOST_TEST(openblas_get_num_threads() == 1);
}

BOOST_AUTO_TEST_CASE(what_the_program_sets_meanwhile_is_taken_away_by_the_next_kernel_and_comes_back) {
  if (no_openblas()) return;
  const UserSetting user(1);
  {
    const auto guard = single_threaded_blas();
    openblas_set_num_threads(2);
    const int set = openblas_get_num_threads();
    double x = 4;
    fortran::potrf('L', 1, &x, 1);
    BOOST_TEST(openblas_get_num_threads() == 1);
    lend_blas_threads();
    BOOST_TEST(openblas_get_num_threads() == set);
    fortran::potrf('L', 1, &x, 1);
    BOOST_TEST(openblas_get_num_threads() == 1);
    lend_blas_threads();
    openblas_set_num_threads(1);
    fortran::potrf('L', 1, &x, 1);
  }
  BOOST_TEST(openblas_get_num_threads() == 1);
  openblas_set_num_threads(2);
  const int set = openblas_get_num_threads();
  double x = 4;
  fortran::potrf('L', 1, &x, 1);
  BOOST_TEST(openblas_get_num_threads() == set, "nobody wants one thread, and the number is the program's");
}

BOOST_AUTO_TEST_CASE(is_counted_over_all_threads) {
  if (no_openblas()) return;
  const UserSetting user(2);
  const int set = openblas_get_num_threads();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 1000; ++j) {
          const auto guard = single_threaded_blas();
          if (openblas_get_num_threads() != 1) std::abort();
        }
      });
    }
  }
  BOOST_TEST(openblas_get_num_threads() == set);
}

BOOST_AUTO_TEST_CASE(holds_from_the_first_task_to_the_end_of_the_graph) {
  if (no_openblas()) return;
  const UserSetting user(2);
  const int set = openblas_get_num_threads();
  int inside = 0;
  {
    tests::ThreadHost host({.workers = 1, .window = 100, .seed = 1});
    double value = 4;
    const Handle handle =
        host.graph().register_data({layout_of<double>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, "x"});
    BOOST_TEST(openblas_get_num_threads() == set);
    const auto submit = [&](const Codelet& codelet, const Arguments& arguments) {
      const Access access(handle);
      host.graph().submit({codelet, {&access, 1}, arguments, {}}).value_or_throw();
    };
    submit(codelets<double>().potrf, args(std::int64_t{0}, std::int64_t{0}));
    const Codelet look =
        Codelet("look", {AccessMode::read_write}).cpu([&inside](double&) { inside = openblas_get_num_threads(); });
    submit(look, {});
    host.graph().wait_all().value_or_throw();
    BOOST_TEST(inside == 1);
    BOOST_TEST(value == 2);
    BOOST_TEST(openblas_get_num_threads() == 1);
    host.graph().release(handle).value_or_throw();
  }
  BOOST_TEST(openblas_get_num_threads() == set);
}

BOOST_AUTO_TEST_CASE(a_kernel_computes_in_its_own_thread_alone) {
  if (no_openblas()) return;
  const UserSetting user(2);
  constexpr int kOrder = 600;
  std::vector<double> a(kOrder * kOrder, 0.5);
  std::vector<double> b(kOrder * kOrder, 0.25);
  std::vector<double> c(kOrder * kOrder);
  int new_threads = -1;
  double share = 0;
  {
    tests::ThreadHost host({.workers = 1, .window = 100, .seed = 1});
    const Handle handle = host.graph().register_data(
        {layout_of<double>(kOrder, kOrder, kOrder), reinterpret_cast<std::byte*>(c.data()), nullptr, "C"});
    const Codelet codelet = Codelet("multiply", {AccessMode::write})
                                .cpu([&](MatrixView<double>) {
                                  const int threads = threads_of_this_process();
                                  // OpenBLAS's own threads go on spinning after their last work and use processor time,
                                  // so the best of five batches counts.
                                  for (int batch = 0; batch < 5; ++batch) {
                                    const double process = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
                                    const double mine = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
                                    for (int i = 0; i < 5; ++i) multiply(a, b, c, kOrder);
                                    share = std::max(share, (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - mine) /
                                                                (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - process));
                                  }
                                  new_threads = threads_of_this_process() - threads;
                                })
                                .environment(single_threaded_blas);
    const Access access(handle);
    host.graph().submit({codelet, {&access, 1}, {}, {}}).value_or_throw();
    host.graph().wait_all().value_or_throw();
    host.graph().release(handle).value_or_throw();
  }
  BOOST_TEST(new_threads == 0);
  BOOST_TEST(share > 0.9);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
