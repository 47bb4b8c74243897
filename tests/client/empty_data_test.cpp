// Tests that data without elements work wherever other data work.
#include <array>
#include <atomic>
#include <vector>

#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(empty_data)

namespace {

RuntimeOptions on_cores() { return with_workers(2); }

/// Returns options with two accelerators. Copies from one accelerator to the other pass through the host.
RuntimeOptions emulated() {
  RuntimeOptions options = with_workers(3);
  options.accelerators.emulated_gpus.resize(2);
  for (platform::EmulationOptions& gpu : options.accelerators.emulated_gpus) gpu.memory = {1 << 20};
  return options;
}

RuntimeOptions placed(const std::string& policy) {
  RuntimeOptions options = emulated();
  options.policy = policy;
  return options;
}

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
};

class EveryUse {
 public:
  explicit EveryUse(const RuntimeOptions& options) : runtime_(options) {
    for (Codelet* codelet : {&read_, &write_, &read_write_, &commute_}) implement_on_all(*codelet);
  }

  void run() {
    std::vector<double> none;
    double somewhere = 0;
    for (const Shape shape : {Shape{0, 8}, Shape{8, 0}, Shape{0, 0}}) {
      for (double* data : {none.data(), &somewhere}) use(data, shape);
    }
    const Data vector = runtime_.vector(none);
    use_everywhere(vector);
    runtime_.wait();
    BOOST_TEST(kernels_.load() == submitted_);
  }

 private:
  void implement_on_all(Codelet& codelet) {
    const auto count = [this](const KernelContext& context) {
      const DataView& view = context.data(0);
      for (std::int64_t j = 0; view.layout.rows > 0 && j < view.layout.cols; ++j) *view.as_matrix<double>().data = 1;
      ++kernels_;
    };
    codelet.cpu(count);
    codelet.implement(DeviceKind::emulated, count);
  }

  void use(double* data, const Shape& shape) {
    for (const bool by_blocks : {false, true}) {
      const Data whole = runtime_.matrix<double>(data, shape.rows, shape.cols, std::max<std::int64_t>(shape.rows, 1));
      std::vector<Block> blocks;
      if (by_blocks) blocks = {{0, 0, shape.rows, shape.cols}, {shape.rows, shape.cols, 0, 0}};
      const std::vector<Handle> parts = runtime_.partition(whole, blocks);
      for (int round = 0; round < 2; ++round) {
        use_everywhere(whole);
        for (const Handle& part : parts) use_everywhere(part);
      }
      if (by_blocks) runtime_.release(parts[0]);
      use_everywhere(whole);
    }
    const Data whole = runtime_.matrix<double>(data, shape.rows, shape.cols, std::max<std::int64_t>(shape.rows, 1));
    runtime_.set_reduction(whole, sum_reduction<double>());
    for (int i = 0; i < 4; ++i) submit(reduce_, whole);
    use_everywhere(whole);
  }

  void use_everywhere(const Handle& handle) {
    for (const Codelet* codelet : {&read_, &write_, &read_write_, &commute_, &commute_, &read_}) {
      submit(*codelet, handle);
    }
    runtime_.wait(handle);
    const HostAccess access = runtime_.acquire(handle, AccessMode::read_write);
    BOOST_TEST(access.view().layout.elements() == 0);
  }

  void submit(const Codelet& codelet, const Handle& handle) {
    runtime_.submit(codelet, {handle});
    ++submitted_;
  }

  std::atomic<int> kernels_{0};
  int submitted_ = 0;
  Codelet read_ = Codelet("read", {AccessMode::read});
  Codelet write_ = Codelet("write", {AccessMode::write});
  Codelet read_write_ = Codelet("read and write", {AccessMode::read_write});
  Codelet commute_ = Codelet("commute", {AccessMode::commute});
  Codelet reduce_ = Codelet("reduce", {AccessMode::reduce}).cpu([this](const KernelContext&) { ++kernels_; });
  Runtime runtime_;
};

BOOST_AUTO_TEST_CASE(are_used_on_cores) { EveryUse(on_cores()).run(); }

BOOST_AUTO_TEST_CASE(are_used_on_accelerators) { EveryUse(emulated()).run(); }

BOOST_AUTO_TEST_CASE(are_placed) {
  for (const char* policy : {"heft", "dada", "heteroprio", "homeward"}) EveryUse(placed(policy)).run();
}

BOOST_AUTO_TEST_CASE(need_no_core) {
  // Data without elements may be divided into zero parts, and an accelerator can still use the data afterwards. The
  // codelet has no kernel for cores. Otherwise a core might run the task, and the test would not notice an error.
  RuntimeOptions options = with_workers(2);
  options.accelerators.emulated_gpus.resize(1);
  Runtime runtime(options);
  std::atomic<int> kernels{0};
  Codelet touch("touch", {AccessMode::read_write});
  touch.implement(DeviceKind::emulated, [&](const KernelContext&) { ++kernels; });
  double somewhere = 0;
  const Data whole = runtime.matrix(&somewhere, 0, 8, 1);
  BOOST_TEST(runtime.partition(whole, {}).empty());
  runtime.submit(touch, {whole});
  runtime.wait();
  BOOST_TEST(kernels.load() == 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
