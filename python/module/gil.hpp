/// The interpreter's lock, as threads of the runtime take it, and references to Python objects that they drop.
///
/// Rules: a thread that may have to wait for another one releases the lock before (`WithoutGil`); a thread that holds a
/// lock of the runtime never waits for the interpreter's lock. Hence a thread that drops a reference without holding
/// the interpreter's lock leaves it to other threads (`dispose`).
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

namespace troupe::python {

/// Lets the calling thread use Python as long as this object exists. A thread of the runtime keeps its Python state
/// until it ends.
class WithGil {
 public:
  WithGil();
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Lets other threads use Python as long as this object exists. The calling thread holds the lock before and
/// afterwards. If the interpreter ends meanwhile, the thread never returns: taking the lock would end the thread in the
/// middle of C++.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Called when the interpreter is about to end: other threads stay in `WithoutGil` from now on. Threads that are just
/// leaving it have at most one second to do so.
void stop_others();

/// Drops a reference in any thread: now, or when a thread next holds the lock. Waits for nothing.
void dispose(PyObject* object) noexcept;
/// Drops the references that `dispose` has left. Requires the lock.
void collect_disposed();
/// Called in a forked process: the lock of the list may be held by a thread that does not exist here, and the counted
/// threads without the interpreter's lock do not exist here, either.
void forget_disposed();

/// A reference that any thread may drop. Making and copying one requires the lock.
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
