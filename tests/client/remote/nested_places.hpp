/// A service whose codelets submit children, as those of plug-ins do, and programs that run there and embedded.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/client/remote/places.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

/// Codelets whose kernels know their runtime and their data from `Runtime::here` and their context alone.
class NestedCodelets final : public NamedCodelets {
 public:
  explicit NestedCodelets(Gate& gate) {
    using enum AccessMode;
    add(Codelet("plus", {read_write}).cpu([](Whole x, double by) {
      for (double& element : x) element += by;
    }));
    add(Codelet("times", {read_write}).cpu([](Whole x, double by) {
      for (double& element : x) element *= by;
    }));
    add(Codelet("gated_plus", {read_write}).cpu([&gate](Whole x, double by) {
      gate.pass();
      for (double& element : x) element += by;
    }));
    add(Codelet("copy_sum", {read, write}).cpu([](VectorView<const double> x, double& sum) {
      sum = 0;
      for (const double element : x) sum += element;
    }));
    add(Codelet("fill", {write}).cpu([](Whole x, double value) { std::fill(x.begin(), x.end(), value); }));
    add(Codelet("fail", {read_write}).cpu([](Whole) {
      throw Error(ErrorCode::numerical, "the child has failed on purpose");
    }));
    add(Codelet("plus_checked", {read_write}).cpu([](Whole x, double by) {
      for (double& element : x) element += by;
    }),
        [](std::span<const Layout> layouts, const Arguments&) -> Result<void> {
          if (layouts[0].elements() != 3) return {};
          return Failure{ErrorCode::invalid_argument, "plus_checked: three elements are not allowed"};
        });
    Codelet slow("slow", {read_write});
    slow.cpu([](Whole) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    slow.flops([](const KernelContext&) { return 1e15; });
    add(slow);
    add_parents(gate);
  }

  [[nodiscard]] int endless() const { return endless_; }
  /// Returns how many kernels "many" have submitted all their children, or failed to.
  [[nodiscard]] int submitted_many() const { return submitted_many_; }

 private:
  struct Counted {
    std::atomic<int>& count;
    ~Counted() { ++count; }
  };

  /// Submits a child of the codelet with this name.
  Future child(Runtime& runtime, std::string_view name, const Handle& handle, double by) const {
    return runtime.submit((*this)[name], {handle}, args(by));
  }
  static std::vector<Handle> halves(Runtime& runtime, const Handle& whole, std::int64_t size) {
    const std::array<Block, 2> blocks{Block{0, 0, size / 2, 1}, Block{size / 2, 0, size - size / 2, 1}};
    return runtime.partition(whole, blocks);
  }

  void add_parents(Gate& gate) {
    using enum AccessMode;
    // Adds a number to each element, by halves down to `least` elements.
    add(Codelet("plus_by_halves", {read_write})
            .cpu([this](const KernelContext& context, Whole x, double by, std::int64_t least) {
              if (static_cast<std::int64_t>(x.size()) <= least) {
                for (double& element : x) element += by;
                return;
              }
              Runtime runtime = Runtime::here();
              for (const Handle& half : halves(runtime, context.handle(0), static_cast<std::int64_t>(x.size()))) {
                runtime.submit((*this)["plus_by_halves"], {half}, args(by, least), {.nested = true});
              }
            }));
    // Changes each of the weak data, the first behind the gate.
    add(Codelet("plus_weak", {}).cpu([this](const KernelContext& context, double by) {
      Runtime runtime = Runtime::here();
      for (std::size_t i = 0; i < context.weak_size(); ++i) {
        child(runtime, i == 0 ? "gated_plus" : "plus", context.weak(i), by);
      }
    }));
    // Sums its data by a temporary of each half, and waits for them.
    add(Codelet("sum_by_temporaries", {read_write, write})
            .cpu([this](const KernelContext& context, Whole x, double& sum) {
              Runtime runtime = Runtime::here();
              const auto parts = halves(runtime, context.handle(0), static_cast<std::int64_t>(x.size()));
              const Scalar<double> first = runtime.allocate_scalar<double>("first");
              const Scalar<double> second = runtime.allocate_scalar<double>("second");
              runtime.submit((*this)["copy_sum"], {parts[0], first});
              const Future last = runtime.submit((*this)["copy_sum"], {parts[1], second});
              last.wait();
              runtime.wait();
              sum = *runtime.acquire(first, read).view().as_matrix<const double>().data +
                    *runtime.acquire(second, read).view().as_matrix<const double>().data;
            }));
    // Adds a number by an inline kernel that is a child.
    add(Codelet("plus_inline", {read_write}).cpu([](const KernelContext& context, Whole, double by) {
      Runtime runtime = Runtime::here();
      runtime.submit(
          [by](Whole x) {
            for (double& element : x) element += by;
          },
          troupe::read_write(context.handle(0)));
    }));
    add(Codelet("one_fails", {read_write}).cpu([this](const KernelContext& context, Whole x) {
      Runtime runtime = Runtime::here();
      const auto parts = halves(runtime, context.handle(0), static_cast<std::int64_t>(x.size()));
      runtime.submit((*this)["fail"], {parts[0]});
      child(runtime, "plus", parts[1], 1.0);
    }));
    // Submits many children on its data, those after the first behind the gate.
    add(Codelet("many", {read_write}).cpu([this, &gate](const KernelContext& context, Whole, std::int64_t count) {
      Runtime runtime = Runtime::here();
      {
        const Counted counted{submitted_many_};
        for (std::int64_t i = 0; i < count; ++i) child(runtime, "gated_plus", context.handle(0), 1.0);
      }
      gate.pass();
    }));
    // Never ends by itself: each task submits two of its kind, each of which waits for its turn.
    add(Codelet("endless", {read_write}).cpu([this](const KernelContext& context, Whole) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      Runtime runtime = Runtime::here();
      for (int i = 0; i < 2; ++i) runtime.submit((*this)["endless"], {context.handle(0)}, {}, {.nested = true});
      ++endless_;
    }));
    add(Codelet("allocates", {read_write}).cpu([](Whole x, std::int64_t mebibytes) {
      Runtime runtime = Runtime::here();
      std::vector<Data> kept;
      for (std::int64_t i = 0; i < mebibytes; ++i) kept.push_back(runtime.allocate_vector<char>(1 << 20));
      x[0] = static_cast<double>(kept.size());
    }));
    add(Codelet("divides", {read_write}).cpu([](const KernelContext& context, Whole x) {
      Runtime runtime = Runtime::here();
      std::vector<Block> blocks;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i) blocks.push_back({i, 0, 1, 1});
      runtime.partition(context.handle(0), blocks);
    }));
    // Cuts off one element, and leaves the others to a task of its kind.
    add(Codelet("sheds", {read_write}).cpu([this](const KernelContext& context, Whole x) {
      const auto size = static_cast<std::int64_t>(x.size());
      x[0] += 1;
      if (size == 1) return;
      Runtime runtime = Runtime::here();
      const std::array<Block, 2> blocks{Block{0, 0, 1, 1}, Block{1, 0, size - 1, 1}};
      const auto parts = runtime.partition(context.handle(0), blocks);
      runtime.submit((*this)["sheds"], {parts[1]}, {}, {.nested = true});
    }));
    add(Codelet("child_of_three", {read_write}).cpu([this](const KernelContext& context, Whole) {
      Runtime runtime = Runtime::here();
      child(runtime, "plus_checked", context.handle(0), 1.0);
    }));
    add(Codelet("slow_child", {read_write}).cpu([this](const KernelContext& context, Whole) {
      Runtime runtime = Runtime::here();
      runtime.submit((*this)["slow"], {context.handle(0)});
    }));
    add(Codelet("records", {read_write}).cpu([](Whole) {
      Runtime runtime = Runtime::here();
      static_cast<void>(runtime.record([] {}));
    }));
    add(Codelet("reports", {read_write}).cpu([](Whole) { static_cast<void>(Runtime::here().report()); }));
    // Waits for a child behind the gate, and adds its own number then.
    add(Codelet("waits", {read_write}).cpu([this](const KernelContext& context, Whole x, double by) {
      Runtime runtime = Runtime::here();
      child(runtime, "gated_plus", context.handle(0), by);
      runtime.wait();
      for (double& element : x) element *= 2;
    }));
  }

  std::atomic<int> endless_{0};
  std::atomic<int> submitted_many_{0};
};

using NestedPlaces = PlacesWith<NestedCodelets>;

}  // namespace troupe::tests
