// Tests of mistakes that beginners make. Each error must name the object in question and say what to do.
#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "tests/client/fixture.hpp"
#include "troupe/machine.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

namespace newcomer {

struct Program {
  Runtime runtime{with_workers(1)};
  std::vector<double> numbers{1, 2, 3, 4};
  std::vector<float> floats{1, 2};
  double x = 0;
  Data v = runtime.vector(numbers, "v");
  Data f = runtime.vector(floats, "f");
  Data s = runtime.scalar(x, "s");
};

struct Mistake {
  /// Describes the mistake.
  const char* what;
  std::function<void(Program&)> make;
  ErrorCode code;
  /// Texts that the message must contain: the name of the object and the remedy.
  std::vector<std::string> says;
};

const Codelet& scale() {
  static const Codelet codelet = Codelet("scale", {AccessMode::read_write}).cpu([](VectorView<double> view, double by) {
    for (double& one : view) one *= by;
  });
  return codelet;
}

struct Triple {
  double a, b, c;
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> kMistakes{
      {"floats for a kernel on doubles",
       [](Program& p) { p.runtime.submit(scale(), {p.f}, args(2.0)); },
       ErrorCode::signature_mismatch,
       {"'scale'", "'f'", "element type float", "kernel takes double"}},
      {"an int where a double is taken",
       [](Program& p) { p.runtime.submit(scale(), {p.v}, args(2)); },
       ErrorCode::signature_mismatch,
       {"'scale'", "argument 0 is int", "double", "cast it"}},
      {"a struct where a double is taken",
       [](Program& p) { p.runtime.submit(scale(), {p.v}, args(Triple{})); },
       ErrorCode::signature_mismatch,
       {"argument 0 is a type of 24 bytes", "double"}},
      {"no argument",
       [](Program& p) { p.runtime.submit(scale(), {p.v}); },
       ErrorCode::signature_mismatch,
       {"'scale'", "takes 1 arguments", "has 0"}},
      {"too many arguments",
       [](Program& p) { p.runtime.submit(scale(), {p.v}, args(1.0, 2.0)); },
       ErrorCode::signature_mismatch,
       {"takes 1 arguments", "has 2"}},
      {"no data",
       [](Program& p) { p.runtime.submit(scale(), {}, args(2.0)); },
       ErrorCode::signature_mismatch,
       {"'scale'", "takes 1 handles", "has 0"}},
      {"too many data",
       [](Program& p) {
         p.runtime.submit(scale(), {p.v, p.s}, args(2.0));
       },
       ErrorCode::signature_mismatch,
       {"takes 1 handles", "has 2"}},
      {"another mode than the codelet's",
       [](Program& p) { p.runtime.submit(scale(), {read(p.v)}, args(2.0)); },
       ErrorCode::signature_mismatch,
       {"access 0", "declared read_write", "says read"}},
      {"a codelet without a kernel",
       [](Program& p) { p.runtime.submit(Codelet("empty", {AccessMode::read}), {p.v}); },
       ErrorCode::no_implementation,
       {"'empty'", "no implementation", "Codelet::cpu"}},
      {"a kernel that takes const what it writes",
       [](Program&) { (void)Codelet("odd", {AccessMode::read_write}).cpu([](VectorView<const double>) {}); },
       ErrorCode::signature_mismatch,
       {"'odd'", "const"}},
      {"a kernel that writes what it reads",
       [](Program&) { (void)Codelet("odd", {AccessMode::read}).cpu([](VectorView<double>) {}); },
       ErrorCode::signature_mismatch,
       {"'odd'", "add const"}},
      {"one element asked of many",
       [](Program& p) { p.runtime.submit(Codelet("one", {AccessMode::write}).cpu([](double& x) { x = 1; }), {p.v}); },
       ErrorCode::signature_mismatch,
       {"'v'", "4 elements", "needs one"}},
      {"the same data twice",
       [](Program& p) {
         p.runtime.submit(Codelet("two", {AccessMode::read, AccessMode::write}).cpu([](const KernelContext&) {}),
                          {p.v, p.v});
       },
       ErrorCode::conflicting_access,
       {"access 1", "'v'", "same data"}},
      {"data that were released",
       [](Program& p) {
         const Handle handle = p.v;
         p.v.release();
         p.runtime.submit(scale(), {handle}, args(2.0));
       },
       ErrorCode::invalid_handle,
       {"'scale'", "access 0", "released"}},
      {"data of another runtime",
       [](Program& p) {
         Program other;
         p.runtime.submit(scale(), {other.v}, args(2.0));
       },
       ErrorCode::invalid_handle,
       {"'scale'", "runtime"}},
      {"an empty handle",
       [](Program& p) { p.runtime.submit(scale(), {Handle()}, args(2.0)); },
       ErrorCode::invalid_handle,
       {"'scale'", "access 0"}},
      {"memory that is registered twice",
       [](Program& p) { (void)p.runtime.vector(p.numbers, "again"); },
       ErrorCode::overlapping_handles,
       {"'again'", "'v'"}},
      {"a matrix with a leading dimension that is too small",
       [](Program& p) { (void)p.runtime.matrix(p.numbers.data() + 1, 4, 1, 2, "m"); },
       ErrorCode::invalid_argument,
       {"4 x 1", "leading dimension 2", "at least the rows"}},
      {"a negative size",
       [](Program& p) { (void)p.runtime.matrix<double>(nullptr, -1, 1, 1, "m"); },
       ErrorCode::invalid_argument,
       {"-1 x 1", "must not be negative"}},
      {"data looked at as another type",
       [](Program& p) { (void)p.runtime.acquire(p.v, AccessMode::read).vector<float>(); },
       ErrorCode::signature_mismatch,
       {"element type double", "as float", "registered"}},
      {"acquiring in a mode for tasks",
       [](Program& p) { (void)p.runtime.acquire(p.v, AccessMode::reduce); },
       ErrorCode::invalid_argument,
       {"reduce", "use read, write or read_write"}},
      {"reducing without methods",
       [](Program& p) { p.runtime.submit(Codelet("sum", {AccessMode::reduce}).cpu([](VectorView<double>) {}), {p.v}); },
       ErrorCode::invalid_argument,
       {"'v'", "reduce", "set_reduction"}},
      {"waiting in a kernel",
       [](Program& p) {
         Runtime* const runtime = &p.runtime;
         p.runtime.submit(
             Codelet("waits", {AccessMode::read_write}).cpu([runtime](VectorView<double>) { runtime->wait(); }), {p.v});
         p.runtime.wait();
       },
       ErrorCode::wait_in_kernel,
       {"codelet waits", "waited for its own runtime", "submit a task that depends"}},
      {"a kernel that throws",
       [](Program& p) {
         p.runtime.submit(Codelet("throws", {AccessMode::read_write}).cpu([](VectorView<double>) {
           throw std::runtime_error("index 7");
         }),
                          {p.v});
         p.runtime.wait();
       },
       ErrorCode::kernel_failed,
       {"codelet throws", "index 7", "core"}},
      {"an empty future", [](Program&) { Future().wait(); }, ErrorCode::invalid_argument, {"empty future"}},
      {"a device that there is not",
       [](Program& p) {
         TaskOptions options;
         options.devices = DeviceSet::accelerators();
         p.runtime.submit(scale(), {p.v}, args(2.0), options);
       },
       ErrorCode::no_implementation,
       {"'scale'", "GPU", "no such device"}},
      {"an unknown policy",
       [](Program&) {
         RuntimeOptions options = with_workers(1);
         options.policy = "hefft";
         const Runtime runtime(options);
       },
       ErrorCode::invalid_argument,
       {"'hefft'", "did you mean heft?"}},
      {"an unknown option of a policy",
       [](Program&) {
         RuntimeOptions options = with_workers(1);
         options.policy = "dada:alpa=1";
         const Runtime runtime(options);
       },
       ErrorCode::invalid_argument,
       {"'dada'", "'alpa'", "alpha"}},
      {"no window",
       [](Program&) {
         RuntimeOptions options = with_workers(1);
         options.window = 0;
         const Runtime runtime(options);
       },
       ErrorCode::invalid_argument,
       {"window"}},
      {"more cores than there are",
       [](Program&) {
         RuntimeOptions options;
         options.cores = 100000;
         const Runtime runtime(options);
       },
       ErrorCode::platform,
       {"100000", "core"}},
      {"clusters that are none",
       [](Program&) {
         RuntimeOptions options = with_workers(1);
         options.clusters = "2by2";
         const Runtime runtime(options);
       },
       ErrorCode::invalid_argument,
       {"'2by2'", "2x10"}},
      {"a policy that cannot be made",
       [](Program&) {
         RuntimeOptions options = with_workers(1);
         options.placement.make_policy = []() -> std::unique_ptr<scheduler::PlacingPolicy> {
           throw std::runtime_error("oh");
         };
         const Runtime runtime(options);
       },
       ErrorCode::invalid_argument,
       {"make_policy threw: oh"}}};
  return kMistakes;
}

/// A policy that throws an exception. If `at_once`, it throws in `policy_traits`, otherwise in `place`.
class Throwing final : public scheduler::PlacingPolicy {
 public:
  explicit Throwing(bool at_once) : at_once_(at_once) {}
  void place(std::span<const scheduler::ReadyTask>, const scheduler::Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    if (!at_once_) throw std::runtime_error("no idea");
    for (WorkerId& worker : placement) worker = snapshot.workers.front().id;
  }
  [[nodiscard]] scheduler::PolicyTraits policy_traits() const override {
    if (at_once_) throw std::runtime_error("what am I?");
    return {.uses_times = false};
  }

 private:
  bool at_once_;
};

/// Returns options for virtual time on a machine that has no times of the program's kernels.
RuntimeOptions without_times(const std::string& policy) {
  SimulationOptions simulation;
  simulation.machine = platform::load_machine("idgraf-double").value_or_throw();
  simulation.gpus = {0};
  RuntimeOptions options;
  options.policy = policy;
  if (policy == "own") {
    options.policy = "default";
    options.placement.make_policy = [] { return std::make_unique<Throwing>(false); };
  }
  options.simulation = std::make_shared<const SimulationOptions>(simulation);
  return options;
}

}  // namespace newcomer

BOOST_AUTO_TEST_SUITE(newcomer)

BOOST_AUTO_TEST_CASE(mistakes_name_the_thing_and_the_remedy) {
  for (const auto& mistake : mistakes()) {
    Program program;
    BOOST_TEST_CONTEXT(mistake.what) {
      try {
        mistake.make(program);
        BOOST_ERROR("no error");
      } catch (const Error& error) {
        BOOST_TEST(to_string(error.code()) == to_string(mistake.code));
        for (const std::string& part : mistake.says) {
          BOOST_TEST(contains(error.what(), part), "no '" << part << "' in: " << error.what());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_policy_that_throws_is_named_as_such) {
  RuntimeOptions options = with_workers(1);
  options.placement.make_policy = [] { return std::make_unique<Throwing>(true); };
  BOOST_CHECK_EXCEPTION(
      Runtime{options}, Error,
      failure(ErrorCode::invalid_argument, "the program's own policy", "make_policy", "threw: what am I?"));
  options.placement.make_policy = [] { return std::make_unique<Throwing>(false); };
  Runtime runtime(options);
  double x = 1;
  const Data data = runtime.scalar(x);
  runtime.submit(twice(), {data});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::policy_failed, "the program's own policy", "make_policy", "threw: no idea"));
  BOOST_TEST(x == 2);
}

BOOST_AUTO_TEST_CASE(of_many_failures_the_first_are_spelled_out_and_the_others_counted) {
  Runtime runtime(with_workers(1));
  const Codelet fails = Codelet("fails", {AccessMode::write}).cpu([](double&) { throw std::runtime_error("broken"); });
  std::vector<double> values(1000);
  std::vector<Data> data;
  for (double& value : values) data.push_back(runtime.scalar(value));
  for (const Data& one : data) runtime.submit(fails, {one});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::kernel_failed, "1000 tasks failed: ", "broken", "; and 992 more"));
}

BOOST_AUTO_TEST_CASE(a_missing_kernel_time_is_said_at_submission_before_a_policy_could_be_blamed) {
  for (const char* policy : {"heft", "mct", "dada", "homeward", "lws", "own"}) {
    BOOST_TEST_CONTEXT(policy) {
      Runtime runtime(without_times(policy));
      const Data tile = runtime.matrix<double>(nullptr, 8, 8, 8);
      Codelet unknown = Codelet("unknown", {AccessMode::read_write}).timed_as("mine/unknown/double");
      unknown.implement(DeviceKind::cpu_core, [](const KernelContext&) {});
      BOOST_CHECK_EXCEPTION(runtime.submit(unknown, {tile}), Error,
                            failure(ErrorCode::bad_input, "'unknown'", "8 x 8", "no kernel time for a cpu core",
                                    "times[\"mine/unknown/double\"]", "'idgraf-double'"));
      // The task has no time, so the policy was never asked where to run it.
      runtime.wait();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
