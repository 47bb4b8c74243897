// Random programs of nested tasks whose kernels run in a service.
//
//   test_client_remote --run_test=random_nested_programs_on_a_service -- FIRST [COUNT]   runs COUNT seeds, beginning
// with FIRST.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/client/seeds.hpp"
#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/nested/nested_program_actor.hpp"
#include "tests/support/running_service.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(random_nested_programs_on_a_service)

namespace {

/// One codelet, which submits the operations of the program that its argument points to.
class ProgramCodelets final : public service::CodeletSource {
 public:
  explicit ProgramCodelets(Gate& /*gate*/) {
    program_.codelet.cpu(
        [](const KernelContext& context, VectorView<std::uint64_t>, VectorView<std::uint64_t>, std::uint64_t address) {
          reinterpret_cast<NestedChildren*>(address)->submit(context.handle(0), context.handle(1));
        });
  }
  [[nodiscard]] const service::ServiceCodelet* find(std::string_view name) const override {
    return name == "program" ? &program_ : nullptr;
  }

 private:
  service::ServiceCodelet program_{Codelet("program", {AccessMode::read_write, AccessMode::read_write})};
};

/// Runs one program of a client, and returns what is wrong. Counts the programs whose results were compared.
std::vector<std::string> execute(const NestedProgram& program, Runtime& runtime, const Codelet& codelet,
                                 std::uint64_t& compared) {
  NestedChildren children(program);
  std::array<std::vector<std::uint64_t>, 2> vectors;
  vectors.fill(std::vector<std::uint64_t>(NestedChildren::size_of_vector(), 1));
  std::string failure;
  {
    const auto first = runtime.vector(vectors[0]);
    const auto second = runtime.vector(vectors[1]);
    const Future task =
        runtime.submit(codelet, {first, second}, args(reinterpret_cast<std::uint64_t>(&children)), {.nested = true});
    try {
      task.wait();
      runtime.wait();
    } catch (const Error& error) {
      failure = error.what();
    }
    try {
      runtime.wait();
    } catch (const Error&) {
      // The failure has been seen above.
    }
  }
  if (!failure.empty() && !program.faults) return {failure};
  if (!children.all_valid()) return {};
  ++compared;
  return children.check(vectors);
}

void run_nested_programs(bool waits, bool faults) {
  const Seeds run = seeds(500);
  SeedWatchdog watchdog;
  ServiceWith<ProgramCodelets> service;
  Runtime runtime = Runtime::connect({service.folder(), "test"});
  const Codelet& codelet = service.codelets().find("program")->codelet;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    watchdog.next(seed);
    const NestedProgram program{.seed = seed, .faults = faults, .waits = waits};
    for (const std::string& problem : execute(program, runtime, codelet, compared)) {
      BOOST_ERROR(describe(program) << ": " << problem);
    }
  }
  // Where kernels throw, results are compared that no failure touches.
  BOOST_TEST(compared >= (faults ? 0 : run.count));
}

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) { run_nested_programs(false, false); }
BOOST_AUTO_TEST_CASE(with_waits_end_as_if_run_one_task_after_the_other) { run_nested_programs(true, false); }
BOOST_AUTO_TEST_CASE(with_faults_end) { run_nested_programs(true, true); }

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
