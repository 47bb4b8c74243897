/// What has happened since the scheduler looked.
#pragma once

#include "actors/scheduler/scheduler_event.hpp"
#include "proto/inbox.hpp"

namespace troupe::scheduler {

/// Where workers and the memory manager leave news for the scheduler.
using SchedulerInbox = Inbox<SchedulerEvent>;

}  // namespace troupe::scheduler
