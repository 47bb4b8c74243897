/// `troupe top`: shows a live view of a service's work.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "actors/options/option_values.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_summary.hpp"
#include "apps/service/serve_signals.hpp"
#include "apps/service/service_arguments.hpp"
#include "apps/service/top_screen.hpp"
#include "apps/service/top_terminal.hpp"
#include "client/remote/connection/socket_folder.hpp"
#include "proto/json/json.hpp"
#include "service/views/view_json.hpp"

namespace troupe::apps {

namespace {

using remote::ServiceCalls;
using service::ServiceView;
using Clock = std::chrono::steady_clock;

struct TopArguments {
  ServiceArguments service;
  std::string interval = "1s";
  bool once = false;
};

ServiceView view_of(const ServiceCalls& calls) {
  return service::view_from_text(calls.look().value_or_throw()).value_or_throw();
}

/// Prints one frame without a terminal. Asks for two views, because rates are differences between views.
int print_once(const TopArguments& arguments) {
  const ServiceCalls calls = connect(arguments.service);
  if (arguments.service.json) {
    const std::string text = calls.look().value_or_throw();
    (void)service::view_from_text(text).value_or_throw();
    fmt::print("{}\n", as_text(Json::parse(text)));
    return kSuccess;
  }
  const ServiceView before = view_of(calls);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const ServiceView now = view_of(calls);
  TopLayout layout;
  layout.width = std::numeric_limits<std::size_t>::max();
  for (const TopLine& line : top_screen({&now, &before}, layout)) fmt::print("{}\n", line.text);
  return kSuccess;
}

/// Keeps the last two views of a service. The service may stop and start again while this object lives.
class LiveViews {
 public:
  explicit LiveViews(const TopArguments& arguments)
      : folder_(remote::client_socket_folder(arguments.service.folder).value_or_throw()),
        calls_(ServiceCalls::connect(folder_, kOptions).value_or_throw()) {
    now_ = view_of(*calls_);
  }

  /// Asks the service for a new view. After a failure, `trouble` has the message.
  void renew() {
    if (!calls_) {
      auto connected = ServiceCalls::connect(folder_, kOptions);
      if (!connected) return fail(connected.failure());
      calls_ = std::move(connected).value();
    }
    auto text = calls_->look();
    if (!text) return fail(text.failure());
    auto view = service::view_from_text(text.value());
    if (!view) return fail(view.failure());
    // If other programs ask at about the same time, the service may return the same view again.
    if (view.value().process == now_.process && view.value().age == now_.age) return;
    before_ = std::exchange(now_, std::move(view).value());
    trouble_.clear();
  }

  [[nodiscard]] TopViews views() const { return {&now_, before_ ? &*before_ : nullptr}; }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  /// The deadline keeps the screen from freezing while the service does not answer.
  static constexpr remote::ServiceCallsOptions kOptions{.deadline = std::chrono::seconds(2)};

  void fail(const Failure& failure) {
    trouble_ = failure.message + "; trying again";
    calls_.reset();
  }

  std::string folder_;
  std::optional<ServiceCalls> calls_;
  ServiceView now_;
  std::optional<ServiceView> before_;
  std::string trouble_;
};

/// Executes the command of a key; returns false if the user wants to leave.
bool obey(TopKey key, TopLayout& layout, std::size_t length) {
  const std::size_t page = layout.height && *layout.height > 6 ? *layout.height - 6 : 1;
  const std::size_t last = length > page ? length - page : 0;
  switch (key) {
    case TopKey::quit: return false;
    case TopKey::order: layout.order = layout.order == TopOrder::number ? TopOrder::load : TopOrder::number; break;
    case TopKey::up: layout.first -= std::min<std::size_t>(layout.first, 1); break;
    case TopKey::down: ++layout.first; break;
    case TopKey::page_up: layout.first -= std::min(layout.first, page); break;
    case TopKey::page_down: layout.first += page; break;
    case TopKey::first: layout.first = 0; break;
    case TopKey::last: layout.first = last; break;
    case TopKey::none:
    case TopKey::resized: break;
  }
  layout.first = std::min(layout.first, last);
  return true;
}

/// Shows the screen until the user leaves or a stop signal comes. Returns that signal.
std::optional<int> watch_until_left(LiveViews& live, Duration interval) {
  // `signals` must be constructed before the terminal: otherwise ncurses would install its own signal handlers, which
  // exit with code 1.
  const StopSignals signals;
  TopTerminal terminal;
  TopLayout layout;
  auto next = Clock::now() + std::min<Duration>(interval, std::chrono::milliseconds(300));
  for (;;) {
    layout.width = terminal.width();
    layout.height = terminal.height();
    layout.trouble = live.trouble();
    terminal.show(top_screen(live.views(), layout));
    const bool stays =
        obey(terminal.key(next - Clock::now(), signals.descriptor()), layout, top_length(live.views(), layout));
    if (const auto signal = signals.wait(Duration::zero())) return signal;
    if (!stays) return std::nullopt;
    if (Clock::now() < next) continue;
    live.renew();
    next = Clock::now() + interval;
  }
}

int watch(const TopArguments& arguments, Duration interval) {
  LiveViews live(arguments);
  // A signal ends this command as usual, but only after the terminal has been restored.
  if (const auto signal = watch_until_left(live, interval)) std::raise(*signal);
  return kSuccess;
}

int top(const TopArguments& arguments) {
  const auto interval = parse_duration(arguments.interval);
  if (!interval || *interval < std::chrono::milliseconds(100)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--interval: expected a time of 100ms or more, such as 1s, instead of '{}'", arguments.interval));
  }
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDIN_FILENO) == 1;
  return arguments.once || arguments.service.json || !terminal ? print_once(arguments) : watch(arguments, *interval);
}

}  // namespace

void add_top_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<TopArguments>();
  CLI::App* command = application.add_subcommand(
      "top", "Watch a service: its workers, mailboxes, links, memories and jobs, refreshed live");
  add_service_options(*command, arguments->service);
  command->add_option("--interval", arguments->interval, "Time between two looks: 100ms or more")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_flag("--once", arguments->once, "Print one frame, without a terminal");
  command->callback([command, arguments, &chosen] {
    refuse_ignored(*command, "--interval", !arguments->once && !arguments->service.json,
                   "the live view, which --once and --json leave after one frame");
    chosen = [arguments] { return top(*arguments); };
  });
}

}  // namespace troupe::apps
