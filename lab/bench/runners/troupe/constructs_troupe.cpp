/// The time of each construct of a program, all tasks included.
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/constructs.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"
#include "troupe/troupe.hpp"

namespace troupe::bench {
namespace {

constexpr std::size_t kSets = 64;
constexpr std::int64_t kPerNested = 50;
constexpr std::int64_t kElements = 1024;
constexpr std::int64_t kParts = 16;
/// Functions do `n` constructs only if `n` is a multiple of this.
constexpr std::int64_t kMultiple = 2000;

/// A runtime with data and kernels that do nothing. Each function does its construct `n` times.
class Constructs {
 public:
  explicit Constructs(const RuntimeOptions& options) : runtime_(options), values_(kSets * kSpread) {
    for (std::size_t i = 0; i < kSets; ++i) data_.push_back(runtime_.scalar(values_[i * kSpread]));
  }
  using Function = void (Constructs::*)(std::int64_t n);
  static const std::map<std::string, Function>& all() {
    static const std::map<std::string, Function> functions{
        {"task", &Constructs::task},
        {"task-with-data", &Constructs::task_with_data},
        {"lambda", &Constructs::lambda},
        {"large-captures", &Constructs::large_captures},
        {"name", &Constructs::name},
        {"callback", &Constructs::callback},
        {"after", &Constructs::after},
        {"chain", &Constructs::chain},
        {"commute", &Constructs::commuting},
        {"reduce", &Constructs::reducing},
        {"cancellable", &Constructs::cancellable},
        {"recorded-task", &Constructs::recorded_task},
        {"recording", &Constructs::recording},
        {"wait", &Constructs::wait},
        {"acquire", &Constructs::acquire},
        {"registration", &Constructs::registration},
        {"temporary", &Constructs::temporary},
        {"discard", &Constructs::discard},
        {"part", &Constructs::part},
        {"halo", &Constructs::halo},
        {"async", &Constructs::async},
        {"async-in-call", &Constructs::async_in_call},
        {"co-await", &Constructs::co_await_calls},
        {"nested", &Constructs::nested},
        {"child", &Constructs::child},
        {"call-at-once", &Constructs::child},
        {"wait-in-kernel", &Constructs::wait_in_kernel},
    };
    return functions;
  }

 private:
  /// The distance of two data in doubles, so that each has a cache line of its own.
  static constexpr std::size_t kSpread = 8;

  [[nodiscard]] const Scalar<double>& data(std::int64_t i) const { return data_[static_cast<std::size_t>(i) % kSets]; }

  void task(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(nothing_, {});
    runtime_.wait();
  }
  void task_with_data(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(touch_, {data(i)});
    runtime_.wait();
  }
  void lambda(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit([](double&) { compute_nothing(); }, data(i));
    runtime_.wait();
  }
  void large_captures(std::int64_t n) {
    const std::array<double, 8> captured{};
    for (std::int64_t i = 0; i < n; ++i) {
      runtime_.submit([captured](double& x) { x = captured[0]; }, data(i));
    }
    runtime_.wait();
  }
  void name(std::int64_t n) {
    TaskOptions options;
    options.name = "task";
    options.priority = 1;
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(touch_, {data(i)}, {}, options);
    runtime_.wait();
  }
  void callback(std::int64_t n) {
    TaskOptions options;
    options.callback = [](const TaskOutcome&) {};
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(touch_, {data(i)}, {}, options);
    runtime_.wait();
  }
  void after(std::int64_t n) {
    TaskOptions options;
    for (std::int64_t i = 0; i < n; ++i) options.after = {runtime_.submit(nothing_, {}, {}, options)};
    runtime_.wait();
  }
  void chain(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(touch_, {data(0)});
    runtime_.wait();
  }
  void commuting(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(commute_, {data(0)});
    runtime_.wait();
  }
  void reducing(std::int64_t n) {
    double sum = 0;
    const auto total = runtime_.scalar(sum);
    runtime_.set_reduction(total, sum_reduction<double>());
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(reduce_, {total});
    runtime_.wait();
  }
  void cancellable(std::int64_t n) {
    const std::stop_source source;
    TaskOptions options;
    options.stop = source.get_token();
    const auto ask = [](const KernelContext& context, double& x) { x = context.cancelled() ? 1 : 0; };
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(options, ask, data(i));
    runtime_.wait();
  }
  RecordedGraph record(std::int64_t n) {
    return runtime_.record([&] {
      for (std::int64_t i = 0; i < n; ++i) runtime_.submit(touch_, {data(i)});
    });
  }
  void recorded_task(std::int64_t n) {
    if (!recorded_) recorded_.emplace(record(n));
    recorded_->run();
    runtime_.wait();
  }
  void recording(std::int64_t n) { (void)record(n); }
  void wait(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) runtime_.submit(touch_, {data(i)}).wait();
  }
  void acquire(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) (void)runtime_.acquire(data(i), AccessMode::read);
  }
  void registration(std::int64_t n) {
    double value = 0;
    for (std::int64_t i = 0; i < n; ++i) (void)runtime_.scalar(value);
  }
  void temporary(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto made = runtime_.allocate_vector<double>(kElements);
      runtime_.submit(overwrite_, {made});
    }
    runtime_.wait();
  }
  void discard(std::int64_t n) {
    const auto made = runtime_.allocate_vector<double>(kElements);
    for (std::int64_t i = 0; i < n; ++i) {
      runtime_.submit(overwrite_, {made});
      runtime_.discard(made);
    }
    runtime_.wait();
  }
  static std::vector<Block> blocks() {
    std::vector<Block> result;
    for (std::int64_t i = 0; i < kParts; ++i) result.push_back({i * kElements / kParts, 0, kElements / kParts, 1});
    return result;
  }
  void part(std::int64_t n) {
    const std::vector<Block> places = blocks();
    std::vector<double> elements(kElements);
    for (std::int64_t i = 0; i < n; i += kParts) {
      const auto whole = runtime_.vector(elements);
      (void)runtime_.partition(whole, places);
    }
  }
  void halo(std::int64_t n) {
    std::vector<double> elements(kElements);
    const auto whole = runtime_.vector(elements);
    const std::vector<Block> places = blocks();
    const std::vector<Handle> parts = runtime_.partition(whole, places);
    const std::vector<Halo> rims = runtime_.halos(whole, places, 1);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i % kParts);
      runtime_.submit([](VectorView<const double>, VectorView<double>) { compute_nothing(); }, rims[at],
                      read_write(parts[at]));
    }
    runtime_.wait();
  }
  void async(std::int64_t n) {
    std::vector<Value<int>> values;
    values.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) values.push_back(runtime_.async([] { return 1; }));
    for (Value<int>& value : values) (void)value.get();
  }
  void async_in_call(std::int64_t n) {
    (void)runtime_.async([this, n] { return count(n); }).get();
  }
  /// Makes `n` calls in all.
  std::int64_t count(std::int64_t n) {
    if (n <= 1) return n;
    auto half = runtime_.async([this, n] { return count((n - 1) / 2); });
    const std::int64_t rest = count(n - 1 - (n - 1) / 2);
    return half.get() + rest + 1;
  }
  Coroutine<int> one_after_the_other(std::int64_t n) {
    int sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += co_await runtime_.async([] { return 1; });
    co_return sum;
  }
  void co_await_calls(std::int64_t n) {
    constexpr std::int64_t kCoroutines = 1000;
    std::vector<Started<int>> started;
    for (std::int64_t i = 0; i < kCoroutines; ++i) {
      started.push_back(runtime_.start(one_after_the_other(n / kCoroutines)));
    }
    for (Started<int>& one : started) (void)one.get();
  }
  void nested(std::int64_t n) {
    TaskOptions options;
    options.nested = true;
    for (std::int64_t i = 0; i < n; ++i) {
      runtime_.submit(options, [this] { runtime_.submit([] { compute_nothing(); }); });
    }
    runtime_.wait();
  }
  /// Submits nested tasks whose kernels submit tasks on what they declare.
  template <class Kernel>
  void in_nested_tasks(std::int64_t n, const Kernel& kernel) {
    TaskOptions options;
    options.nested = true;
    for (std::int64_t i = 0; i < n; i += kPerNested) {
      const Handle own = data(i / kPerNested);
      runtime_.submit(
          options, [kernel, own](double&) { kernel(own); }, read_write(own));
    }
    runtime_.wait();
  }
  void child(std::int64_t n) {
    in_nested_tasks(n, [this](const Handle& own) {
      for (std::int64_t i = 0; i < kPerNested; ++i)
        runtime_.submit([](double&) { compute_nothing(); }, read_write(own));
    });
  }
  void wait_in_kernel(std::int64_t n) {
    in_nested_tasks(n, [this](const Handle& own) {
      for (std::int64_t i = 0; i < kPerNested; ++i) {
        runtime_.submit([](double&) { compute_nothing(); }, read_write(own)).wait();
      }
    });
  }

  Runtime runtime_;
  std::vector<double> values_;
  std::vector<Scalar<double>> data_;
  std::optional<RecordedGraph> recorded_;
  const Codelet nothing_ = Codelet("nothing", {}).cpu([](const KernelContext&) { compute_nothing(); });
  const Codelet touch_ = Codelet("touch", {AccessMode::read_write}).cpu([](double&) { compute_nothing(); });
  const Codelet commute_ = Codelet("commute", {AccessMode::commute}).cpu([](double&) { compute_nothing(); });
  const Codelet reduce_ = Codelet("reduce", {AccessMode::reduce}).cpu([](double& sum) { sum += 1; });
  const Codelet overwrite_ = Codelet("overwrite", {AccessMode::write}).cpu([](VectorView<double> x) { x[0] = 1; });
};

}  // namespace

Json constructs(Parameters& parameters) {
  const std::string name = parameters.text("construct", "task");
  RuntimeOptions options;
  options.cores = cores_of(parameters);
  const std::int64_t n = parameters.integer("n", 20'000, 1);
  parameters.require_all_used();
  if (n % kMultiple != 0) throw BadParameter("n=" + std::to_string(n) + ": a multiple of " + std::to_string(kMultiple));
  const auto found = Constructs::all().find(name);
  if (found == Constructs::all().end()) throw BadParameter("construct=" + name + ": there is no such construct");
  if (name == "call-at-once") options.placement.cutoff = std::chrono::seconds(1);
  Constructs runs(options);
  constexpr int kRepetitions = 5;
  std::vector<double> ns;
  for (int i = 0; i <= kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    (runs.*found->second)(n);
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
    // The first time touches memory for the first time.
    if (i > 0) ns.push_back(elapsed.count() / static_cast<double>(n));
  }
  return {{"ns", median_of(ns)}, {"n", n}};
}

}  // namespace troupe::bench
