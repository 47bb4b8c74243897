#include "apps/service/top_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "proto/utf8.hpp"
#include "service/views/harmless_text.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

using service::ServiceView;
using service::SessionView;
using Lines = std::vector<TopLine>;

/// Returns the beginning of the text, at most `width` columns.
std::string clipped(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i]) && columns++ == width) return text.substr(0, i);
  }
  return text;
}

/// Returns a name for a table, cut so that a very long name does not push the numbers off the screen.
std::string label(const std::string& name) {
  constexpr std::size_t kLongest = 32;
  return clipped(service::harmless(name), kLongest);
}

std::string percent(double fraction) { return fmt::format("{:.0f} %", 100 * std::clamp(fraction, 0.0, 1.0)); }

std::string bar(double fraction, int width) {
  const int full = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width));
  return '[' + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '.') + ']';
}

/// The growth of counters between two views.
class Rates {
 public:
  explicit Rates(const TopViews& views) : now_(*views.now), before_(views.before) {
    // Ignore the earlier view if it is from a service process that this one has replaced.
    if (before_ != nullptr && (before_->process != now_.process || before_->age >= now_.age)) before_ = nullptr;
  }

  [[nodiscard]] bool known() const { return before_ != nullptr; }
  [[nodiscard]] const ServiceView* before() const { return before_; }

  /// Returns the growth per second.
  [[nodiscard]] double of(double now, double before) const {
    return known() ? std::max(0.0, now - before) / seconds(now_.age - before_->age) : 0;
  }
  /// Returns the growth per second of the number that `pick` reads from a view.
  template <class Pick>
  [[nodiscard]] double of(const Pick& pick) const {
    return known() ? of(static_cast<double>(pick(now_)), static_cast<double>(pick(*before_))) : 0;
  }
  /// Returns the rate as text; "-" if it is not known.
  template <class Words>
  [[nodiscard]] std::string text(double rate, const Words& words) const {
    return known() ? words(rate) : "-";
  }
  [[nodiscard]] std::string count(double rate) const {
    return text(rate, [](double value) { return human_count(static_cast<std::uint64_t>(std::llround(value))); });
  }
  [[nodiscard]] std::string bytes(double rate) const {
    return text(rate, [](double value) {
      return traces::human_bytes(Bytes{static_cast<std::uint64_t>(std::llround(value))}) + "/s";
    });
  }

 private:
  const ServiceView& now_;
  const ServiceView* before_;
};

/// Returns the element of an earlier list for which `same` is true, because it describes the same object; null if there
/// is none.
template <class List, class Same>
auto same_in(const List* list, const Same& same) -> decltype(list->data()) {
  if (list == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*list, same);
  return found == list->end() ? nullptr : &*found;
}

/// Returns the indices of a list's elements in the chosen order; elements with equal loads stay in their order.
template <class List, class Load>
std::vector<std::size_t> ordered(const List& list, TopOrder order, const Load& load) {
  std::vector<std::size_t> places(list.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (order == TopOrder::load) {
    std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t place) { return load(list[place]); });
  }
  return places;
}

/// Adds a section: a title and a table. `style(i)` is the style of the i-th row.
void add_table(Lines& lines, const std::string& title, const traces::Table& table,
               const std::function<TopStyle(std::size_t)>& style) {
  lines.push_back({"", TopStyle::plain});
  lines.push_back({title, TopStyle::title});
  const std::string text = table.text();
  constexpr std::size_t kHeading = 2;  // The column titles and the rule below them.
  std::size_t row = 0;
  for (std::size_t at = 0; at < text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({text.substr(at, end - at), row < kHeading ? TopStyle::quiet : style(row - kHeading)});
    at = end + 1;
  }
}

/// Returns the busy fraction of a worker's time since the earlier view, or since the start if there is no earlier view.
double busy_fraction(const Rates& rates, const ServiceView& now, std::size_t worker) {
  const Duration busy = now.runtime.workers[worker].busy;
  if (!rates.known() || worker >= rates.before()->runtime.workers.size()) {
    return now.age > Duration{} ? seconds(busy) / seconds(now.age) : 0;
  }
  return rates.of(seconds(busy), seconds(rates.before()->runtime.workers[worker].busy));
}

bool runs(const LiveWorker& worker) { return !worker.task.empty() || !worker.codelet.empty(); }

std::uint64_t in_flight(const SessionView& session) {
  return session.submitted - std::min(session.submitted, session.ended);
}

std::size_t ready_tasks(const LiveView& runtime) {
  std::size_t queued = runtime.entry_queue, clients = 0;
  for (const LiveWorker& worker : runtime.workers) queued += worker.deque_length;
  for (const LiveClient& client : runtime.clients) clients += client.ready;
  return std::max(queued, clients);
}

Lines summary(const ServiceView& now, const Rates& rates, const TopLayout& layout) {
  const LiveView& runtime = now.runtime;
  const auto running = std::ranges::count_if(runtime.workers, runs);
  const auto lost = std::ranges::count_if(runtime.workers, &LiveWorker::lost);
  double fraction = 0;
  for (std::size_t i = 0; i < runtime.workers.size(); ++i) fraction += std::min(1.0, busy_fraction(rates, now, i));
  if (!runtime.workers.empty()) fraction /= static_cast<double>(runtime.workers.size());
  std::uint64_t flying = 0;
  for (const SessionView& session : now.sessions) flying += in_flight(session);
  const double ended = rates.of([](const ServiceView& view) {
    std::uint64_t tasks = 0;
    for (const LiveWorker& worker : view.runtime.workers) tasks += worker.tasks;
    return tasks;
  });
  const double copied = rates.of([](const ServiceView& view) { return view.runtime.transfers.total().count; });
  Lines lines;
  lines.push_back({fmt::format("Troupe {}  {}  up {}  policy {}  process {}", service::harmless(now.version),
                               service::harmless(now.state), traces::human_seconds(seconds(now.age)),
                               service::harmless(runtime.policy), now.process),
                   TopStyle::title});
  if (!layout.trouble.empty()) lines.push_back({service::harmless(layout.trouble), TopStyle::bad});
  lines.push_back({fmt::format("workers  {} of {} run a task now{}; busy {} {} {}", running, runtime.workers.size(),
                               lost > 0 ? fmt::format(", {} lost", lost) : "", bar(fraction, 20), percent(fraction),
                               rates.known() ? "since the last look" : "since the start"),
                   lost > 0 ? TopStyle::bad : TopStyle::plain});
  lines.push_back(
      {fmt::format("tasks    {} ready, {} in flight, {} ended/s      copies {}", human_count(ready_tasks(runtime)),
                   human_count(flying), rates.count(ended), rates.bytes(copied)),
       TopStyle::plain});
  return lines;
}

void add_jobs(Lines& lines, const ServiceView& now, const Rates& rates, TopOrder order) {
  const auto rate = [&](const SessionView& one) {
    const auto* before = same_in(rates.known() ? &rates.before()->sessions : nullptr,
                                 [&](const SessionView& other) { return other.id == one.id; });
    return rates.of(seconds(one.worker_time), before == nullptr ? 0 : seconds(before->worker_time));
  };
  double total = 0;
  for (const SessionView& one : now.sessions) total += rate(one);
  traces::Table table({">job", "name", "state", ">workers", ">weight", ">in flight", ">ended", ">failed",
                       ">worker time", ">memory", "user", ">process"});
  const auto places = ordered(now.sessions, order, rate);
  for (const std::size_t place : places) {
    const SessionView& one = now.sessions[place];
    table.add_row({std::to_string(one.id), label(one.name), label(one.state),
                   rates.text(total > 0 ? rate(one) / total : 0, percent), fmt::format("{:g}", one.weight),
                   human_count(in_flight(one)), human_count(one.ended), human_count(one.failed),
                   traces::human_seconds(seconds(one.worker_time)), traces::human_bytes(one.memory),
                   one.user_name.empty() ? std::to_string(one.user) : label(one.user_name),
                   std::to_string(one.process)});
  }
  if (places.empty()) {
    lines.push_back({"", TopStyle::plain});
    lines.push_back({"JOBS: no program is connected", TopStyle::title});
    return;
  }
  add_table(lines, "JOBS", table, [&](std::size_t i) {
    const SessionView& one = now.sessions[places[i]];
    if (one.failed > 0) return TopStyle::bad;
    return in_flight(one) == 0 ? TopStyle::quiet : TopStyle::plain;
  });
}

/// Returns the used fraction of the time of a cluster's cores. Counts the tasks that ended since the earlier view; if
/// there are none, all tasks since the start.
std::string team_used(const LiveWorker& worker, const LiveWorker* before) {
  if (worker.members.size() < 2) return "";
  TeamUse use = worker.team;
  if (before != nullptr) use -= before->team;
  return traces::human_team_use(use == TeamUse{} ? worker.team : use);
}

void add_workers(Lines& lines, const ServiceView& now, const Rates& rates, TopOrder order) {
  const std::vector<LiveWorker>& workers = now.runtime.workers;
  const bool clusters = std::ranges::any_of(workers, [](const LiveWorker& one) { return one.members.size() > 1; });
  std::vector<std::string> columns{">worker", "device", ">busy"};
  if (clusters) columns.insert(columns.end(), {">cores", ">team used"});
  columns.insert(columns.end(), {">deque", "runs", ">for", "job", ">tasks", ">tasks/s"});
  traces::Table table(std::move(columns));
  const auto fraction = [&](const LiveWorker& worker) {
    return busy_fraction(rates, now, static_cast<std::size_t>(&worker - workers.data()));
  };
  const auto places = ordered(workers, order, fraction);
  for (const std::size_t place : places) {
    const LiveWorker& one = workers[place];
    const auto* before = rates.known() && place < rates.before()->runtime.workers.size()
                             ? &rates.before()->runtime.workers[place]
                             : nullptr;
    std::string what = label(one.task.empty() ? one.codelet : one.task);
    if (!runs(one)) what = one.idle ? "idle" : "looking for work";
    if (one.lost) what = "device lost";
    std::vector<std::string> row{std::to_string(place), label(one.device), percent(fraction(one))};
    if (clusters) {
      row.push_back(one.members.empty() ? "" : std::to_string(one.members.size()));
      row.push_back(team_used(one, before));
    }
    row.insert(row.end(),
               {human_count(one.deque_length), what, runs(one) ? traces::human_seconds(seconds(one.running_for)) : "",
                label(one.client), human_count(one.tasks),
                rates.count(rates.of(static_cast<double>(one.tasks),
                                     before == nullptr ? 0 : static_cast<double>(before->tasks)))});
    table.add_row(std::move(row));
  }
  add_table(lines,
            fmt::format("WORKERS, and {} ready tasks that none of them owns", human_count(now.runtime.entry_queue)),
            table, [&](std::size_t i) {
              const LiveWorker& one = workers[places[i]];
              if (one.lost) return TopStyle::bad;
              return runs(one) ? TopStyle::good : TopStyle::quiet;
            });
}

/// Returns the mean time that messages waited since the earlier view, or since the start if there is no earlier view.
double waiting_s(const MailboxMetrics& now, const MailboxMetrics* before) {
  if (before == nullptr || now.waiting.count < before->waiting.count) return seconds(now.waiting.mean);
  const auto count = static_cast<double>(now.waiting.count), earlier = static_cast<double>(before->waiting.count);
  if (count == earlier) return 0;
  return std::max(0.0,
                  (seconds(now.waiting.mean) * count - seconds(before->waiting.mean) * earlier) / (count - earlier));
}

void add_mailboxes(Lines& lines, const ServiceView& now, const Rates& rates, TopOrder order) {
  const std::vector<MailboxMetrics>& boxes = now.runtime.mailboxes.mailboxes;
  const auto before_of = [&](const MailboxMetrics& one) {
    return same_in(rates.known() ? &rates.before()->runtime.mailboxes.mailboxes : nullptr,
                   [&](const MailboxMetrics& other) { return other.actor == one.actor; });
  };
  traces::Table table({"actor", ">depth", ">peak", ">messages/s", ">waiting now", ">median", ">99 %", ">longest"});
  const auto places = ordered(boxes, order, [&](const MailboxMetrics& one) { return waiting_s(one, before_of(one)); });
  for (const std::size_t place : places) {
    const MailboxMetrics& one = boxes[place];
    const MailboxMetrics* before = before_of(one);
    table.add_row({label(one.actor), human_count(one.depth), human_count(one.peak_depth),
                   rates.count(rates.of(static_cast<double>(one.received),
                                        before == nullptr ? 0 : static_cast<double>(before->received))),
                   traces::human_seconds(waiting_s(one, before)), traces::human_seconds(seconds(one.waiting.p50)),
                   traces::human_seconds(seconds(one.waiting.p99)), traces::human_seconds(seconds(one.waiting.max))});
  }
  add_table(lines, "MAILBOXES", table,
            [&](std::size_t i) { return boxes[places[i]].depth > 0 ? TopStyle::plain : TopStyle::quiet; });
}

std::string memory_name(const LiveView& runtime, NodeId node) {
  if (node.value() == 0) return "host";
  const std::size_t place = node.index() - 1;
  return place < runtime.memories.size() ? label(runtime.memories[place].name) : fmt::format("memory {}", node.value());
}

void add_links(Lines& lines, const ServiceView& now, const Rates& rates) {
  const std::vector<PairTraffic>& pairs = now.runtime.transfers.pairs;
  if (pairs.empty()) return;
  traces::Table table({"from", "to", ">now", ">in all", ">copies"});
  for (const PairTraffic& one : pairs) {
    const auto* before =
        same_in(rates.known() ? &rates.before()->runtime.transfers.pairs : nullptr,
                [&](const PairTraffic& other) { return other.from == one.from && other.to == one.to; });
    const double rate = rates.of(static_cast<double>(one.bytes.count),
                                 before == nullptr ? 0 : static_cast<double>(before->bytes.count));
    table.add_row({memory_name(now.runtime, one.from), memory_name(now.runtime, one.to), rates.bytes(rate),
                   traces::human_bytes(one.bytes), human_count(one.copies)});
  }
  add_table(lines, "LINKS", table, [](std::size_t) { return TopStyle::plain; });
}

void add_memories(Lines& lines, const LiveView& runtime) {
  if (runtime.memories.empty()) return;
  traces::Table table({"memory", "used", ">", ">bytes", ">of"});
  for (const LiveMemory& one : runtime.memories) {
    const double fraction =
        one.capacity.count == 0 ? 0 : static_cast<double>(one.used.count) / static_cast<double>(one.capacity.count);
    table.add_row({label(one.name), bar(fraction, 20), percent(fraction), traces::human_bytes(one.used),
                   traces::human_bytes(one.capacity)});
  }
  add_table(lines, "MEMORIES", table, [](std::size_t) { return TopStyle::plain; });
}

Lines sections(const ServiceView& now, const Rates& rates, TopOrder order) {
  Lines lines;
  add_jobs(lines, now, rates, order);
  add_workers(lines, now, rates, order);
  add_mailboxes(lines, now, rates, order);
  add_links(lines, now, rates);
  add_memories(lines, now.runtime);
  return lines;
}

}  // namespace

std::size_t top_length(const TopViews& views, const TopLayout& layout) {
  return sections(*views.now, Rates(views), layout.order).size();
}

std::vector<TopLine> top_screen(const TopViews& views, const TopLayout& layout) {
  const Rates rates(views);
  Lines screen = summary(*views.now, rates, layout);
  Lines rest = sections(*views.now, rates, layout.order);
  if (layout.height) {
    // The last line of the screen shows the keys.
    const std::size_t most = *layout.height > screen.size() + 1 ? *layout.height - screen.size() - 1 : 0;
    const std::size_t first = rest.size() > most ? std::min(layout.first, rest.size() - most) : 0;
    const std::size_t shown = std::min(most, rest.size() - first);
    const std::string where =
        rest.size() > most ? fmt::format("  lines {}-{} of {}", first + 1, first + shown, rest.size()) : "";
    rest = Lines(rest.begin() + static_cast<std::ptrdiff_t>(first),
                 rest.begin() + static_cast<std::ptrdiff_t>(first + shown));
    rest.resize(most);
    rest.push_back({fmt::format("q quit  s order: {}  arrows, PgUp, PgDn scroll{}",
                                layout.order == TopOrder::number ? "number" : "load", where),
                    TopStyle::quiet});
  }
  screen.insert(screen.end(), rest.begin(), rest.end());
  if (layout.height && screen.size() > *layout.height) screen.resize(*layout.height);
  for (TopLine& line : screen) line.text = clipped(line.text, layout.width);
  return screen;
}

}  // namespace troupe::apps
