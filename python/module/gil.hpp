/// The interpreter's lock: how threads of the runtime acquire it, and how they drop references to Python objects.
///
/// Rules: a thread that may have to wait for another thread first releases the interpreter's lock (`WithoutGil`). A
/// thread that holds a lock of the runtime never waits for the interpreter's lock. So a thread that does not hold the
/// interpreter's lock does not drop a reference itself, but leaves this to other threads (`dispose`).
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

namespace troupe::python {

/// Lets the calling thread use Python as long as this object exists. A thread of the runtime keeps its Python state
/// until the thread ends.
class WithGil {
 public:
  WithGil();
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Lets other threads use Python as long as this object exists. The calling thread must hold the interpreter's lock,
/// and holds the lock again afterwards. If the interpreter ends meanwhile, the destructor never returns: acquiring the
/// lock would end the thread in the middle of C++ code.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Called when the interpreter is about to end: other threads stay in `WithoutGil` from now on. Waits at most one
/// second for threads that are just leaving `WithoutGil`.
void stop_others();
/// Returns true if the interpreter ends or is about to end in another thread. Then this thread must not take the
/// interpreter's lock, which would end the thread in the middle of C++ code.
[[nodiscard]] bool ending_elsewhere();

/// Drops a reference, in any thread. If the calling thread does not hold the interpreter's lock, another thread drops
/// the reference later. Never waits.
void dispose(PyObject* object) noexcept;
/// Drops the references that `dispose` has left. Requires the interpreter's lock.
void collect_disposed();
/// Called in a forked process. Makes a new list of left references, because a thread that does not exist in this
/// process may hold the lock of the old list. Also sets the number of threads in `WithoutGil` to zero, because these
/// threads do not exist in this process either.
void forget_disposed();

/// A reference that any thread may drop. Making and copying a reference requires the interpreter's lock.
class KeptObject {
 public:
  KeptObject() = default;
  explicit KeptObject(pybind11::object object) : object_(object.release().ptr()) {}
  KeptObject(KeptObject&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  KeptObject& operator=(KeptObject&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  KeptObject(const KeptObject&) = delete;
  KeptObject& operator=(const KeptObject&) = delete;
  ~KeptObject() { dispose(object_); }

  [[nodiscard]] pybind11::handle get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace troupe::python
