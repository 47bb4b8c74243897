/// An invented service whose state changes with time, for tests of programs that show services.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "service/views/service_view.hpp"
#include "troupe/devices.hpp"

namespace troupe::tests {

/// Returns a view of the service `time` seconds after its start. It has every kind of content: two sessions that
/// factorize on six cores and two GPUs, and one session with little to do. All counters grow with time.
[[nodiscard]] inline service::ServiceView sample_view(double time) {
  using std::chrono::microseconds;
  const auto in_seconds = [](double seconds) { return Duration(static_cast<std::int64_t>(seconds * 1e9)); };
  const auto whole = [](double number) { return static_cast<std::uint64_t>(std::max(0.0, number)); };
  service::ServiceView view;
  view.version = "0.1.0";
  view.process = 4711;
  view.age = in_seconds(time);
  view.state = "serving";
  LiveView& runtime = view.runtime;
  runtime.policy = "dada:alpha=0.5,cp";

  constexpr std::array kCodelets{"gemm", "syrk", "trsm", "potrf"};
  for (int i = 0; i < 8; ++i) {
    const bool gpu = i >= 6;
    // Each worker changes between running and waiting at times of its own.
    const double phase = time * (gpu ? 9 : 3) + i * 1.7;
    const bool runs = std::fmod(phase, 5.0) < (gpu ? 4.8 : 4.0);
    const auto codelet = kCodelets[static_cast<std::size_t>(phase * 0.37) % (gpu ? 2 : 4)];
    LiveWorker worker;
    worker.device = gpu ? "GPU " + std::to_string(i - 6) : "cpu core " + std::to_string(i);
    if (!gpu) worker.members = {i};
    worker.idle = !runs;
    worker.deque_length = runs ? 3 + static_cast<std::size_t>(phase) % 9 : 0;
    if (runs) {
      worker.codelet = codelet;
      worker.task = std::string(codelet) + "(" + std::to_string(static_cast<int>(phase) % 20) + ",3)";
      worker.client = static_cast<int>(phase) % 3 == 0 ? "ensemble" : "solver";
      worker.running_for = in_seconds(std::fmod(phase, 1.0) / 9);
    }
    worker.tasks = whole(time * (gpu ? 120 : 25));
    worker.busy = in_seconds(time * (gpu ? 0.95 : 0.8));
    runtime.workers.push_back(worker);
  }
  runtime.entry_queue = 4 + static_cast<std::size_t>(time) % 3;
  runtime.clients = {{"solver", 2, 210, whole(time * 300 + 900), whole(time * 300), in_seconds(time * 4.4)},
                     {"ensemble", 1, 80, whole(time * 90 + 200), whole(time * 90), in_seconds(time * 2.1)}};
  const auto used = [&](double share) { return Bytes{whole((16.0 * share) * 1024 * 1024 * 1024)}; };
  runtime.memories = {{"GPU 0", used(1), used(0.55 + 0.35 * std::sin(time / 7))},
                      {"GPU 1", used(1), used(0.4 + 0.3 * std::cos(time / 5))}};
  TransferReport& transfers = runtime.transfers;
  const auto pair = [&](unsigned from, unsigned to, double gigabytes_per_s) {
    // The number of moved bytes is the integral of a rate that oscillates.
    const double moved = gigabytes_per_s * 1e9 * (time + 3 * (1 - std::cos(time / 3)));
    transfers.pairs.push_back(
        {NodeId(from), NodeId(to), Bytes{whole(moved)}, whole(moved / 8e6), in_seconds(moved / 12e9)});
    return Bytes{whole(moved)};
  };
  transfers.host_to_device = pair(0, 1, 2.1);
  transfers.host_to_device += pair(0, 2, 1.7);
  transfers.device_to_host = pair(1, 0, 0.8);
  transfers.device_to_device = pair(1, 2, 0.4);
  transfers.links = {{"PCIe switch 0", 12000, transfers.host_to_device, in_seconds(time * 0.4), 0.97}};
  transfers.memories = {{NodeId(1), used(1), used(0.9), runtime.memories[0].used},
                        {NodeId(2), used(1), used(0.7), runtime.memories[1].used}};
  transfers.manager.evictions = whole(time * 6);
  transfers.manager.write_backs = whole(time * 2);
  transfers.manager.prefetches = whole(time * 60);
  transfers.manager.prefetches_used = whole(time * 55);
  transfers.manager.hits = whole(time * 400);
  transfers.manager.misses = whole(time * 70);
  const auto prediction = [&](const char* codelet, DeviceKind kind, double each_s, double error) {
    const std::uint64_t tasks = whole(time * 20);
    const double all = each_s * static_cast<double>(tasks);
    runtime.predictions.push_back(
        {codelet,
         kind,
         {tasks, 3, in_seconds(all), in_seconds(all * (1 + error / 2)), error * static_cast<double>(tasks)}});
  };
  prediction("gemm", DeviceKind::cpu_core, 0.031, 0.034);
  prediction("gemm", DeviceKind::cuda, 0.0021, 0.081);
  prediction("potrf", DeviceKind::cpu_core, 0.017, 0.122);
  prediction("trsm", DeviceKind::cpu_core, 0.024, 0.051);

  const auto mailbox = [&](std::string actor, double per_second, microseconds wait, std::uint64_t depth) {
    MailboxMetrics one;
    one.actor = std::move(actor);
    one.processed = whole(time * per_second);
    one.depth = depth;
    one.received = one.processed + depth;
    one.peak_depth = depth + 9;
    const std::uint64_t count = one.processed;
    one.waiting = {count, wait, wait * 4 / 5, wait * 2, wait * 6, wait * 40};
    one.handling = {count, microseconds(3), microseconds(2), microseconds(5), microseconds(11), microseconds(90)};
    runtime.mailboxes.mailboxes.push_back(std::move(one));
  };
  for (int i = 0; i < 8; ++i)
    mailbox("worker " + std::to_string(i), 40 + 10 * i, microseconds(12 + 3 * i), i % 3 == 0 ? 1 : 0);
  mailbox("scheduler", 900, microseconds(85), 2 + static_cast<std::uint64_t>(time) % 5);
  mailbox("memory manager", 700, microseconds(41), 1);
  mailbox("supervisor", 1, microseconds(15), 0);

  view.sessions = {{3, "solver", 1000, "anna", 5012, 2, "running", whole(time * 300 + 900), whole(time * 300), 0,
                    in_seconds(time * 4.4), Bytes{3ULL << 30U}, in_seconds(time)},
                   {5, "ensemble", 1001, "ben", 6230, 1, "running", whole(time * 90 + 200), whole(time * 90), 2,
                    in_seconds(time * 2.1), Bytes{400ULL << 20U}, in_seconds(time * 0.8)},
                   {6, "notebook", 1001, "ben", 6301, 1, "running", 40, 40, 0, in_seconds(0.5), Bytes{8ULL << 20U},
                    in_seconds(time * 0.3)}};
  return view;
}

/// Returns a `sample_view` whose first worker is a cluster of four cores. The cluster offers four seconds in each
/// second of the service, and `share` of this time is used.
[[nodiscard]] inline service::ServiceView clustered_view(double time, double share) {
  service::ServiceView view = sample_view(time);
  LiveWorker& cluster = view.runtime.workers[0];
  cluster.device = "cluster of 4 cores 8-11";
  cluster.members = {8, 9, 10, 11};
  cluster.team.offered = Duration(static_cast<std::int64_t>(time * 4e9));
  cluster.team.used = Duration(static_cast<std::int64_t>(time * 4e9 * share));
  return view;
}

/// A source that shows `sample_view` while time passes.
class FakeViewSource final : public service::ServiceViewSource {
 public:
  /// Begins as if the service had started `age_s` seconds ago.
  explicit FakeViewSource(double age_s = 0) : age_s_(age_s) {}

  [[nodiscard]] service::ServiceView look() const override {
    ++looks;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return sample_view(age_s_ + passed.count());
  }
  [[nodiscard]] std::optional<WhyReport> why(std::optional<std::uint64_t> session) const override {
    ++questions;
    if (session && *session != 3 && *session != 5 && *session != 6) return std::nullopt;
    WhyReport report;
    report.counts.submitted = 1000;
    report.counts.ended = 900;
    report.counts.in_flight = 100;
    report.counts.waiting = 70;
    report.counts.ready = 22;
    report.counts.running = 8;
    report.policy = "dada:alpha=0.5,cp";
    const std::string name = !session ? "gemm(7,3)" : *session == 3 ? "potrf(4)" : "syrk(9)";
    WhyCause cause;
    cause.kind = WhyKind::running;
    cause.task = {TaskId(912), name, name.substr(0, name.find('(')), "task 912 '" + name + "'"};
    cause.waiting = 70;
    cause.worker = WorkerId(2);
    cause.lasting = std::chrono::milliseconds(420);
    report.causes = {cause};
    return report;
  }

  mutable std::atomic<int> looks{0};
  mutable std::atomic<int> questions{0};

 private:
  const double age_s_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace troupe::tests
