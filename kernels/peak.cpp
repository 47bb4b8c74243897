#include "kernels/peak.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <ctime>
#include <exception>
#include <numeric>
#include <thread>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "kernels/fortran.hpp"

namespace troupe::kernels {

namespace {

void bind_to(int pu) {
  if (pu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(pu), &set);
  // If binding fails, the result is less precise, but not wrong.
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// The operands of one thread, in memory that this thread touches first.
template <class T>
struct Operands {
  explicit Operands(std::size_t size) : a(size, T(0.5)), b(size, T(0.25)), c(size) {}
  std::vector<T> a;
  std::vector<T> b;
  std::vector<T> c;
};

template <class T>
double rate_of_one(int n, int repetitions, Operands<T>& operands, std::barrier<>& together) {
  const auto product = [&] {
    fortran::gemm('N', 'N', n, n, n, T{1}, operands.a.data(), n, operands.b.data(), n, T{0}, operands.c.data(), n);
  };
  product();
  together.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) product();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  // Each thread waits here until all threads have been measured, because idle cores could make the other threads
  // faster.
  together.arrive_and_wait();
  return 2.0 * n * n * n * repetitions / elapsed.count() * 1e-9;
}

}  // namespace

template <class T>
double measure_peak(std::span<const int> pus, int n, int repetitions) {
  const auto guard = single_threaded_blas();
  std::barrier<> together(static_cast<std::ptrdiff_t>(pus.size()));
  std::vector<double> rates(pus.size());
  std::vector<std::exception_ptr> failures(pus.size());
  const auto measure = [&](std::size_t i) {
    try {
      bind_to(pus[i]);
      Operands<T> operands(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
      rates[i] = rate_of_one<T>(n, repetitions, operands, together);
    } catch (...) {
      failures[i] = std::current_exception();
      together.arrive_and_drop();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < pus.size(); ++i) threads.emplace_back(measure, i);
  } catch (...) {
    // The started threads must not wait for threads that could not be started.
    for (std::size_t i = threads.size(); i < pus.size(); ++i) together.arrive_and_drop();
    throw;
  }
  threads.clear();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

double core_speed() {
  constexpr int kOrder = 320;
  constexpr int kTries = 4;
  const auto guard = single_threaded_blas();
  Operands<double> operands(std::size_t{kOrder} * kOrder);
  const auto processor_time_s = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto time_of_product_s = [&] {
    const double start_s = processor_time_s();
    fortran::gemm('N', 'N', kOrder, kOrder, kOrder, 1.0, operands.a.data(), kOrder, operands.b.data(), kOrder, 0.0,
                  operands.c.data(), kOrder);
    return processor_time_s() - start_s;
  };
  double least_s = time_of_product_s();
  for (int i = 0; i < kTries; ++i) least_s = std::min(least_s, time_of_product_s());
  return 2.0 * kOrder * kOrder * kOrder / std::max(least_s, 1e-9);
}

template double measure_peak<float>(std::span<const int>, int, int);
template double measure_peak<double>(std::span<const int>, int, int);

}  // namespace troupe::kernels
