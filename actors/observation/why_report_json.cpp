#include "actors/observation/report_members.hpp"
#include "troupe/why.hpp"

namespace troupe {

// These functions are like those in report_members.hpp, but leave out a member that would tell the reader nothing.

void members(auto& member, ReportOf<WhyTask> auto& one) {
  member("text", one.text);
  if (one.id.valid()) member("id", one.id);
  if (!one.name.empty()) member("name", one.name);
  if (!one.codelet.empty()) member("codelet", one.codelet);
  if (one.pieces == 0) return;
  member("pieces", one.pieces);
  member("pieces_begun", one.pieces_begun);
}

void members(auto& member, ReportOf<WhyCause> auto& one) {
  member("kind", one.kind);
  member("task", one.task);
  member("tasks", one.tasks);
  member("waiting", one.waiting);
  member("seconds", one.lasting);
  if (one.worker.valid()) member("worker", one.worker);
  if (one.data.empty()) return;
  member("data", one.data);
  member("mode", one.mode);
}

void members(auto& member, ReportOf<WhyBlocker> auto& one) {
  member("task", one.task);
  member("relation", one.relation);
  member("state", one.state);
}

void members(auto& member, ReportOf<WhyWaiting> auto& one) {
  member("task", one.task);
  member("more_blockers", one.more_blockers);
  if (!one.blockers.empty()) member("blockers", one.blockers);
}

void members(auto& member, ReportOf<WhyWorker> auto& one) {
  member("worker", one.worker);
  member("device", one.device);
  member("state", one.state);
  member("queued", one.queued);
  if (!one.members.empty()) member("members", one.members);
  if (one.members.size() > 1) member("team_used", one.team.used_fraction());
  if (one.task.text.empty()) return;
  member("task", one.task);
  member("seconds", one.lasting);
}

void members(auto& member, ReportOf<WhyThread> auto& one) {
  member("waits_for", one.kind);
  member("text", one.text);
  member("seconds", one.lasting);
  if (one.task.id.valid()) member("task", one.task);
}

void members(auto& member, ReportOf<WhyCounts> auto& one) {
  member("submitted", one.submitted);
  member("ended", one.ended);
  member("in_flight", one.in_flight);
  member("left_out", one.left_out);
  member("waiting", one.waiting);
  member("ready", one.ready);
  member("running", one.running);
  member("in_entry_queue", one.in_entry_queue);
  member("undecided", one.undecided);
}

void members(auto& member, ReportOf<WhyReport> auto& one) {
  members(member, one.counts);
  member("policy", one.policy);
  member("scheduler_died", one.scheduler_died);
  member("quiet_seconds", one.quiet_for);
  member("causes", one.causes);
  member("more_causes", one.more_causes);
  member("tasks", one.tasks);
  member("more_tasks", one.more_tasks);
  member("workers", one.workers);
  member("threads", one.threads);
  member("more_threads", one.more_threads);
}

std::string WhyReport::to_json() const { return as_json(*this).dump(2); }

}  // namespace troupe
