/// Events of tasks and data, which the scheduler is told of between its messages.
#pragma once

#include <cstdint>

#include "proto/inbox.hpp"
#include "proto/memory.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

struct SchedulerEvent {
  enum class Kind : std::uint8_t {
    /// `task` began on `worker` at `at`.
    started,
    /// It ended at `at`, and has not failed; it had its device for `took`, shares of that where others ran beside it.
    ended,
    /// `worker` runs pieces of a task that another has begun.
    joined,
    /// Nobody can join `task` any more: somebody has each of its pieces, or had it.
    all_taken,
    /// `worker` runs no more pieces of `task`, which it or another has begun; `task` has not ended.
    stopped,
    /// It has left `worker`, which cannot hold its data, without having run; or it has failed at `at`.
    left,
    /// `worker` cannot run anything any more.
    worker_lost,
    /// `worker` has `cores` cores from here on; 0: it runs nothing until it has some again.
    regrouped,
    /// `handle` is in `state` on `node`.
    replica_changed,
  };
  Kind kind = Kind::started;
  memory::ReplicaState state = memory::ReplicaState::invalid;
  WorkerId worker = {};
  NodeId node = {};
  TaskId task = {};
  int cores = 0;
  HandleId handle = {};
  TimeStamp at{};
  Duration took{};
};

/// Where workers and the memory manager leave news for the scheduler.
using SchedulerInbox = Inbox<SchedulerEvent>;

}  // namespace troupe::scheduler
