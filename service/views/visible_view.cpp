#include "service/views/visible_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace troupe::service {
namespace {

constexpr const char* kHidden = "another user's";

void name_session(WhyTask& task, std::uint64_t session) {
  if (!task.text.empty()) task.text += fmt::format(" of session {}", session);
}

}  // namespace

std::string graph_name(std::uint64_t session, const std::string& name) { return fmt::format("{}:{}", session, name); }

ServiceView VisibleView::look() const {
  ServiceView view = whole_.look();
  std::erase_if(view.sessions, [this](const SessionView& session) { return !visible_(session.user); });
  std::set<std::string> seen;
  for (const SessionView& session : view.sessions) seen.insert(graph_name(session.id, session.name));
  std::erase_if(view.runtime.clients, [&](const LiveClient& client) { return !seen.contains(client.name); });
  for (LiveWorker& worker : view.runtime.workers) {
    if (worker.task.empty() || worker.client.empty() || seen.contains(worker.client)) continue;
    worker.client = worker.task = worker.codelet = kHidden;
  }
  return view;
}

std::optional<WhyReport> VisibleView::why(std::optional<std::uint64_t> session) const {
  WhyReport all;
  bool found = !session.has_value();
  for (const SessionView& view : whole_.look().sessions) {
    if (!visible_(view.user) || (session && *session != view.id)) continue;
    auto report = whole_.why(view.id);
    if (!report) continue;
    if (session) return report;
    merge(all, std::move(*report), view.id);
    found = true;
  }
  if (!found) return std::nullopt;
  return all;
}

void merge(WhyReport& all, WhyReport one, std::uint64_t session) {
  all.counts.submitted += one.counts.submitted;
  all.counts.ended += one.counts.ended;
  all.counts.in_flight += one.counts.in_flight;
  all.counts.left_out += one.counts.left_out;
  all.counts.waiting += one.counts.waiting;
  all.counts.ready += one.counts.ready;
  all.counts.running += one.counts.running;
  all.more_causes += one.more_causes;
  all.more_tasks += one.more_tasks;
  all.more_threads += one.more_threads;
  // These members describe the whole runtime, so they are equal in the reports of all sessions.
  all.counts.in_entry_queue = std::max(all.counts.in_entry_queue, one.counts.in_entry_queue);
  all.counts.undecided = std::max(all.counts.undecided, one.counts.undecided);
  all.scheduler_died = all.scheduler_died || one.scheduler_died;
  if (all.policy.empty()) all.policy = one.policy;
  for (WhyCause& cause : one.causes) name_session(cause.task, session);
  for (WhyWaiting& waiting : one.tasks) {
    name_session(waiting.task, session);
    for (WhyBlocker& blocker : waiting.blockers) name_session(blocker.task, session);
  }
  std::move(one.causes.begin(), one.causes.end(), std::back_inserter(all.causes));
  std::stable_sort(all.causes.begin(), all.causes.end(),
                   [](const WhyCause& a, const WhyCause& b) { return a.waiting > b.waiting; });
  std::move(one.tasks.begin(), one.tasks.end(), std::back_inserter(all.tasks));
  std::move(one.threads.begin(), one.threads.end(), std::back_inserter(all.threads));
  if (all.workers.empty()) {
    all.workers = std::move(one.workers);
    return;
  }
  for (std::size_t i = 0; i < std::min(all.workers.size(), one.workers.size()); ++i) {
    if (all.workers[i].task.text.empty()) all.workers[i] = std::move(one.workers[i]);
  }
}

}  // namespace troupe::service
