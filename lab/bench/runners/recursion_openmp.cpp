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
  using Sum = GroupSum<Group, kMost>;
};

}  // namespace

Json recursion(Parameters& parameters) {
  const RecursionCase options = recursion_case(parameters);
  OpenMpTasks tasks{options.cores};
  return measure_recursion(options, tasks);
}

}  // namespace troupe::bench
