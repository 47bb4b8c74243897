#include "kernels/blas_threads.hpp"

#include <mutex>

// Weak: another BLAS library may be linked.
extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads();
}

namespace troupe::kernels {

namespace {

/// The process has one number of threads, so there is one place that knows who wants it to be one.
struct Setting {
  std::mutex mutex;
  int users = 0;           // guarded by mutex
  int of_the_program = 1;  // guarded by mutex
};

Setting& setting() {
  static Setting one;
  return one;
}

class SingleThreaded {
 public:
  SingleThreaded() {
    const std::lock_guard lock(setting().mutex);
    if (setting().users++ > 0 || openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
    setting().of_the_program = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  ~SingleThreaded() {
    const std::lock_guard lock(setting().mutex);
    if (--setting().users > 0 || openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return;
    openblas_set_num_threads(setting().of_the_program);
  }
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;
};

}  // namespace

std::shared_ptr<void> single_threaded_blas() { return std::make_shared<SingleThreaded>(); }

}  // namespace troupe::kernels
