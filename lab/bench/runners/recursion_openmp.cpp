#include <array>
#include <cstddef>

#include "lab/bench/recursion/recursive_programs.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// See lab/bench/recursion/recursion_case.hpp. A `taskwait` waits for the children of the task that executes it, which
/// are those of the group.
struct OpenMpTasks {
  int cores = 1;

  template <class F>
  void run(const F& function) const {
#pragma omp parallel num_threads(cores)
#pragma omp single
    function();
  }

  struct Group {
    explicit Group(OpenMpTasks& /*tasks*/) {}
    template <class F>
    void run(F function) {
#pragma omp task firstprivate(function)
      function();
    }
    void wait() {
#pragma omp taskwait
    }
  };

  template <std::size_t kMost>
  class Sum {
   public:
    explicit Sum(OpenMpTasks& /*tasks*/) {}
    template <class F>
    void add(F function) {
      std::int64_t* const value = &values_[count_++];
#pragma omp task firstprivate(function, value)
      *value = function();
    }
    std::int64_t wait() {
#pragma omp taskwait
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < count_; ++i) sum += values_[i];
      return sum;
    }

   private:
    std::array<std::int64_t, kMost> values_;
    std::size_t count_ = 0;
  };
};

}  // namespace

Json recursion(Parameters& parameters) {
  const RecursionCase options = recursion_case(parameters);
  OpenMpTasks tasks{options.cores};
  return measure_recursion(options, tasks);
}

}  // namespace troupe::bench
