#include <array>
#include <cstddef>

#include "lab/bench/recursion/recursive_programs.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

/// See lab/bench/recursion/recursion_case.hpp. Functions that return values are called by `async`; the others are
/// nested tasks, for which `Runtime::wait` waits in the kernel that has submitted them.
class TroupeTasks {
 public:
  explicit TroupeTasks(const RuntimeOptions& options) : runtime_(options) {}

  template <class F>
  void run(const F& function) {
    runtime_.async(function).get();
  }

  class Group {
   public:
    explicit Group(TroupeTasks& tasks) : runtime_(tasks.runtime_) {}
    template <class F>
    void run(const F& function) {
      runtime_.submit({.nested = true}, function);
    }
    void wait() { runtime_.wait(); }

   private:
    Runtime& runtime_;
  };

  template <std::size_t kMost>
  class Sum {
   public:
    explicit Sum(TroupeTasks& tasks) : runtime_(tasks.runtime_) {}
    template <class F>
    void add(const F& function) {
      values_[count_++] = runtime_.async(function);
    }
    std::int64_t wait() {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < count_; ++i) sum += values_[i].get();
      return sum;
    }

   private:
    Runtime& runtime_;
    std::array<Value<std::int64_t>, kMost> values_;
    std::size_t count_ = 0;
  };

 private:
  Runtime runtime_;
};

}  // namespace

Json recursion(Parameters& parameters) {
  RuntimeOptions runtime_options;
  runtime_options.policy = parameters.text("policy", runtime_options.policy);
  const RecursionCase options = recursion_case(parameters);
  runtime_options.cores = options.cores;
  TroupeTasks tasks(runtime_options);
  return measure_recursion(options, tasks);
}

}  // namespace troupe::bench
