/// The members of a service's view and their keys, for all code that writes or reads the view.
#pragma once

#include "actors/observation/report_members.hpp"
#include "service/views/service_view.hpp"

// Each `members` function is in the namespace of its type, so that the code that writes or reads the type finds it.

namespace troupe {

void members(auto& member, ReportOf<LiveWorker> auto& one) {
  member("device", one.device);
  member.later("members", one.members);
  member("idle", one.idle);
  member("lost", one.lost);
  member("deque_length", one.deque_length);
  member("task", one.task);
  member("codelet", one.codelet);
  member("client", one.client);
  member("running_for_seconds", one.running_for);
  member("tasks", one.tasks);
  member("busy_seconds", one.busy);
  member.later("team", one.team);
}

void members(auto& member, ReportOf<LiveClient> auto& one) {
  member("name", one.name);
  member("weight", one.weight);
  member("ready", one.ready);
  member("submitted", one.submitted);
  member("ended", one.ended);
  member("worker_seconds", one.worker_time);
}

void members(auto& member, ReportOf<LiveMemory> auto& one) {
  member("name", one.name);
  member("capacity_bytes", one.capacity);
  member("used_bytes", one.used);
}

}  // namespace troupe

namespace troupe::remote {

void members(auto& member, ReportOf<SessionView> auto& one) {
  member("session", one.id);
  member("name", one.name);
  member("user", one.user);
  member.later("user_name", one.user_name);
  member("process", one.process);
  member("weight", one.weight);
  member("state", one.state);
  member("submitted", one.submitted);
  member("ended", one.ended);
  member("failed", one.failed);
  member("worker_seconds", one.worker_time);
  member("memory_bytes", one.memory);
  member("age_seconds", one.age);
}

}  // namespace troupe::remote

namespace troupe::service {

void members(auto& member, ReportOf<ServiceView> auto& one) {
  member("version", one.version);
  member("process", one.process);
  member("age_seconds", one.age);
  member("state", one.state);
  member("policy", one.runtime.policy);
  member("workers", one.runtime.workers);
  member("entry_queue", one.runtime.entry_queue);
  member("clients", one.runtime.clients);
  member("memories", one.runtime.memories);
  member("transfers", one.runtime.transfers);
  member("predictions", one.runtime.predictions);
  member("mailboxes", one.runtime.mailboxes.mailboxes);
  member("sessions", one.sessions);
}

}  // namespace troupe::service
