#include "python/module/gil.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::python {

namespace {

/// The Python state of a thread that Python did not start.
class ThreadState {
 public:
  /// Makes the thread's Python state. Acquires the interpreter's lock, and releases it again.
  ThreadState() : first_(PyGILState_Ensure()), state_(PyEval_SaveThread()) {}
  ~ThreadState() {
    // If the interpreter is ending, it has already deleted the state, and would stop any thread that acquires the lock.
    if (_Py_IsFinalizing() != 0 || Py_IsInitialized() == 0) return;
    PyEval_RestoreThread(state_);
    PyGILState_Release(first_);
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

 private:
  PyGILState_STATE first_;
  PyThreadState* state_;
};

struct Disposed {
  std::mutex mutex;
  std::vector<PyObject*> objects;
  /// True if a pending call of the interpreter will collect the objects.
  bool announced = false;
};

/// The list is never destroyed, because threads may still drop references after static objects were destroyed. It is
/// made when the module is loaded: if another thread made it at first use, a process that is forked meanwhile would
/// wait for that thread forever.
Disposed* all_disposed = new Disposed;
Disposed& disposed() { return *all_disposed; }

/// The number of threads that are in `WithoutGil`, without the threads that `park` has stopped forever.
std::atomic<int> threads_without{0};
/// The thread in which the interpreter ends or is about to end; no thread if it is not ending.
std::atomic<std::thread::id> ending_by{};

[[noreturn]] void park() {
  threads_without.fetch_sub(1);
  while (true) pause();
}

int collect_pending(void* /*unused*/) {
  collect_disposed();
  return 0;
}

}  // namespace

WithGil::WithGil() {
  if (PyGILState_GetThisThreadState() == nullptr) {
    [[maybe_unused]] thread_local const ThreadState kept;
  }
  state_ = PyGILState_Ensure();
}

WithoutGil::WithoutGil() {
  threads_without.fetch_add(1);
  state_ = PyEval_SaveThread();
}

WithoutGil::~WithoutGil() {
  if (ending_elsewhere()) park();
  PyEval_RestoreThread(state_);
  threads_without.fetch_sub(1);
}

bool ending_elsewhere() {
  const std::thread::id ending = ending_by.load();
  return ending != std::thread::id() && ending != std::this_thread::get_id();
}

void stop_others() {
  ending_by.store(std::this_thread::get_id());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const WithoutGil without;
  while (threads_without.load() > 1 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void dispose(PyObject* object) noexcept {
  if (object == nullptr) return;
  if (_Py_IsFinalizing() != 0 || Py_IsInitialized() == 0) return;  // the interpreter has ended: nothing is freed
  if (PyGILState_Check() != 0) {
    Py_DECREF(object);
    return;
  }
  bool announce = false;
  {
    Disposed& all = disposed();
    const std::lock_guard lock(all.mutex);
    all.objects.push_back(object);
    announce = !std::exchange(all.announced, true);
  }
  if (announce && Py_AddPendingCall(&collect_pending, nullptr) != 0) {
    // The interpreter has too many pending calls. The next dropped reference tries again.
    const std::lock_guard lock(disposed().mutex);
    disposed().announced = false;
  }
}

void forget_disposed() {
  all_disposed = new Disposed;
  threads_without.store(0);
  ending_by.store({});
}

void collect_disposed() {
  std::vector<PyObject*> objects;
  {
    Disposed& all = disposed();
    const std::lock_guard lock(all.mutex);
    objects.swap(all.objects);
    all.announced = false;
  }
  // Destroying an object may run any code, and may call this function again.
  for (PyObject* const object : objects) Py_DECREF(object);
}

}  // namespace troupe::python
