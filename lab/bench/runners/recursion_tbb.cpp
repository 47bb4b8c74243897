#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstddef>

#include "lab/bench/recursion/recursive_programs.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// See lab/bench/recursion/recursion_case.hpp.
class TbbTasks {
 public:
  explicit TbbTasks(int cores)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(cores)), arena_(cores) {}

  template <class F>
  void run(const F& function) {
    arena_.execute(function);
  }

  class Group {
   public:
    explicit Group(TbbTasks& /*tasks*/) {}
    template <class F>
    void run(const F& function) {
      group_.run(function);
    }
    void wait() { group_.wait(); }

   private:
    tbb::task_group group_;
  };

  template <std::size_t kMost>
  using Sum = GroupSum<Group, kMost>;

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

Json recursion(Parameters& parameters) {
  const RecursionCase options = recursion_case(parameters);
  TbbTasks tasks(options.cores);
  return measure_recursion(options, tasks);
}

}  // namespace troupe::bench
