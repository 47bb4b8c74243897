#include "tests/include_rules.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests {

std::ostream& operator<<(std::ostream& out, const Violation& violation) {
  return out << violation.path << ":" << violation.line << ": " << violation.include << ": " << violation.reason;
}

BOOST_AUTO_TEST_SUITE(include_rules)

namespace {

/// Returns a tree with a header in every folder, which the invented `files` can include. Only the shells use CAF.
std::vector<SourceFile> tree_with(std::vector<SourceFile> files) {
  for (const char* path : {"include/troupe/errors.hpp",
                           "include/troupe/troupe.hpp",
                           "proto/ids.hpp",
                           "graph/handle.hpp",
                           "platform/machine.hpp",
                           "actors/scheduler/policy.hpp",
                           "actors/scheduler/scheduler_actor.hpp",
                           "actors/memory/directory.hpp",
                           "actors/workers/deque.hpp",
                           "actors/workers/worker_actor.hpp",
                           "actors/supervisor.hpp",
                           "actors/run_report.hpp",
                           "client/backend.hpp",
                           "linalg/linalg.hpp",
                           "kernels/gemm.hpp",
                           "kernels/blas_threads.hpp",
                           "kernels/fortran.hpp",
                           "traces/report.hpp",
                           "opencl/objects/object.hpp",
                           "opencl/entries/guard.hpp",
                           "service/server.hpp",
                           "apps/report.hpp",
                           "graph/data/record.hpp",
                           "apps/commands/run.hpp",
                           "lab/bench/peer.hpp",
                           "tests/support/tree.hpp"}) {
    const std::string name = path;
    const bool shell = name.ends_with("_actor.hpp") || name == "actors/supervisor.hpp";
    files.push_back({path, "#pragma once\n#include " + std::string(shell ? "<caf/all.hpp>" : "<vector>") + "\n"});
  }
  return files;
}

/// A file with a single include.
struct Case {
  const char* path;
  const char* include;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.path << " with " << c.include; }
};

std::vector<Violation> check(const Case& c) {
  return check_includes(tree_with({{c.path, "// A file.\n#include " + std::string(c.include) + "\n"}}));
}

const std::vector<Case> kForbidden{
    {"proto/a.cpp", "\"graph/handle.hpp\""},
    {"graph/a.hpp", "\"platform/machine.hpp\""},
    {"graph/a.cpp", "\"actors/workers/deque.hpp\""},
    {"graph/data/a.cpp", "\"client/backend.hpp\""},
    {"platform/a.cpp", "\"graph/handle.hpp\""},
    {"actors/scheduler/a.cpp", "\"actors/workers/deque.hpp\""},
    {"actors/scheduler/a_actor.cpp", "\"actors/workers/worker_actor.hpp\""},
    {"actors/workers/a.cpp", "\"actors/memory/directory.hpp\""},
    {"actors/memory/a.cpp", "\"actors/scheduler/policy.hpp\""},
    {"actors/workers/a_actor.cpp", "\"actors/supervisor.hpp\""},
    {"actors/a.cpp", "\"client/backend.hpp\""},
    {"actors/a.cpp", "\"kernels/gemm.hpp\""},
    {"kernels/a.cpp", "\"client/backend.hpp\""},
    {"kernels/a.cpp", "\"actors/workers/deque.hpp\""},
    {"platform/a.cpp", "\"kernels/gemm.hpp\""},
    {"client/a.cpp", "\"kernels/gemm.hpp\""},
    {"client/a.cpp", "\"apps/report.hpp\""},
    {"apps/a.cpp", "\"lab/bench/peer.hpp\""},
    {"apps/a.cpp", "\"tests/support/tree.hpp\""},
    // Includes that break the rules about rooms.
    {"graph/deep/a.cpp", "\"proto/ids.hpp\""},
    {"graph/codelets/a.cpp", "\"graph/data/record.hpp\""},
    {"apps/run/a.cpp", "\"apps/commands/run.hpp\""},
    // Includes that break the rules in another form of writing.
    {"graph/a.cpp", "<client/backend.hpp>"},
    {"graph/a.cpp", "\"troupe/troupe.hpp\""},
    {"include/troupe/a.hpp", "\"proto/ids.hpp\""},
    {"graph/a.cpp", "<troupe/troupe.hpp>"},
    {"client/a.cpp", "<troupe/linalg.hpp>"},
    {"graph/a.cpp", "<troupe/actors/supervisor.hpp>"},
    // Cores that include shells.
    {"actors/workers/a.cpp", "\"actors/workers/worker_actor.hpp\""},
    {"actors/scheduler/a.hpp", "\"actors/scheduler/scheduler_actor.hpp\""},
    {"apps/a.cpp", "\"actors/supervisor.hpp\""},
    {"client/a.cpp", "\"actors/supervisor.hpp\""},
    {"tests/graph/a_test.cpp", "\"actors/supervisor.hpp\""},
    // Files that include libraries where these are not allowed.
    {"proto/a.hpp", "<caf/all.hpp>"},
    {"actors/workers/a.cpp", "<caf/actor.hpp>"},
    {"client/a.cpp", "\"caf/actor.hpp\""},
    {"tests/graph/a_test.cpp", "<caf/all.hpp>"},
    {"actors/workers/a_actor.cpp", "<hwloc.h>"},
    {"kernels/a.cpp", "<hwloc/glibc-sched.h>"},
    {"tests/actors/a_test.cpp", "<hwloc.h>"},
    {"apps/a.cpp", "<cblas.h>"},
    {"apps/a.cpp", "<lapacke.h>"},
    {"apps/a.cpp", "\"kernels/fortran.hpp\""},
    {"graph/a.cpp", "<openblas/f77blas.h>"},
    {"client/a.cpp", "<openblas_config.h>"},
    {"tests/apps/a_test.cpp", "<lapack.h>"},
    {"kernels/a.cpp", "<cuda_runtime.h>"},
    {"platform/a.cpp", "<cublas_v2.h>"},
    {"kernels/gpu.cu", "<vector>"},
    {"platform/a.cpp", "<CL/cl.h>"},
    {"client/a.cpp", "\"opencl/objects/object.hpp\""},
    {"traces/a.cpp", "\"opencl/objects/object.hpp\""},
    {"opencl/a.cpp", "\"apps/report.hpp\""},
    {"opencl/objects/a.cpp", "\"opencl/entries/guard.hpp\""},
    {"tests/platform/opencl/a_test.cpp", "<CL/cl_icd.h>"},
    {"apps/lower_bounds.cpp", "<glpk.h>"},
    {"client/a.cpp", "<pybind11/pybind11.h>"},
    {"apps/run/a.cpp", "<nlohmann/json.hpp>"},
    {"python/a.cpp", "\"apps/report.hpp\""},
    // Includes that are written in a wrong form.
    {"graph/a.cpp", "\"handle.hpp\""},
    {"graph/a.cpp", "\"../proto/ids.hpp\""},
    {"graph/a.cpp", "\"graph/missing.hpp\""},
    {"graph/a.cpp", "GRAPH_HEADER"},
    {"lib/a.cpp", "<vector>"},
};

const std::vector<Case> kAllowed{
    {"proto/a.cpp", "\"proto/ids.hpp\""},
    {"graph/a.cpp", "\"proto/ids.hpp\""},
    {"platform/a.cpp", "\"proto/ids.hpp\""},
    {"graph/a.cpp", "\"graph/data/record.hpp\""},
    {"graph/data/a.cpp", "\"graph/handle.hpp\""},
    {"graph/recording/a.cpp", "\"graph/data/record.hpp\""},
    {"actors/scheduler/a.cpp", "\"graph/handle.hpp\""},
    {"actors/workers/a.cpp", "\"platform/machine.hpp\""},
    {"actors/workers/a.cpp", "\"actors/workers/deque.hpp\""},
    {"actors/workers/a_actor.cpp", "\"actors/workers/deque.hpp\""},
    {"actors/workers/a_actor.cpp", "\"actors/workers/worker_actor.hpp\""},
    {"actors/a.cpp", "\"actors/workers/worker_actor.hpp\""},
    {"actors/a.cpp", "\"actors/supervisor.hpp\""},
    {"client/a.hpp", "\"actors/run_report.hpp\""},
    {"client/a.cpp", "\"proto/ids.hpp\""},
    {"kernels/a.cpp", "\"graph/handle.hpp\""},
    {"kernels/a.cpp", "\"platform/machine.hpp\""},
    {"apps/a.cpp", "\"kernels/gemm.hpp\""},
    {"apps/a.cpp", "\"kernels/blas_threads.hpp\""},
    {"lab/bench/a.cpp", "\"client/backend.hpp\""},
    {"include/troupe/a.hpp", "\"troupe/errors.hpp\""},
    {"proto/a.cpp", "\"troupe/errors.hpp\""},
    {"kernels/a.cpp", "<troupe/errors.hpp>"},
    {"client/a.cpp", "\"troupe/troupe.hpp\""},
    {"lab/bench/a.cpp", "\"apps/report.hpp\""},
    {"lab/bench/runners/a.cpp", "<lapacke.h>"},
    {"service/a.cpp", "\"client/backend.hpp\""},
    {"apps/a.cpp", "<troupe/troupe.hpp>"},
    {"apps/a.cpp", "<troupe/linalg.hpp>"},
    {"tests/apps/a_test.cpp", "\"actors/workers/deque.hpp\""},
    {"tests/graph/a_test.cpp", "\"tests/support/tree.hpp\""},
    {"actors/workers/a_actor.cpp", "<caf/all.hpp>"},
    {"actors/a.hpp", "<caf/all.hpp>"},
    {"tests/actors/workers/a_actor_test.cpp", "<caf/all.hpp>"},
    {"tests/actors/a_test.cpp", "<caf/all.hpp>"},
    {"platform/a.cpp", "<hwloc.h>"},
    {"tests/platform/a_test.cpp", "<hwloc.h>"},
    {"kernels/a.cpp", "<cblas.h>"},
    {"kernels/a.cpp", "\"kernels/fortran.hpp\""},
    {"tests/kernels/a_test.cpp", "<lapacke.h>"},
    {"kernels/cuda_gemm.cu", "<cublas_v2.h>"},
    {"actors/workers/cuda_device.cpp", "<cuda_runtime.h>"},
    {"platform/opencl/opencl_a.cpp", "<CL/cl_icd.h>"},
    {"opencl/objects/a.hpp", "<CL/cl_icd.h>"},
    {"opencl/entries/a.cpp", "\"opencl/objects/object.hpp\""},
    {"opencl/a.cpp", "\"traces/report.hpp\""},
    {"tests/opencl/a_test.cpp", "<CL/cl.h>"},
    {"tests/platform/opencl/opencl_a_test.cpp", "<CL/cl.h>"},
    {"apps/bounds/linear_program.cpp", "<glpk.h>"},
    {"python/module/a.cpp", "<pybind11/pybind11.h>"},
    {"proto/json/json.cpp", "<nlohmann/json.hpp>"},
    {"python/module/a.cpp", "\"linalg/linalg.hpp\""},
    {"apps/a.cpp", "<fmt/format.h>"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_forbidden_include_is_reported_once_with_its_line, boost::unit_test::data::make(kForbidden), c) {
  const auto violations = check(c);
  BOOST_TEST_REQUIRE(violations.size() == 1U);
  BOOST_TEST(violations[0].path == c.path);
  const bool whole_file = violations[0].line == 0;
  BOOST_TEST((whole_file || violations[0].line == 2));
  BOOST_TEST(!violations[0].reason.empty());
}

BOOST_DATA_TEST_CASE(an_allowed_include_is_not_reported, boost::unit_test::data::make(kAllowed), c) {
  BOOST_TEST(check(c) == std::vector<Violation>{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_file_that_brings_a_library_in_through_others_is_reported) {
  const auto violations = check_includes({{"actors/workers/pin.hpp", "\n#include \"platform/machine.hpp\"\n"},
                                          {"platform/machine.cpp", "#include \"platform/machine.hpp\"\n"},
                                          {"platform/machine.hpp", "#include \"platform/topology.hpp\"\n"},
                                          {"platform/topology.hpp", "#include <hwloc.h>\n"}});
  BOOST_TEST_REQUIRE(violations.size() == 1U);
  BOOST_TEST(violations[0].path == "actors/workers/pin.hpp");
  BOOST_TEST(violations[0].line == 2);
  BOOST_TEST(violations[0].reason.find("hwloc") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(headers_that_include_one_another_end_the_search) {
  BOOST_TEST(
      check_includes({{"graph/a.hpp", "#include \"graph/b.hpp\"\n"}, {"graph/b.hpp", "#include \"graph/a.hpp\"\n"}})
          .empty());
}

BOOST_AUTO_TEST_CASE(unusual_spacing_hides_nothing) {
  BOOST_TEST(
      check_includes(tree_with({{"graph/a.cpp", "#pragma once\n  #  include\t<caf/all.hpp>  // why not\n"}})).size() ==
      1U);
}

BOOST_AUTO_TEST_CASE(this_tree_keeps_the_rules) {
  const auto files = read_tree(TROUPE_SOURCE_DIR);
  std::set<std::string> tops;
  for (const SourceFile& file : files) tops.insert(file.path.substr(0, file.path.find('/')));
  for (const char* folder : {"proto", "graph", "platform", "actors", "client", "kernels", "apps", "tests"}) {
    BOOST_TEST(tops.contains(folder), "no source was found in " << folder << "/");
  }
  for (const Violation& violation : check_includes(files)) BOOST_ERROR(violation);
}

BOOST_AUTO_TEST_CASE(a_program_gets_few_headers) {
  // <troupe/troupe.hpp> itself does not count.
  constexpr std::size_t kMost = 25;
  const auto headers = headers_behind(read_tree(TROUPE_SOURCE_DIR), "include/troupe/troupe.hpp");
  BOOST_TEST(headers.size() > 10U);
  BOOST_TEST(headers.size() - 1 <= kMost);
}

BOOST_AUTO_TEST_CASE(no_folder_has_too_many_files_to_be_looked_at) {
  constexpr int kMost = 30;
  std::map<std::string, int> count;
  for (const SourceFile& file : read_tree(TROUPE_SOURCE_DIR)) ++count[file.path.substr(0, file.path.rfind('/'))];
  for (const auto& [folder, files] : count) BOOST_TEST(files <= kMost, folder << "/ has " << files << " files");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
