/// The constructs of a program whose cost `constructs` measures.
#pragma once

#include <array>

namespace troupe::bench {

struct Construct {
  const char* name;
  /// The thing that is counted, for people.
  const char* unit;
};

inline constexpr std::array kConstructs{
    Construct{"task", "task of a codelet without data"},
    Construct{"task-with-data", "task of a codelet on data of its own"},
    Construct{"lambda", "task of a lambda on data of its own"},
    Construct{"large-captures", "task of a lambda with 64 bytes of captures"},
    Construct{"name", "task with a name and a priority"},
    Construct{"callback", "task with a callback"},
    Construct{"after", "task behind the last one by `after`"},
    Construct{"chain", "task behind the last one by its data"},
    Construct{"commute", "task that commutes with the others"},
    Construct{"reduce", "task that reduces into one number"},
    Construct{"cancellable", "task with a stop token, whose kernel asks"},
    Construct{"recorded-task", "task of a recorded graph's run"},
    Construct{"recording", "task while it is recorded"},
    Construct{"wait", "task that the program waits for"},
    Construct{"acquire", "access of the program to data, given back"},
    Construct{"registration", "registration of memory of the program and its end"},
    Construct{"temporary", "vector of 8 KiB of the runtime's memory, with one task"},
    Construct{"discard", "discarded content, with the task that wrote it"},
    Construct{"part", "part of a partition of new data into 16, and its end"},
    Construct{"halo", "task on a part that reads its rim"},
    Construct{"async", "call by `async` from the program, and its value"},
    Construct{"async-in-call", "call by `async` in a recursion"},
    Construct{"co-await", "call that a coroutine awaits, of 1,000 coroutines"},
    Construct{"nested", "nested task with one child, both without data"},
    Construct{"child", "child of a nested task, behind the last one on its data"},
    Construct{"call-at-once", "call in place of such a child, below the cut-off"},
    Construct{"wait-in-kernel", "child that its kernel waits for"},
};

}  // namespace troupe::bench
