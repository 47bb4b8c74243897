#include "lab/bench/service/command_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "lab/bench/service/attacks.hpp"
#include "lab/bench/service/service_process.hpp"
#include "lab/bench/service/victim.hpp"
#include "traces/text/table.hpp"

extern char** environ;

namespace troupe::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// Numbers of users and of a group that systems do not assign to real users and groups.
constexpr gid_t kGroup = 61'000;
constexpr uid_t kVictim = 61'001;
constexpr uid_t kAttacker = 61'002;
/// The targets for the victim in the worst attack: the least fraction of its throughput without an attack, and the
/// longest 99th percentile.
constexpr double kLeastFraction = 0.8;
constexpr double kLongestP99Ms = 50;

struct AttackOptions {
  std::string program = find_troupe();
  int cores = 0;
  double seconds = 5;
  std::vector<std::string> names = {};
  /// `role` is the role of this process: `victim` or the name of an attack if this program has started the process,
  /// otherwise empty. `folder` is the service's folder.
  std::string role = {};
  std::string folder = {};
};

/// Becomes another user. Does nothing if the current user is not root, as only root can do that.
void become(uid_t user) {
  if (::geteuid() != 0) return;
  const std::array<gid_t, 1> groups{kGroup};
  if (::setgroups(groups.size(), groups.data()) != 0 || ::setgid(kGroup) != 0 || ::setuid(user) != 0) {
    throw Error(ErrorCode::platform, "cannot become another user");
  }
}

int play(const AttackOptions& options) {
  const std::chrono::duration<double> time(options.seconds);
  // Makes a session of its own, as each user gets one at login: the system divides the processors among sessions first
  // (autogroup).
  ::setsid();
  if (options.role == "victim") {
    become(kVictim);
    const VictimFigures seen = be_victim(options.folder, time);
    fmt::print("{} {} {} {}\n", seen.start_s, seen.tasks_per_s, seen.median_ms, seen.p99_ms);
    return 0;
  }
  become(kAttacker);
  const Attack& attack = *find_attack(options.role);
  for (int others = attack.processes - 1; others > 0; --others) {
    const pid_t made = ::fork();
    if (made < 0) throw Error(ErrorCode::io, "cannot start an attacking process");
    if (made == 0) break;
  }
  attack.run(options.folder, Clock::now() + std::chrono::round<Clock::duration>(time));
  return 0;
}

/// A process of this program in a role. The destructor ends it and the processes of its session.
class Player {
 public:
  /// `output` is the descriptor that becomes the process's standard output; with -1 the process inherits this program's
  /// output.
  Player(const std::string& role, const std::string& folder, double seconds, int output = -1) {
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(),
                                   "--role",
                                   role,
                                   "--folder",
                                   folder,
                                   "--seconds",
                                   fmt::format("{}", seconds)};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    const int failed = ::posix_spawn(&process_, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw Error(ErrorCode::io, "cannot start a process of this benchmark");
  }
  ~Player() {
    ::kill(-process_, SIGKILL);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

 private:
  pid_t process_ = -1;
};

/// Returns the figures that the victim prints; zeros if the victim ended without printing them.
VictimFigures figures_of_victim(const std::string& folder, double seconds) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ErrorCode::io, "cannot make a pipe");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::fdopen(ends[0], "r"), &std::fclose);
  const Player victim("victim", folder, seconds, ends[1]);
  ::close(ends[1]);
  VictimFigures seen;
  if (std::fscanf(output.get(), "%lf %lf %lf %lf", &seen.start_s, &seen.tasks_per_s, &seen.median_ms, &seen.p99_ms) !=
      4) {
    return {};
  }
  return seen;
}

VictimFigures figures_beside(const Attack* attack, const AttackOptions& options) {
  std::vector<std::string> serve;
  if (::geteuid() == 0) serve = {"--socket.group", std::to_string(kGroup)};
  if (options.cores > 0) serve.insert(serve.end(), {"--runtime.cores", std::to_string(options.cores)});
  const ServiceProcess service(options.program, serve);
  // The other users need access to the sockets in the folder.
  std::filesystem::permissions(service.folder(), std::filesystem::perms(0755));
  constexpr double kHeadStart = 1;
  // Attackers run until the victim has ended, which may take long.
  constexpr double kForLong = 3600;
  std::unique_ptr<Player> attacker;
  if (attack != nullptr) attacker = std::make_unique<Player>(attack->name, service.folder(), kForLong);
  std::this_thread::sleep_for(std::chrono::duration<double>(kHeadStart));
  return figures_of_victim(service.folder(), options.seconds);
}

int measure_attacks(const AttackOptions& options) {
  if (options.program.empty()) {
    throw Error(ErrorCode::invalid_argument, "'troupe' is not where it was built or installed: name it with --program");
  }
  if (::geteuid() != 0) fmt::print("only root can be two users; A and B are one user here, and shares mean nothing\n");
  traces::Table table(
      {{"B's attack"}, {"A's start s"}, {"tasks/s"}, {"of alone"}, {"of his half"}, {"median ms"}, {"p99 ms"}, {""}});
  double alone = 0;
  const auto add = [&](const Attack* attack) {
    const VictimFigures seen = figures_beside(attack, options);
    if (attack == nullptr) alone = seen.tasks_per_s;
    const double part = alone > 0 ? seen.tasks_per_s / alone : 0;
    const bool kept = seen.tasks_per_s > 0 && 2 * part >= kLeastFraction && seen.p99_ms < kLongestP99Ms;
    table.add_row({attack != nullptr ? attack->name : "none", fmt::format("{:.2f}", seen.start_s),
                   fmt::format("{:.0f}", seen.tasks_per_s), fmt::format("{:.2f}", part),
                   fmt::format("{:.2f}", 2 * part), fmt::format("{:.2f}", seen.median_ms),
                   fmt::format("{:.1f}", seen.p99_ms), kept ? "kept" : "not kept"});
  };
  add(nullptr);
  for (const Attack& attack : attacks()) {
    if (options.names.empty() || std::ranges::find(options.names, attack.name) != options.names.end()) add(&attack);
  }
  fmt::print("{}user A, while user B, of equal weight, attacks the service; kept: {} of his half, p99 below {} ms\n",
             table.text(), kLeastFraction, kLongestP99Ms);
  return 0;
}

}  // namespace

int run_service_attacks(int argc, const char* const* argv) {
  AttackOptions options;
  CLI::App app("What one user has of a service while another one attacks it", "troupe-service-attacks");
  const CLI::Validator known(
      [](const std::string& name) {
        return find_attack(name) != nullptr ? std::string() : "there is no attack '" + name + "'";
      },
      "NAME");
  app.add_option("--program", options.program, "The program 'troupe'")->check(CLI::ExistingFile);
  app.add_option("--cores", options.cores, "Cores of the service; 0: all")->check(CLI::Range(0, 4096));
  app.add_option("--seconds", options.seconds, "For each attack")->check(CLI::Range(0.1, 3600.0));
  app.add_option("--attack", options.names, "Only these; the table names all")->check(known);
  app.add_option("--role", options.role)->group("");
  app.add_option("--folder", options.folder)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    return options.role.empty() ? measure_attacks(options) : play(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "troupe-service-attacks: %s\n", error.what());
    return 1;
  }
}

}  // namespace troupe::bench
