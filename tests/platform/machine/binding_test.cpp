#include "platform/machine/binding.hpp"

#include <pthread.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <utility>

#include "platform/machine/topology.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(binding_of_threads)

namespace {

CpuSet binding() {
  auto pus = this_thread_binding();
  return pus.ok() ? pus.value() : CpuSet{};
}

BOOST_AUTO_TEST_CASE(a_thread_is_bound_to_each_pu_that_it_may_use) {
  const CpuSet before = binding();
  BOOST_TEST_REQUIRE(!before.empty());
  std::thread([&] {
    for (const int pu : before) {
      const bool bound = bind_this_thread(pu).ok();
      BOOST_TEST(bound);
      BOOST_TEST(to_string(binding()) == std::to_string(pu));
    }
  }).join();
  BOOST_TEST(to_string(binding()) == to_string(before));
}

BOOST_AUTO_TEST_CASE(a_pu_that_does_not_exist_is_refused_by_its_number) {
  for (const int pu : {kMaxPu, kMaxPu + 1, -1}) {
    const auto bound = bind_this_thread(pu);
    BOOST_TEST_REQUIRE(!bound.ok());
    BOOST_TEST((bound.failure().code == ErrorCode::platform));
    BOOST_TEST(tests::contains(bound.failure().message, "PU " + std::to_string(pu)));
  }
}

BOOST_AUTO_TEST_CASE(a_guard_gives_back_what_the_thread_had) {
  const CpuSet before = binding();
  {
    auto guard = BindingGuard::bind(before.back());
    BOOST_TEST_REQUIRE(guard.ok());
    const BindingGuard moved = std::move(guard).value();
    BOOST_TEST(binding().size() == 1U);
  }
  BOOST_TEST(to_string(binding()) == to_string(before));
}

BOOST_AUTO_TEST_CASE(a_guard_lets_a_bound_thread_run_anywhere_for_a_while) {
  const CpuSet all = binding();
  std::thread([&] {
    BOOST_TEST(bind_this_thread(all.front()).ok());
    {
      const auto guard = BindingGuard::bind(all);
      BOOST_TEST_REQUIRE(guard.ok());
      BOOST_TEST(to_string(binding()) == to_string(all));
    }
    BOOST_TEST(to_string(binding()) == std::to_string(all.front()));
  }).join();
}

BOOST_AUTO_TEST_CASE(a_guard_that_fails_changes_nothing) {
  const CpuSet before = binding();
  BOOST_TEST(!BindingGuard::bind(kMaxPu).ok());
  BOOST_TEST(!BindingGuard::bind(CpuSet{}).ok());
  BOOST_TEST(to_string(binding()) == to_string(before));
}

BOOST_AUTO_TEST_CASE(a_bound_thread_does_not_hide_the_cores_of_its_process) {
  const CpuSet before = binding();
  const auto usual = Topology::discover();
  BOOST_TEST_REQUIRE(usual.ok());
  std::thread([&] {
    BOOST_TEST(bind_this_thread(before.front()).ok());
    const auto topology = Topology::discover();
    BOOST_TEST((topology.ok() && topology.value().cores.size() == usual.value().cores.size()));
  }).join();
}

BOOST_AUTO_TEST_CASE(a_name_is_cut_to_what_linux_keeps) {
  std::thread([] {
    name_this_thread("troupe-worker-number-12");
    char name[64] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    BOOST_TEST(std::string(name) == "troupe-worker-n");
  }).join();
}

BOOST_AUTO_TEST_CASE(a_thread_is_let_run_on_a_set_again) {
  std::thread([] {
    const CpuSet all = this_thread_binding().value();
    BOOST_TEST(bind_this_thread(all.front()).ok());
    CpuSet wanted = all;
    wanted.push_back(kMaxPu);  // This PU does not exist.
    BOOST_TEST(bind_this_thread(wanted).ok());
    BOOST_TEST((this_thread_binding().value() == all));
    BOOST_TEST(!bind_this_thread(CpuSet{}).ok());
    BOOST_TEST(!bind_this_thread(CpuSet{-1}).ok());
    BOOST_TEST(!bind_this_thread(CpuSet{kMaxPu + 1}).ok());
  }).join();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
