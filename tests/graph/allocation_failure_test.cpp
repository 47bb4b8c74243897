// Where memory runs out in the middle of a submission.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

BOOST_AUTO_TEST_SUITE(allocation_failure)

namespace {
constexpr long kAll = std::numeric_limits<long>::max();
/// Allocations of this thread that succeed from now on.
thread_local long allocations_left = kAll;

void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left != kAll && allocations_left-- <= 0) return nullptr;
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(alignment, whole);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = allocate(size == 0 ? 1 : size, alignment)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// NOLINTBEGIN: of this program only
void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
// NOLINTEND

namespace troupe::graph {

namespace {

using tests::register_scalar;
using tests::StepHost;
using tests::submit;

struct Fixture {
  StepHost host;
  TaskGraph& graph = host.graph;
  std::vector<double> values = std::vector<double>(12);
  std::vector<Handle> handles;
  Codelet add = Codelet::variadic("add").cpu([](const KernelContext& context) {
    for (std::size_t i = 0; i < context.size(); ++i) *context.matrix<double>(i).data += 1;
  });
  Codelet look = Codelet::variadic("look").cpu([](const KernelContext&) {});
  std::vector<Access> all;

  Fixture() {
    for (double& value : values) handles.push_back(register_scalar(graph, value));
    graph.set_reduction(handles[0], sum_reduction<double>()).value_or_throw();
    for (const Handle& handle : handles) all.push_back(read_write(handle));
    // Readers and a reduction before: the task that is looked at waits for many.
    for (int i = 0; i < 20; ++i) {
      std::vector<Access> some;
      for (const Handle& handle : handles) some.push_back(read(handle));
      (void)graph.submit({look, some, {}, {}}).value_or_throw();
    }
    const std::vector<Access> reduced{reduce(handles[0])};
    (void)graph.submit({add, reduced, {}, {}}).value_or_throw();
  }

  /// Whether all of it could be had.
  bool submit_with(long allocations) {
    TaskOptions options;
    options.name = "a name that is too long to be kept inside of a string";
    try {
      allocations_left = allocations;
      const auto submitted = graph.submit({add, all, {}, options});
      allocations_left = kAll;
      return submitted.ok();
    } catch (const std::bad_alloc&) {
      allocations_left = kAll;
      return false;
    }
  }
};

BOOST_AUTO_TEST_CASE(a_task_that_there_is_no_memory_for_is_as_if_it_had_not_been_submitted) {
  bool submitted = false;
  long allocations = 0;
  for (; !submitted && allocations < 1000; ++allocations) {
    Fixture fixture;
    submitted = fixture.submit_with(allocations);
    // What comes after is ordered as if nothing had happened.
    (void)fixture.graph.submit({fixture.add, fixture.all, {}, {}}).value_or_throw();
    BOOST_TEST_REQUIRE(fixture.graph.wait_all().ok());
    const GraphProgress progress = fixture.graph.progress();
    BOOST_TEST_REQUIRE(progress.submitted == progress.ended);
    const double added = submitted ? 2 : 1;
    BOOST_TEST_REQUIRE(fixture.values[0] == added + 1);
    for (std::size_t i = 1; i < fixture.values.size(); ++i) BOOST_TEST_REQUIRE(fixture.values[i] == added);
  }
  BOOST_TEST(submitted);
  BOOST_TEST(allocations > 5);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
