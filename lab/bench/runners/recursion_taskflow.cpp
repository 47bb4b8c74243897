#include <taskflow/taskflow.hpp>

#include <cstddef>

#include "lab/bench/recursion/recursive_programs.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// See lab/bench/recursion/recursion_case.hpp.
class TaskflowTasks {
 public:
  explicit TaskflowTasks(int cores) : executor_(static_cast<std::size_t>(cores)) {}

  template <class F>
  void run(const F& function) {
    executor_.async(function).get();
  }

  class Group {
   public:
    explicit Group(TaskflowTasks& tasks) : group_(tasks.executor_.task_group()) {}
    template <class F>
    void run(const F& function) {
      group_.silent_async(function);
    }
    void wait() { group_.corun(); }

   private:
    tf::TaskGroup group_;
  };

  template <std::size_t kMost>
  using Sum = GroupSum<Group, kMost>;

 private:
  tf::Executor executor_;
};

}  // namespace

Json recursion(Parameters& parameters) {
  const RecursionCase options = recursion_case(parameters);
  TaskflowTasks tasks(options.cores);
  return measure_recursion(options, tasks);
}

}  // namespace troupe::bench
