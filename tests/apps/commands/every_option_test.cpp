// Tests that every option of every command has an effect or is refused. Each option must have a case in the tables
// below.
#include <built_paths.hpp>  // written by the build

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "actors/options/option_table.hpp"
#include "apps/command_line.hpp"
#include "lab/experiments/experiment_commands.hpp"
#include "tests/apps/commands/option_cases.hpp"
#include "tests/apps/troupe_program.hpp"
#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.
#include "apps/serving/serve_arguments.hpp"
#include "apps/serving/serve_command.hpp"
#include "tests/apps/service/serve_process.hpp"
#endif

namespace troupe::apps {

namespace every_option {

using namespace tests;

/// The cases of each command; the key is the command, such as "model show".
using Cases = std::map<std::string, std::vector<OptionCase>>;

const std::string kRun = "run cholesky --n 40 --tile 8 --json";
const std::string kSparse = "run sparse-lu --n 6 --block 8 --json";
const std::string kSolve = "solve @/a.mtx --json";
const std::string kSparseSolve = "solve @/a.mtx --sparse --block 1 --super 1 --json";
const std::string kSimulate =
    "simulate cholesky --platform idgraf-double --n 1024 --tile 512 --gpus 2 --policy heft --json";
const std::string kSimulateSparse = "simulate sparse-lu --platform amd-gtx470 --n 10 --policy heft --json";
const std::string kCalibrate = "model calibrate --models @/c --tile 16 --samples 3 --precision double --cores 1 --json";
const std::string kScaling =
    "experiment scaling cholesky --platform idgraf-double --n 1024 --tile 512 --policy heft --gpus 1 --repeat 1 --json";
const std::string kSubmit = "submit cholesky --n 40 --json --socket-folder %";

/// Cases of the options for accelerators, used with a command that has no accelerator.
const std::vector<OptionCase> kAccelerators{{"--gpus", kRun, "+ --gpus 1000", "refused --gpus"},
                                            {"--gpu-memory", kRun, "+ --gpu-memory 1GiB", "refused --gpus"},
                                            {"--lookahead", kRun, "+ --lookahead 2", "refused accelerators"},
                                            {"--core-lookahead", kRun, "+ --core-lookahead 2", "refused accelerators"},
                                            {"--issue-ahead", kRun, "+ --issue-ahead 2", "refused accelerators"},
                                            {"--eviction", kRun, "+ --eviction lru", "refused accelerators"}};

Cases all_cases() {
  Cases cases;
  cases[""] = {{"--version", "run cholesky --n 40", "--version", "output"}};
  cases["help"] = {{"command", "help", "help model show", "output"}};
  cases["run"] = {{"application", kRun, "run lu --n 40 --tile 8 --json", "/app"},
                  {"--n", kRun, "run cholesky --n 41 --tile 8 --json", "/n"},
                  {"--structure", kSparse, "+ --structure band:1", "/stored_blocks"},
                  {"--block", kSparse, "run sparse-lu --n 6 --block 9 --json", "/block"},
                  {"--super", kSparse, "+ --super 2", "/super"},
                  {"--grain", kSparse, "+ --grain fine", "/grain"},
                  {"--ordering", "run sparse-lu --structure @/a.mtx --ordering rcm --json",
                   "run sparse-lu --structure @/a.mtx --ordering natural --json", "/ordering"},
                  {"--steps", kSparse, "+ --steps 3", "/steps"},
                  {"--reuse", kSparse, "+ --reuse uses", "refused --eviction reuse"},
                  {"--tile", kRun, "run cholesky --n 40 --tile 10 --json", "/tile"},
                  {"--tile-rows", kRun, "+ --tile-rows 16", "/tasks"},
                  {"--inner", "run qr --n 40 --tile 16 --inner 8 --check --cores 1 --json",
                   "run qr --n 40 --tile 16 --inner 4 --check --cores 1 --json", "/residual"},
                  {"--precision", kRun, "+ --precision float", "/precision"},
                  {"--pivoting", "run lu --n 40 --json", "+ --pivoting none", "/pivoting"},
                  {"--problem", kRun, "+ --problem poisson", "/problem"},
                  {"--policy", kRun, "+ --policy ws", "/policy"},
                  {"--restrict", kRun, "+ --restrict potrf:gpus", "refused potrf"},
                  {"--cores", kRun, "+ --cores 100000", "refused core"},
                  {"--clusters", kRun, "+ --clusters 1x5000", "refused core"},
                  {"--window", kRun, "+ --window 1", "test client/runtime_test.cpp"},
                  {"--seed", kRun, "+ --seed 7", "/seed"},
                  {"--emulated-gpus", kRun, "+ --emulated-gpus 1:memory=8MiB --models none", "/gpus"},
                  {"--reuse-profile",
                   "run cholesky --n 40 --tile 8 --emulated-gpus 1:memory=8MiB --eviction reuse --models none --json",
                   "+ --reuse-profile @/profile", "file profile"},
                  {"--models", "run cholesky --n 40 --tile 8 --policy heft --models none --json",
                   "run cholesky --n 40 --tile 8 --policy heft --models @/times --json", "file times"},
                  {"--metrics", kRun, "+ --metrics", "/metrics"},
                  {"--why-after", kRun, "run cholesky --n 1200 --tile 1200 --why-after 1ms", "errors stalled"},
                  {"--repeat", kRun, "+ --repeat 2", "/runs"},
                  {"--check", kRun, "+ --check", "/residuals"},
                  {"--peak", kRun, "+ --peak", "/fraction_of_peak"},
                  {"--picture", kRun, "+ --picture @/run.svg", "file run.svg"},
                  {"--trace", kRun, "+ --trace @/run.json", "file run.json"},
                  {"--trace-limit", kRun, "+ --report --trace-limit 5", "errors not complete"},
                  {"--report", kRun, "+ --report", "/report"},
                  {"--json", "run cholesky --n 40 --tile 8", "+ --json", "output"}};
  cases["solve"] = {
      {"matrix", kSolve, "solve @/b.mtx --json", "/n"},
      {"--rhs", kSolve, "+ --rhs @/none.mtx", "refused none.mtx"},
      {"--output", kSolve, "+ --output @/x.mtx", "file x.mtx"},
      {"--method", kSolve, "+ --method qr", "/method"},
      {"--precision", kSolve, "+ --precision float", "/precision"},
      {"--tile", kSolve, "+ --tile 2", "/tile"},
      {"--sparse", kSolve, "+ --sparse", "/ordering"},
      {"--block", kSparseSolve, "solve @/a.mtx --sparse --block 2 --super 1 --json", "/block"},
      {"--super", kSparseSolve, "solve @/a.mtx --sparse --block 1 --super 2 --json", "/super"},
      {"--ordering", "solve @/a.mtx --sparse --ordering rcm --json", "solve @/a.mtx --sparse --ordering natural --json",
       "/ordering"},
      {"--policy", kSolve, "+ --policy ws", "/policy"},
      {"--restrict", kSolve, "+ --restrict getrf:gpus", "refused getrf"},
      {"--cores", kSolve, "+ --cores 100000", "refused core"},
      {"--clusters", kSolve, "+ --clusters 1x5000", "refused core"},
      {"--window", kSolve, "+ --window 1", "test client/runtime_test.cpp"},
      {"--seed", kSolve, "+ --seed 7", "/seed"},
      {"--emulated-gpus", kSolve, "+ --emulated-gpus 1:memory=8MiB --models none", "/gpus"},
      {"--reuse-profile", "solve @/a.mtx --emulated-gpus 1:memory=8MiB --eviction reuse --models none --json",
       "+ --reuse-profile @/solved", "file solved"},
      {"--models", "solve @/a.mtx --policy heft --models none --json",
       "solve @/a.mtx --policy heft --models @/learned --json", "file learned"},
      {"--metrics", kSolve, "+ --metrics", "/metrics"},
      {"--why-after", kSolve, "+ --why-after 1ms", "test apps/command_line_test.cpp"},
      {"--trace", kSolve, "+ --trace @/solve.json", "file solve.json"},
      {"--trace-limit", kSolve, "+ --report --trace-limit 1", "errors not complete"},
      {"--report", kSolve, "+ --report", "/report"},
      {"--json", "solve @/a.mtx", "+ --json", "output"}};
  cases["simulate"] = {
      {"application", kSimulate,
       "simulate qr --platform idgraf-double --n 1024 --tile 512 --gpus 2 --policy heft --json", "/app"},
      {"--n", kSimulate, "+ --n 1536", "/results"},
      {"--tile", kSimulate, "simulate cholesky --platform idgraf-double --n 1024 --tile 1024 --json", "/tile"},
      {"--inner", "simulate qr --platform idgraf-double --n 1024 --tile 512 --inner 64 --json",
       "simulate qr --platform idgraf-double --n 1024 --tile 512 --inner 128 --json", "/inner"},
      {"--pivoting", "simulate lu --platform idgraf-double --n 1024 --tile 512 --json", "+ --pivoting incremental",
       "/pivoting"},
      {"--precision", kSimulate, "+ --precision float", "refused --precision double"},
      {"--structure", kSimulateSparse, "+ --structure band:1", "/structure"},
      {"--block", kSimulate, "+ --block 96", "refused sparse-lu"},
      {"--super", kSimulate, "+ --super 2", "refused sparse-lu"},
      {"--grain", kSimulateSparse, "+ --grain fine", "/grain"},
      {"--ordering", kSimulateSparse, "+ --ordering rcm", "refused --structure FILE.mtx"},
      {"--steps", kSimulateSparse, "+ --steps 3", "/steps"},
      {"--reuse", kSimulateSparse, "+ --reuse uses", "refused --eviction reuse"},
      {"--platform", kSimulate, "simulate cholesky --platform sirocco-double --n 960 --json", "/platform"},
      {"--gpus", kSimulate, "+ --gpus 3", "/results"},
      {"--gpu-order", kSimulate, "+ --gpu-order 3,5", "/results/0/gpu_numbers/0"},
      {"--cores", kSimulate, "+ --cores 1", "/results/0/cores"},
      {"--clusters", kSimulate, "+ --clusters 1x2", "refused clusters"},
      {"--policy", kSimulate, "+ --policy lws", "/results"},
      {"--restrict", kSimulate, "+ --restrict potrf,trsm,syrk,gemm:cores", "/results/0/seconds"},
      {"--seed", kSimulate, "+ --seed 7", "/seed"},
      {"--repeat", kSimulate, "+ --repeat 2", "/repeat"},
      {"--noise", kSimulate, "+ --noise", "/results/0/seconds"},
      {"--model", kSimulate, "+ --model learned", "/options/model"},
      {"--kernel-error", kSimulate, "+ --kernel-error 2", "/options/kernel_error"},
      {"--bandwidth-error", kSimulate, "+ --bandwidth-error 2", "/options/bandwidth_error"},
      {"--gpu-memory", kSimulate, "+ --gpu-memory 1MiB", "errors do not fit"},
      {"--memory-fraction", kSimulate, "+ --memory-fraction 0.0001", "errors do not fit"},
      {"--lookahead", kSimulate, "+ --lookahead 3", "/options/lookahead"},
      {"--kernel-overhead-us", kSimulate, "+ --kernel-overhead-us 1e5", "/results/0/seconds"},
      {"--launch-us", kSimulate, "+ --launch-us 1e5", "/results/0/seconds"},
      {"--notice-us", kSimulate, "+ --notice-us 1e5", "/results/0/seconds"},
      {"--eviction", "simulate cholesky --platform idgraf-double --n 1024 --gpus 0 --json", "+ --eviction lru",
       "refused GPUs"},
      {"--issue-ahead", kSimulate, "+ --issue-ahead 0", "/options/issue_ahead"},
      {"--copy-overhead-us", kSimulate, "+ --copy-overhead-us 1e5", "/results/0/seconds"},
      {"--no-peer-copies", kSimulate, "+ --no-peer-copies", "/options/peer_copies"},
      {"--write-back", kSimulate, "+ --write-back", "/options/write_back"},
      {"--copy-streams", kSimulate, "+ --copy-streams", "/options/copy_streams"},
      {"--priorities", kSimulate, "+ --no-priorities", "/options/priorities"},
      {"--assume", kSimulate, "+ --assume starpu", "/options/memory_fraction"},
      {"--trace", kSimulate, "+ --trace @/simulated.json", "file simulated.json"},
      {"--plot", kSimulate, "+ --plot @/simulated.svg", "file simulated.svg"},
      // This option changes the duration but not the results.
      {"--jobs", kSimulate, "+ --jobs 1", "test apps/commands/command_simulate_test.cpp"},
      {"--report", kSimulate, "+ --report", "refused --clusters auto"},
      {"--json", "simulate cholesky --platform idgraf-double --n 1024 --gpus 1", "+ --json", "output"}};
  cases["model calibrate"] = {
      {"--tile", kCalibrate, "+ --tile 24", "/tiles"},
      {"--precision", kCalibrate, "+ --precision float", "/kernels"},
      {"--samples", kCalibrate, "model calibrate --models @/c --tile 16 --samples 4 --precision double --json",
       "/samples"},
      {"--cores", kCalibrate, "model calibrate --models @/c --cores 100000", "refused core"},
      {"--clusters", kCalibrate, "+ --clusters 1x5000", "refused core"},
      {"--emulated-gpus", kCalibrate, "+ --emulated-gpus 1:memory=8MiB", "/measured_links"},
      {"--reuse-profile", kCalibrate, "+ --reuse-profile @/no", "refused --eviction reuse"},
      {"--models", kCalibrate, "model calibrate --models @/other --tile 16 --samples 3 --json", "file other"},
      {"--json", "model calibrate --models @/c --tile 16 --samples 3 --precision double --cores 1", "+ --json",
       "output"}};
  cases["model show"] = {{"--kernel", "model show --models @/c --json", "+ --kernel nope", "refused nope"},
                         {"--models", "model show --models @/c --json", "model show --models none", "refused none"},
                         {"--json", "model show --models @/c", "+ --json", "output"}};
  cases["model plot"] = {
      {"picture", "model show --models @/c", "model plot @/times.svg --models @/c", "file times.svg"},
      {"--kernel", "model plot @/times.svg --models @/c", "+ --kernel nope", "refused nope"},
      {"--models", "model plot @/times.svg --models @/c", "model plot @/times.svg --models none", "refused none"},
      {"--json", "model plot @/times.svg --models @/c", "+ --json", "output"}};
  cases["info"] = {{"--cores", "info --json", "+ --cores 100000", "refused core"},
                   {"--clusters", "info --json", "+ --clusters 1x5000", "refused core"},
                   {"--platform", "info --json", "+ --platform sirocco", "/platform"},
                   {"--kernels", "info --json", "+ --kernels", "/kernels"},
                   {"--json", "info --platform sirocco", "+ --json", "output"}};
  // The other experiments take at least some seconds, so another test covers them.
  const std::string published = "test lab/experiments/command_experiment_test.cpp";
  cases["experiment"] = {{"name", "help", "experiment nothing", "refused 'nothing'"},
                         {"--out", "help", "experiment eviction --out x", "refused dada"},
                         {"--repeat", "help", "experiment eviction --repeat 3", "refused dada"},
                         {"--seed", "help", "experiment scaling --seed 3", published},
                         {"--assumptions", "help", "experiment eviction --assumptions 1", "refused dada"},
                         {"--policy", "help", "experiment dada --policy heft", "refused policies"},
                         {"--points", "help", "experiment dada --points tuned", "refused policies"},
                         {"--model-error", "help", "experiment dada --model-error 2", "refused policies"},
                         {"--n", "help", "experiment dada --n 5000", "refused clusters"},
                         {"--tile", "help", "experiment dada --tile 960", "refused clusters"},
                         {"--gpus", "help", "experiment dada --gpus 1", "refused clusters"},
                         {"--clusters", "help", "experiment dada --clusters 20x1", "refused clusters"},
                         {"--deviation", "help", "experiment dada --deviation 0.1", "refused clusters"},
                         {"--blocks", "help", "experiment dada --blocks 40", "refused multigrain"},
                         {"--machine", "help", "experiment dada --machine amd-gtx470", "refused multigrain"},
                         {"--structure", "help", "experiment dada --structure third", "refused multigrain"},
                         {"--share", "help", "experiment dada --share 0.5", "refused multigrain"},
                         {"--most-fine", "help", "experiment dada --most-fine 40", "refused multigrain"},
                         {"--rows", "help", "experiment dada --rows virtual", "refused opencl"},
                         {"--scale", "help", "experiment dada --scale 1", "refused opencl"},
                         {"--socl", "help", "experiment dada --socl", "refused opencl"},
                         {"--quick", "help", "experiment eviction --quick", published},
                         {"--jobs", "help", "experiment opencl --jobs 2", "refused opencl"},
                         {"--json", "help", "experiment eviction --json", published}};
  cases["experiment scaling"] = {
      {"application", kScaling,
       "experiment scaling qr --platform idgraf-double --n 1024 --tile 512 --policy heft --gpus 1 --repeat 1 --json",
       "/app"},
      {"--n", kScaling,
       "experiment scaling cholesky --platform idgraf-double --n 1536 --tile 512 --policy heft --gpus 1 --json", "/n"},
      {"--tile", kScaling,
       "experiment scaling cholesky --platform idgraf-double --n 1024 --tile 256 --policy heft --gpus 1 --json",
       "/tile"},
      {"--inner", kScaling, "+ --inner 64", "refused qr"},
      {"--precision", kScaling, "+ --precision float", "refused --precision double"},
      {"--policy", kScaling, "+ --policy lws", "/results"},
      {"--real", kScaling, "experiment scaling cholesky --real --gpus 1000 --n 64 --policy heft", "refused "},
      {"--emulated", kScaling,
       "experiment scaling cholesky --emulated memory=8MiB --n 64 --tile 32 --policy heft --gpus 1 --models none "
       "--json",
       "/emulation"},
      {"--platform", kScaling, "experiment scaling cholesky --platform nowhere --policy heft", "refused nowhere"},
      {"--gpus", kScaling, "+ --gpus 2", "/results"},
      {"--cores", kScaling, "+ --cores 1", "/results/0/cores"},
      {"--gpu-memory", kScaling, "+ --gpu-memory 1MiB", "errors do not fit"},
      {"--lookahead", kScaling, "+ --lookahead 3", "/lookahead"},
      {"--issue-ahead", kScaling, "+ --issue-ahead 0", "/issue_ahead"},
      {"--models", kScaling, "+ --models @/none", "refused no effect"},
      {"--repeat", kScaling,
       "experiment scaling cholesky --platform idgraf-double --n 1024 --tile 512 --policy heft --gpus 1 --json",
       "/repeat"},
      {"--seed", kScaling, "+ --seed 7", "/seed"},
      {"--check", kScaling, "+ --check", "refused virtual"},
      {"--plot", kScaling, "+ --plot @/scaling.png", "file scaling.png"},
      {"--json", "experiment scaling cholesky --platform idgraf-double --n 1024 --policy heft --gpus 1", "+ --json",
       "output"}};
  for (const char* command : {"run", "solve", "model calibrate"}) {
    cases[command].insert(cases[command].end(), kAccelerators.begin(), kAccelerators.end());
  }
  const std::string away = " --socket-folder @/away";
  cases["submit"] = {
      {"application", kSubmit, "submit lu --n 40 --json --socket-folder %", "/app"},
      {"matrix", kSubmit, "submit lu --matrix @/a.mtx --json --socket-folder %", "/matrix"},
      {"--rhs", kSubmit, "+ --rhs @/b.mtx", "refused --matrix"},
      {"--output", "submit lu --matrix @/a.mtx --json --socket-folder %", "+ --output @/y.mtx", "file y.mtx"},
      {"--n", kSubmit, "submit cholesky --n 41 --json --socket-folder %", "/n"},
      {"--tile", kSubmit, "+ --tile 9", "/tile"},
      {"--precision", kSubmit, "+ --precision float", "/precision"},
      {"--repeat", kSubmit, "+ --repeat 2", "/runs"},
      {"--check", kSubmit, "+ --check", "/residuals"},
      {"--seed", kSubmit, "+ --seed 7", "/seed"},
      {"--name", kSubmit, "+ --name named", "test apps/service/command_serve_test.cpp"},
      {"--socket-folder", kSubmit, "submit lu --n 40" + away, "unreachable"},
      {"--json", "submit lu --n 40 --socket-folder %", "+ --json", "output"}};
  for (const std::string command : {"status", "jobs", "why", "top", "metrics"}) {
    cases[command] = {{"--socket-folder", command + " --socket-folder %", command + away, "unreachable"},
                      {"--json", command + " --socket-folder %", "+ --json", "output"}};
  }
  cases["jobs"].push_back({"--all", "jobs --json --socket-folder %", "+ --all", "/jobs"});
  cases["why"].push_back({"job", "why --socket-folder %", "+ 999", "refused 999"});
  cases["top"].push_back({"--interval", "top --once --socket-folder %", "+ --interval 2s", "refused live"});
  cases["top"].push_back({"--once", "top --socket-folder %", "+ --once", "test apps/service/command_top_test.cpp"});
  cases["cancel"] = {{"job", "jobs --socket-folder %", "cancel 999 --socket-folder %", "refused 999"},
                     {"--socket-folder", "jobs --socket-folder %", "cancel 1" + away, "unreachable"},
                     {"--json", "jobs --socket-folder %", "cancel 999 --json --socket-folder %", "refused 999"}};
  return cases;
}

class Trial {
 public:
  Trial() {
    folder_.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n2 2 4\n3 3 4\n1 3 1\n2 1 1\n");
    folder_.write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n4\n1\n1\n3\n");
  }
  void set_service(std::string sockets) { sockets_ = std::move(sockets); }

  void try_out(const OptionCase& one) {
    const std::string with = one.with.starts_with("+ ") ? one.without + one.with.substr(1) : one.with;
    const auto [kind, what] = split(one.differs);
    if (kind == "test") return has_test(one.option, what);
    const ChildOutput ran = run_program(words_of(with));
    BOOST_TEST_INFO("troupe " << with << "\n" << ran.output.substr(0, 400) << ran.errors);
    if (kind == "refused") {
      BOOST_TEST((ran.exit_status == 2 && contains(ran.errors, what)),
                 one.option << ": not refused with '" << what << "'");
    } else if (kind == "unreachable") {
      BOOST_TEST((ran.exit_status == 1 && contains(ran.errors, "service")), one.option << ": answered");
    } else {
      BOOST_TEST(ran.exit_status == 0, one.option);
      BOOST_TEST(differs(kind, what, ran, once(one.without)), one.option << ": " << one.differs << " does not differ");
    }
  }

 private:
  static std::pair<std::string, std::string> split(const std::string& text) {
    if (text.starts_with('/')) return {"json", text};
    const std::size_t space = text.find(' ');
    return {text.substr(0, space), space == std::string::npos ? "" : text.substr(space + 1)};
  }

  Words words_of(const std::string& text) const {
    Words words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
      if (word == "%") word = sockets_;
      if (word.starts_with('@')) word = folder_.path() + word.substr(1);
      words.push_back(word);
    }
    return words;
  }

  const ChildOutput& once(const std::string& command) {
    const auto found = ran_.find(command);
    return found != ran_.end() ? found->second : ran_.emplace(command, run_program(words_of(command))).first->second;
  }

  static nlohmann::json value_at(const ChildOutput& ran, const std::string& pointer) {
    const auto json = nlohmann::json::parse(ran.output, nullptr, false);
    const nlohmann::json::json_pointer at(pointer);
    if (json.is_discarded() || !json.contains(at)) return nullptr;
    return json[at].is_structured() ? nlohmann::json(json[at].size()) : json[at];
  }

  bool differs(const std::string& kind, const std::string& what, const ChildOutput& with, const ChildOutput& without) {
    if (kind == "json") return value_at(with, what) != value_at(without, what);
    if (kind == "file") return std::filesystem::exists(folder_.path(what));
    if (kind == "errors") return contains(with.errors, what) && !contains(without.errors, what);
    BOOST_REQUIRE(kind == "output");
    return with.output != without.output;
  }

  static void has_test(const std::string& option, const std::string& file) {
    std::ifstream stream(std::string(TROUPE_SOURCE_DIR) + "/tests/" + file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const std::string name = option == "--window" ? "window" : option;
    BOOST_TEST(contains(text, name), file << " has no " << option);
  }

  TemporaryFolder folder_;
  std::string sockets_;
  std::map<std::string, ChildOutput> ran_;
};

/// Returns the names of the options, such as "--n", and of the positional arguments.
std::set<std::string> options_of(const CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_positional() ? option->get_name(true) : option->get_name();
    if (name != "--help") names.insert(name.substr(0, name.find(',')));
  }
  for (const CLI::App* group : command.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); })) {
    names.merge(options_of(*group));
  }
  return names;
}

void add_commands(const CLI::App& application, const std::string& path,
                  std::map<std::string, std::set<std::string>>& all) {
  all[path] = options_of(application);
  for (const CLI::App* command :
       application.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); })) {
    add_commands(*command, path + (path.empty() ? "" : " ") + command->get_name(), all);
  }
}

/// Returns the options of all commands of `troupe`, `troupe experiment` and `troupe serve`.
std::map<std::string, std::set<std::string>> all_options() {
  Command command;
  std::map<std::string, std::set<std::string>> all;
  const auto application = make_application(command);
  add_commands(*application, "", all);
  const auto experiments = make_experiments(command);
  add_commands(*experiments, "experiment", all);
#ifdef TROUPE_SYSTEMD_FOLDER
  const auto serve = make_serve(command);
  add_commands(*serve, "serve", all);
#endif
  return all;
}

bool is_of_table(const std::string& option) {
  const auto table = runtime_options();
  return std::ranges::any_of(table, [&](const RuntimeOption& one) { return one.flag() == option; });
}

bool needs_service(const std::string& command) {
  static const std::set<std::string> kCommands{"submit", "status", "jobs", "why", "top", "metrics", "cancel"};
  return kCommands.contains(command);
}

void try_all(bool with_service, Trial& trial) {
  for (const auto& [command, cases] : all_cases()) {
    if (needs_service(command) != with_service) continue;
    for (const OptionCase& one : cases) trial.try_out(one);
  }
}

}  // namespace every_option

BOOST_AUTO_TEST_SUITE(every_option)

BOOST_AUTO_TEST_CASE(the_tables_know_every_option_and_no_other) {
  const Cases cases = all_cases();
  for (const auto& [command, options] : all_options()) {
    // The options of `serve` are keys of its configuration, which another case below tests. `troupe bench` is a
    // separate program.
    if (command == "serve") continue;
    std::set<std::string> known;
    if (const auto found = cases.find(command); found != cases.end()) {
      for (const OptionCase& one : found->second) known.insert(one.option);
    }
    for (const std::string& option : options) {
      // The tests in tests/options give every option of the table of runtime options in every way, so these options
      // need no case here.
      if (known.erase(option) == 1U || is_of_table(option)) continue;
      BOOST_ERROR("`troupe " << command << "` has " << option << ": say what it changes");
    }
    for (const std::string& option : known) BOOST_ERROR("`troupe " << command << "` has no " << option);
  }
}

BOOST_AUTO_TEST_CASE(every_option_has_an_effect_or_is_refused) {
  if (no_gnuplot()) return;
  Trial trial;
  try_all(false, trial);
}

#ifdef TROUPE_SYSTEMD_FOLDER

BOOST_AUTO_TEST_CASE(every_option_that_asks_a_service_has_an_effect_or_is_refused) {
  const TemporaryFolder folder;
  const ServeProcess service(folder.path());
  BOOST_REQUIRE(service.says("serving"));
  // This job ends before the cases run, so that `jobs --all` has a job to show.
  succeeds(service.ask({"submit", "cholesky", "--n", "40"}));
  BOOST_REQUIRE(ServeProcess::within([&] { return succeeds(service.ask({"jobs"})) == "no jobs\n"; }));
  Trial trial;
  trial.set_service(service.sockets());
  try_all(true, trial);
}

BOOST_AUTO_TEST_CASE(every_option_of_serve_changes_its_configuration) {
  const TemporaryFolder folder;
  folder.write("empty.toml", "");
  const auto configuration = [&](Words words) {
    CLI::App command("", "serve");
    ServeArguments arguments;
    add_serve_options(command, arguments);
    words.insert(words.end(), {"--config", folder.path("empty.toml")});
    std::ranges::reverse(words);
    command.parse(words);
    return service::to_toml(effective_configuration(arguments));
  };
  const std::string usual = configuration({});
  const Words values{"true",        "false",         "1",    "2",     "heft",   "lru",         "1MiB",
                     "potrf:cores", "single",        "json", "debug", "root=2", folder.path(), "127.0.0.2",
                     "0-1",         "1:memory=8MiB", "3600", "1ms"};
  const auto changes = [&](const std::string& option, const std::string& value) {
    try {
      return configuration({option, value}) != usual;
    } catch (const std::exception&) {
      return false;  // The value has another type than the option.
    }
  };
  const auto all = all_options();
  for (const std::string& option : all.at("serve")) {
    // This case uses `--config`; command_serve_test.cpp tests `--print-config`.
    if (option == "--config" || option == "--print-config") continue;
    const bool changed =
        option == "--strict-plugins"
            ? configuration({option}) != usual
            : std::ranges::any_of(values, [&](const std::string& value) { return changes(option, value); });
    BOOST_TEST(changed, option);
  }
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
