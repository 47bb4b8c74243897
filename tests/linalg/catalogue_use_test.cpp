// Tests that a service's checks accept every task that the applications submit.
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_record.hpp"
#include "graph/submission_observer.hpp"
#include "graph/tasks/task.hpp"
#include "kernels/checks/catalogue.hpp"
#include "tests/support/random/factorization_case_actor.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(catalogue_use)

namespace {

/// Checks every task of a tile codelet like a service.
class CheckingObserver final : public graph::SubmissionObserver {
 public:
  void submitted(const graph::Task& task) noexcept override {
    if (task.role != graph::TaskRole::user || task.codelet == nullptr || task.codelet->internal) return;
    const std::lock_guard lock(mutex_);
    const kernels::CatalogueEntry* const entry = kernels::find_in_catalogue(task.codelet->known_name());
    if (entry == nullptr) {
      ++unknown[task.codelet->known_name()];
      return;
    }
    ++checked[entry->name];
    std::vector<Layout> layouts;
    for (std::size_t i = 0; i < task.access_count; ++i) layouts.push_back(task.accesses[i].data()->view.layout);
    Arguments arguments;
    for (std::size_t i = 0; i < task.codelet->argument_types.size(); ++i) {
      const ArgumentType& type = task.codelet->argument_types[i];
      arguments.append_bytes(type.tag, type.size, type.alignment,
                             task.stored_arguments.bytes.data() + task.argument_offsets[i]);
    }
    if (const auto outcome = entry->check(layouts, arguments); !outcome) refused.push_back(outcome.failure().message);
  }

  std::map<std::string, int> checked;
  std::map<std::string, int> unknown;
  std::vector<std::string> refused;

 private:
  std::mutex mutex_;
};

BOOST_AUTO_TEST_CASE(all_tasks_of_factorizations_and_solutions_pass_the_checks) {
  const auto observer = std::make_shared<CheckingObserver>();
  constexpr std::uint64_t kCases = 120;
  constexpr double kMostTasks = 3000;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    tests::FactorizationCase one = tests::drawn_case(seed, 1, 150, kMostTasks);
    one.runtime.observation.observer = observer;
    for (const Residual& residual : tests::residuals_of(one)) BOOST_TEST(residual.accepted(), tests::describe(one));
  }
  BOOST_TEST(observer->refused.empty(), (observer->refused.empty() ? "" : observer->refused.front()));
  BOOST_TEST_MESSAGE(observer->checked.size() << " codelets were used");
  for (const char* name : {"potrf/double", "gemm_nt/float", "gemm_nn/double", "getrf_panel/double",
                           "swap_and_solve/float", "swap_rows/double", "solve_upper/double", "geqrt/double",
                           "tpqrt/float", "tpmqrt/double", "gemqrt_transposed/double", "getrf_incpiv/double",
                           "gessm/float", "gessm_back/double", "tstrf/double", "ssssm/float", "ssssm_back/double"}) {
    BOOST_TEST(observer->checked[name] > 0, name);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
