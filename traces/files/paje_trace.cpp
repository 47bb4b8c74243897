#include "traces/files/paje_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "traces/analysis/task_tree.hpp"
#include "traces/analysis/trace_index.hpp"
#include "traces/files/copy_tracks.hpp"
#include "traces/files/task_lanes.hpp"
#include "traces/palette.hpp"

namespace troupe::traces {

namespace {

/// The definitions of events. Each has a number, with which the `print_*` functions below begin their lines.
constexpr std::string_view kHeader = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%  Alias string
%  Type string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%  Time date
%  Name string
%  Type string
%EndEventDef
%EventDef PajeSetState 6
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajeSetState 7
%  Time date
%  Type string
%  Container string
%  Value string
%  TaskId string
%  TaskName string
%  GFlops string
%  Priority string
%  Cores string
%  CoresUsed string
%  Parent string
%EndEventDef
%EventDef PajeStartLink 8
%  Time date
%  Type string
%  Container string
%  Value string
%  StartContainer string
%  Key string
%EndEventDef
%EventDef PajeEndLink 9
%  Time date
%  Type string
%  Container string
%  Value string
%  EndContainer string
%  Key string
%EndEventDef
)";

/// Returns the text in quotes. The format has no escapes, so quotes within the text are replaced.
std::string paje_quoted(std::string text) {
  for (char& c : text) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return '"' + text + '"';
}

/// Returns a colour as Paje writes it: "0.000 0.447 0.698" for "#0072B2".
std::string colour(std::string_view hex) {
  const auto part = [hex](std::size_t at) { return std::stoi(std::string(hex.substr(at, 2)), nullptr, 16) / 255.0; };
  return fmt::format("\"{:.3f} {:.3f} {:.3f}\"", part(1), part(3), part(5));
}

/// A line of the file that has a time, before it is printed.
struct Item {
  enum class Kind : std::uint8_t {
    task,
    state,
    working,
    link_start,
    link_end,
    child_start,
    child_end,
    copying,
    no_copy
  };
  TimeStamp time{};
  Kind kind = Kind::working;
  /// An index whose meaning depends on the kind: of an event (`task`, `link_*`, `child_*`), of a worker's state
  /// (`state`), of a worker (`working`), or of a track of copies (`copying`, `no_copy`).
  std::size_t index = 0;
  std::size_t link = 0;
  /// The lane of the worker.
  std::size_t lane = 0;
};

/// One activity of a worker.
struct Span {
  TimeStamp start{};
  TimeStamp end{};
  Item::Kind kind = Item::Kind::task;
  std::size_t index = 0;
};

/// Appends the activities of one lane of a worker as changes of the lane's state. The activities do not overlap.
void append_lane(std::size_t worker, std::size_t lane, std::vector<Span>& spans, std::vector<Item>& items) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.start != b.start ? a.start < b.start : a.end < b.end; });
  for (std::size_t i = 0; i < spans.size(); ++i) {
    items.push_back({spans[i].start, spans[i].kind, spans[i].index, 0, lane});
    const bool followed = i + 1 < spans.size() && spans[i + 1].start <= spans[i].end;
    if (!followed) items.push_back({spans[i].end, Item::Kind::working, worker, 0, lane});
  }
}

void append_links(const Trace& trace, const TraceIndex& index, const TaskLanes& lanes, std::vector<Item>& items) {
  std::size_t link = 0;
  for (const TraceDependency& dependency : trace.dependencies) {
    const auto before = index.find(dependency.before);
    const auto after = index.find(dependency.after);
    if (!before || !after || trace.events[*before].end > trace.events[*after].start) continue;
    ++link;
    items.push_back({trace.events[*before].end, Item::Kind::link_start, *before, link, lanes.of(*before)});
    items.push_back({trace.events[*after].start, Item::Kind::link_end, *after, link, lanes.of(*after)});
  }
  for_each_child(trace, index, [&](std::size_t parent, std::size_t child, TimeStamp submitted) {
    ++link;
    items.push_back({submitted, Item::Kind::child_start, parent, link, lanes.of(parent)});
    items.push_back({trace.events[child].start, Item::Kind::child_end, child, link, lanes.of(child)});
  });
}

void append_copies(const std::vector<CopyTrack>& tracks, std::vector<Item>& items) {
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    for (const TrackedCopy& copy : tracks[i].copies) {
      items.push_back({copy.start, Item::Kind::copying, i, 0, 0});
      items.push_back({copy.end, Item::Kind::no_copy, i, 0, 0});
    }
  }
}

/// Returns all lines with a time, in chronological order.
std::vector<Item> items_of(const Trace& trace, const TraceIndex& index, const std::vector<CopyTrack>& copies,
                           std::size_t workers, const TaskLanes& lanes) {
  // The activities by worker, then lane. All activities besides tasks are in the worker's first lane.
  std::vector<std::vector<std::vector<Span>>> spans(workers);
  for (std::size_t i = 0; i < workers; ++i) spans[i].resize(lanes.count(i));
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    spans[event.worker.index()][lanes.of(i)].push_back({event.start, event.end, Item::Kind::task, i});
  }
  for (std::size_t i = 0; i < trace.states.size(); ++i) {
    const TraceState& state = trace.states[i];
    spans[state.worker.index()][0].push_back({state.start, state.end, Item::Kind::state, i});
  }
  std::vector<Item> items;
  for (std::size_t i = 0; i < workers; ++i) {
    for (std::size_t lane = 0; lane < spans[i].size(); ++lane) append_lane(i, lane, spans[i][lane], items);
  }
  append_links(trace, index, lanes, items);
  append_copies(copies, items);
  // The sort is stable: simultaneous activities of one worker stay in order, and a link starts before it ends.
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.time < b.time; });
  return items;
}

class PajeTrace {
 public:
  PajeTrace(const Trace& trace, const TraceDescription& description, BufferedFile& out)
      : trace_(trace),
        description_(description),
        copies_(copy_tracks(trace)),
        lanes_(trace, description.workers.size()),
        index_(trace),
        out_(out) {}

  void print() {
    out_.print("{}", kHeader);
    print_types();
    print_containers();
    TimeStamp last = description_.begin;
    for (const Item& item : items_of(trace_, index_, copies_, description_.workers.size(), lanes_)) {
      print_item(item);
      last = std::max(last, item.time);
    }
    for (std::size_t i = 0; i < description_.workers.size(); ++i) {
      for (std::size_t lane = 0; lane < lanes_.count(i); ++lane) {
        out_.print("5 {} {} Worker\n", time(last), container_of(i, lane));
      }
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) out_.print("5 {} K{} Copies\n", time(last), i);
    out_.print("5 {} R Run\n", time(last));
  }

 private:
  /// Returns the time in seconds.
  [[nodiscard]] std::string time(TimeStamp stamp) const {
    const auto ns = std::max(Duration{}, stamp - description_.begin).count();
    return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
  }

  static std::string container_of(std::size_t worker, std::size_t lane) {
    return lane == 0 ? fmt::format("W{}", worker) : fmt::format("W{}L{}", worker, lane);
  }

  void print_types() {
    out_.print("0 Run 0 \"Run\"\n0 Worker Run \"Worker\"\n1 State Worker \"State\"\n");
    out_.print("2 Dependency Run Worker Worker \"Dependency\"\n");
    constexpr std::array<std::string_view, kWorkerActivities> kStateColours{"#444444", "#BB5555", "#DDAAAA",
                                                                            "#E8E8E8", "#BBCCDD", "#66AA88"};
    for (int i = 0; i < kWorkerActivities; ++i) {
      const auto state = static_cast<WorkerActivity>(i);
      // The worker activity "working" is shown as "runtime", because between tasks it is the runtime's own work.
      out_.print("3 {0} State \"{0}\" {1}\n", state == WorkerActivity::working ? "runtime" : to_string(state),
                 colour(kStateColours[static_cast<std::size_t>(i)]));
    }
    out_.print("3 dependency Dependency \"dependency\" {}\n", colour("#888888"));
    out_.print("3 child Dependency \"child\" {}\n", colour("#CC79A7"));
    if (!copies_.empty()) {
      out_.print("0 Copies Run \"Copies\"\n1 Copy Copies \"Copy\"\n");
      out_.print("3 copying Copy \"copying\" {}\n3 none Copy \"none\" {}\n", colour("#0072B2"), colour("#E8E8E8"));
    }
    for (std::size_t i = 0; i < trace_.codelets.size(); ++i) {
      out_.print("3 C{} State {} {}\n", i, paje_quoted(trace_.codelets[i]),
                 colour(kCodeletColours[std::min(i, kCodeletColours.size() - 1)]));
    }
  }

  void print_containers() {
    out_.print("4 {} R Run 0 {}\n", time(description_.begin), paje_quoted(description_.title));
    for (std::size_t i = 0; i < description_.workers.size(); ++i) {
      const std::string name = fmt::format("worker {} ({})", i, description_.workers[i]);
      for (std::size_t lane = 0; lane < lanes_.count(i); ++lane) {
        out_.print("4 {} {} Worker R {}\n", time(description_.begin), container_of(i, lane),
                   paje_quoted(lane == 0 ? name : fmt::format("{}, lane {}", name, lane + 1)));
        out_.print("6 {} State {} runtime\n", time(description_.begin), container_of(i, lane));
      }
    }
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      out_.print("4 {} K{} Copies R {}\n", time(description_.begin), i,
                 paje_quoted(copies_[i].name(description_.nodes)));
      out_.print("6 {} Copy K{} none\n", time(description_.begin), i);
    }
  }

  void print_item(const Item& item) {
    switch (item.kind) {
      case Item::Kind::copying: out_.print("6 {} Copy K{} copying\n", time(item.time), item.index); break;
      case Item::Kind::no_copy: out_.print("6 {} Copy K{} none\n", time(item.time), item.index); break;
      case Item::Kind::task: print_task(trace_.events[item.index], item.lane); break;
      case Item::Kind::state: print_state(trace_.states[item.index]); break;
      case Item::Kind::working:
        out_.print("6 {} State {} runtime\n", time(item.time), container_of(item.index, item.lane));
        break;
      case Item::Kind::link_start: print_link(8, "dependency", item); break;
      case Item::Kind::link_end: print_link(9, "dependency", item); break;
      case Item::Kind::child_start: print_link(8, "child", item); break;
      case Item::Kind::child_end: print_link(9, "child", item); break;
    }
  }

  void print_link(int definition, std::string_view value, const Item& item) {
    out_.print("{} {} Dependency R {} {} {}\n", definition, time(item.time), value,
               container_of(trace_.events[item.index].worker.index(), item.lane), item.link);
  }

  void print_state(const TraceState& state) {
    const bool helps = state.task.valid();
    out_.print("{} {} State W{} {}", helps ? 7 : 6, time(state.start), state.worker.index(), to_string(state.state));
    if (helps) {
      // The trace may have no event of the task, for example if the task still runs.
      const auto event = index_.find(state.task);
      out_.print(" {} {} \"\" \"\" \"\" \"\" \"\"", state.task.value(),
                 paje_quoted(event ? trace_.name_of(trace_.events[*event]) : ""));
    }
    out_.print("\n");
  }

  void print_task(const TraceEvent& event, std::size_t lane) {
    const double gflops = event.flops / static_cast<double>(event.duration().count());
    const auto used = event.team_use().used_fraction();
    out_.print("7 {} State {} C{} {} {} \"{}\" \"{}\" \"{}\" \"{}\" \"{}\"\n", time(event.start),
               container_of(event.worker.index(), lane), event.codelet, event.task.value(),
               paje_quoted(trace_.name_of(event)),
               std::isfinite(gflops) && gflops > 0 ? fmt::format("{:.4g}", gflops) : "", event.priority, event.cores,
               used ? fmt::format("{:.4g}", *used * event.cores) : "",
               event.nesting.parent.valid() ? fmt::to_string(event.nesting.parent.value()) : "");
  }

  const Trace& trace_;
  const TraceDescription& description_;
  const std::vector<CopyTrack> copies_;
  const TaskLanes lanes_;
  const TraceIndex index_;
  BufferedFile& out_;
};

}  // namespace

void print_paje(const Trace& trace, const TraceDescription& description, BufferedFile& out) {
  PajeTrace(trace, description, out).print();
}

}  // namespace troupe::traces
