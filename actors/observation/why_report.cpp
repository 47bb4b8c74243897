#include "troupe/why.hpp"

#include <fmt/format.h>

#include "proto/human_count.hpp"

namespace troupe {

const char* to_string(WhyKind kind) {
  switch (kind) {
    case WhyKind::running: return "running";
    case WhyKind::callback: return "callback";
    case WhyKind::held_by_program: return "held_by_program";
    case WhyKind::ready: return "ready";
    case WhyKind::undecided: return "undecided";
    case WhyKind::no_worker: return "no_worker";
    case WhyKind::fetching: return "fetching";
    case WhyKind::another_runtime: return "another_runtime";
  }
  return "unknown";
}

const char* to_string(WhyBlocker::Relation relation) {
  switch (relation) {
    case WhyBlocker::Relation::data: return "data";
    case WhyBlocker::Relation::explicit_dependency: return "explicit_dependency";
    case WhyBlocker::Relation::commute_lock: return "commute_lock";
  }
  return "unknown";
}

const char* to_string(WhyWorkerState state) {
  switch (state) {
    case WhyWorkerState::running: return "running";
    case WhyWorkerState::callback: return "callback";
    case WhyWorkerState::asleep: return "asleep";
    case WhyWorkerState::awake: return "awake";
    case WhyWorkerState::regrouping: return "regrouping";
    case WhyWorkerState::lent: return "lent";
  }
  return "unknown";
}

std::string in_words(Duration duration) {
  const double s = seconds(duration);
  if (s >= 120) {
    const auto whole = static_cast<std::uint64_t>(s);
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  if (s >= 1) return fmt::format("{:.1f} s", s);
  return s >= 1e-3 ? fmt::format("{:.0f} ms", s * 1e3) : "less than 1 ms";
}

namespace {

std::string count_of_tasks(std::uint64_t count) { return human_count(count) + (count == 1 ? " task" : " tasks"); }

std::string for_time(Duration lasting) { return lasting > Duration{} ? " for " + in_words(lasting) : std::string(); }

/// Returns, for example, "10 in the deque of worker 1, 2 in the entry queue".
std::string places(const WhyReport& report) {
  std::string text;
  const auto add = [&](std::uint64_t count, const std::string& where) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " in " + where;
  };
  for (const WhyWorker& worker : report.workers) {
    add(worker.queued, "the deque of worker " + std::to_string(worker.worker.value()) +
                           (worker.state == WhyWorkerState::asleep ? ", which is asleep" : ""));
  }
  add(report.counts.in_entry_queue, "the entry queue");
  add(report.counts.undecided, "the activation queue of policy '" + report.policy + "'");
  return text.empty() ? "a worker is about to start them" : text;
}

/// Returns the cause in words: the second half of "n tasks wait, in the end, for …".
std::string words(const WhyCause& cause, const WhyReport& report) {
  const std::string worker = " on worker " + std::to_string(cause.worker.value());
  switch (cause.kind) {
    case WhyKind::running: return cause.task.text + ", which has been running" + worker + for_time(cause.lasting);
    case WhyKind::another_runtime:
      return cause.task.text + ", whose kernel" + worker + " has been waiting for another runtime" +
             for_time(cause.lasting);
    case WhyKind::callback:
      return "the callback of " + cause.task.text + ", which has been running" + worker + for_time(cause.lasting);
    case WhyKind::held_by_program:
      if (cause.data.empty()) return "the end of a coroutine: it goes on when what it awaits has ended";
      return fmt::format("{}, which the program has held (mode {}){}: it goes on when the program gives it back",
                         cause.data, to_string(cause.mode), for_time(cause.lasting));
    case WhyKind::ready:
      return fmt::format("{} that {} ready, but not started: {}; the first is {}", count_of_tasks(cause.tasks),
                         cause.tasks == 1 ? "is" : "are", places(report), cause.task.text);
    case WhyKind::undecided:
      return fmt::format("{} that {} ready, but that the policy '{}' has not placed on a worker; the first is {}",
                         count_of_tasks(cause.tasks), cause.tasks == 1 ? "is" : "are", report.policy, cause.task.text);
    case WhyKind::fetching: return cause.task.text + ", which a worker has taken, and which waits for " + cause.data;
    case WhyKind::no_worker: return cause.task.text + ", for which no worker has a device that its codelet runs on";
  }
  return {};
}

std::string cause_line(const WhyCause& cause, const WhyReport& report) {
  if (cause.waiting > 0) {
    return fmt::format("{} {}, in the end, for {}.\n", count_of_tasks(cause.waiting),
                       cause.waiting == 1 ? "waits" : "wait", words(cause, report));
  }
  const char* const text =
      cause.blocks ? "Some tasks wait for a graver cause and, besides, for {}.\n" : "No task waits for {}.\n";
  return fmt::format(fmt::runtime(text), words(cause, report));
}

std::string waiting_line(const WhyWaiting& waiting) {
  std::string text = "  " + waiting.task.text + " waits for ";
  for (std::size_t i = 0; i < waiting.blockers.size(); ++i) {
    const WhyBlocker& blocker = waiting.blockers[i];
    if (i > 0) text += "; for ";
    if (blocker.relation == WhyBlocker::Relation::commute_lock) text += "the commute lock held by ";
    text += blocker.task.text;
    if (blocker.relation == WhyBlocker::Relation::explicit_dependency) text += " (as the program asked)";
    text += ", which " + blocker.state;
  }
  if (waiting.more_blockers > 0) text += fmt::format("; and for {} more", waiting.more_blockers);
  return text + "\n";
}

/// Returns, for a cluster, "; its tasks so far used 93 % of its cores' time".
std::string team_words(const TeamUse& use) {
  if (const auto used = use.used_fraction())
    return fmt::format("; its tasks so far used {:.0f} % of its cores' time", 100 * *used);
  return use.unseen > Duration{} ? "; its tasks so far brought threads of their own" : "";
}

std::string worker_line(const WhyWorker& worker) {
  std::string text = fmt::format("  worker {} ({}) ", worker.worker.value(), worker.device);
  switch (worker.state) {
    case WhyWorkerState::running: text += "runs " + worker.task.text + for_time(worker.lasting); break;
    case WhyWorkerState::callback:
      text += "is in the callback of " + worker.task.text + for_time(worker.lasting);
      break;
    case WhyWorkerState::asleep: text += "is asleep"; break;
    case WhyWorkerState::awake: text += "is awake, between two tasks"; break;
    case WhyWorkerState::regrouping: text += "waits for others, as cores are grouped otherwise"; break;
    case WhyWorkerState::lent: text += fmt::format("helps worker {}", worker.lent_to.value()); break;
  }
  if (worker.members.size() > 1) text += team_words(worker.team);
  if (worker.queued > 0) text += fmt::format("; {} ready in its deque", count_of_tasks(worker.queued));
  return text + "\n";
}

}  // namespace

std::string WhyReport::to_text() const {
  std::string text;
  if (quiet_for > Duration{}) text += "Nothing has started or ended for " + in_words(quiet_for) + ".\n";
  if (counts.in_flight == 0) {
    text += "No task is in flight: nothing is stalled.\n";
  } else {
    text += fmt::format("{} in flight: {} running, {} ready, {} waiting.\n", count_of_tasks(counts.in_flight),
                        counts.running, counts.ready, counts.waiting);
    if (counts.left_out > 0) {
      text += fmt::format("These are the oldest; {} more were not looked at.\n", count_of_tasks(counts.left_out));
    }
    if (counts.waiting == 0 && counts.ready == 0 && counts.running > 0)
      text += "No task waits: nothing is stalled but what runs.\n";
  }
  if (scheduler_died) text += "The scheduler's actor has died: tasks that it has not placed do not run.\n";
  for (const WhyCause& cause : causes) text += cause_line(cause, *this);
  if (more_causes > 0) text += fmt::format("There are {} more causes.\n", more_causes);
  if (!tasks.empty()) text += "What waits:\n";
  for (const WhyWaiting& one : tasks) text += waiting_line(one);
  if (more_tasks > 0) text += fmt::format("  and {} more\n", count_of_tasks(more_tasks));
  if (!threads.empty()) text += "Threads of the program:\n";
  for (const WhyThread& thread : threads) text += "  one " + thread.text + for_time(thread.lasting) + "\n";
  if (more_threads > 0) text += fmt::format("  and {} more\n", more_threads);
  if (!workers.empty()) text += "Workers:\n";
  for (const WhyWorker& worker : workers) text += worker_line(worker);
  return text;
}

}  // namespace troupe
