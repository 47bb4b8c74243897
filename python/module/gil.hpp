/// The interpreter's lock, as threads of the runtime take it, and references to Python objects that they drop.
///
/// Rules: a thread that may have to wait for another one gives the lock away before (`WithoutGil`); a thread that holds
/// a lock of the runtime never waits for this one. Hence whoever drops a reference without holding the interpreter's
/// lock leaves it to others (`dispose`).
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

namespace troupe::python {

/// While one lives, the calling thread may use Python. A thread of the runtime keeps its Python state until it ends.
class WithGil {
 public:
  WithGil();
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Others may use Python while one lives. The calling thread holds the lock before and afterwards. Where the
/// interpreter ends meanwhile, the thread never returns: taking the lock would end it in the middle of C++.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// The interpreter is about to end: other threads stay in `WithoutGil` from now on. Those that are leaving it may, for
/// a second at most.
void stop_others();

/// Drops a reference, in any thread, now or when a thread next holds the lock. Waits for nothing.
void dispose(PyObject* object) noexcept;
/// Drops what has been left by `dispose`. With the lock.
void collect_disposed();
/// In a forked process: the lock of the list may be held by a thread that is not here, as are those without the lock.
void forget_disposed();

/// A reference that any thread may drop. Making and copying one needs the lock.
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
