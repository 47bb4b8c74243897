/// Sample traces for tests of code that writes traces.
#pragma once

#include "tests/support/hand_made_trace.hpp"

namespace troupe::tests {

/// Returns the trace of four tasks that form a diamond, on two workers that steal, look for work and sleep. Some names
/// have to be escaped, one task has no duration, and one dependency belongs to a task that does not exist.
inline Trace sample_trace() {
  HandMadeTrace trace;
  trace.task(11, 0, 10, 30, "get \"rf\"\n", 4e4).task(12, 0, 30, 50, "gemm").task(13, 1, 42, 60, "gemm");
  trace.task(14, 0, 61, 61, "gemm");
  trace.edge(11, 12).edge(11, 13).edge(12, 14).edge(13, 14).edge(7, 11);
  trace.state(1, WorkerActivity::asleep, 0, 40).state(1, WorkerActivity::stealing, 40, 42);
  trace.state(0, WorkerActivity::searching, 51, 60).state(1, WorkerActivity::asleep, 60, 80);
  trace->names.emplace_back("block (0, \"1\")\\ \xff");
  trace->events[1].name = 1;
  trace->events[1].priority = -3;
  trace->events[2].failed = true;
  return *trace;
}

/// Returns the trace of a named task with which two other workers help. One of these also helps with another task,
/// which has not ended.
inline Trace helped_trace() {
  HandMadeTrace trace;
  trace.task(21, 0, 0, 40, "up \"date\"").help(1, 21, 10, 30).state(1, WorkerActivity::asleep, 30, 32);
  trace.help(1, 22, 32, 35).help(2, 21, 5, 40);
  trace->names.emplace_back("block (0, \"1\")");
  trace->events[0].name = 1;
  return *trace;
}

/// Returns the trace of three tasks: one on a cluster of four cores that used 2.5 of them; one on that cluster for
/// which the use of the cores is unknown; and one on a single core.
inline Trace cluster_trace() {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 10, "gemm").task(2, 0, 10, 30, "omp").task(3, 1, 0, 20, "gemm");
  for (TraceEvent& event : trace->events) {
    if (event.worker == WorkerId(0)) event.cores = 4;
    if (event.task == TaskId(1)) event.used = std::chrono::microseconds(25);
  }
  return *trace;
}

/// Returns the trace of a nested task "sort" on two workers. Its kernel submits two children, waits while the first
/// runs on top of it, and while its worker then sleeps, since the other worker runs the second; at the end it submits a
/// third child, which is nested itself. A task of the program follows the whole.
inline Trace nested_trace() {
  HandMadeTrace trace;
  trace.task(1, 0, 0, 60, "sort").task(2, 0, 12, 22, "left").task(3, 1, 10, 50, "right").task(4, 1, 62, 72, "merge");
  trace.task(5, 0, 66, 86, "left").task(6, 0, 90, 95, "check");
  trace.child(1, 2, 4).child(1, 3, 8).child(1, 4, 58).child(4, 5, 64);
  trace.wait(1, 10, 52).state(0, WorkerActivity::asleep, 24, 51).whole_edge(1, 6);
  trace->names.emplace_back("all");
  trace->events[0].name = 1;
  return *trace;
}

}  // namespace troupe::tests
