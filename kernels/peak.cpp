#include "kernels/peak.hpp"

#include <pthread.h>
#include <sched.h>

#include <barrier>
#include <chrono>
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
  // Unbound is less precise, not wrong.
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

template <class T>
double rate_of_one(int n, int repetitions, std::barrier<>& together) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<T> a(size, T(0.5));
  std::vector<T> b(size, T(0.25));
  std::vector<T> c(size);
  const auto product = [&] { fortran::gemm('N', 'N', n, n, n, T{1}, a.data(), n, b.data(), n, T{0}, c.data(), n); };
  product();
  together.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) product();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  // Nobody stops while another is measured: free cores could run faster.
  together.arrive_and_wait();
  return 2.0 * n * n * n * repetitions / elapsed.count() * 1e-9;
}

}  // namespace

template <class T>
double measure_peak(std::span<const int> pus, int n, int repetitions) {
  const auto guard = single_threaded_blas();
  std::barrier<> together(static_cast<std::ptrdiff_t>(pus.size()));
  std::vector<double> rates(pus.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < pus.size(); ++i) {
    threads.emplace_back([&, i] {
      bind_to(pus[i]);
      rates[i] = rate_of_one<T>(n, repetitions, together);
    });
  }
  threads.clear();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

template double measure_peak<float>(std::span<const int>, int, int);
template double measure_peak<double>(std::span<const int>, int, int);

}  // namespace troupe::kernels
