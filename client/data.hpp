/// Ownership of registered data, and access to it from the program.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "client/backend.hpp"
#include "graph/codelets/handle.hpp"
#include "graph/codelets/type_names.hpp"
#include "proto/errors.hpp"

namespace troupe {

/// A registration: the data stay registered as long as it lives. Memory of the runtime (`Runtime::allocate_…`) is given
/// back after its last use, and nobody waits for that. For memory of the program the destructor waits for the last use,
/// so memory that was declared before it is safe even when an exception unwinds the stack. Where it cannot wait (in a
/// kernel or callback, or in a thread that holds the data itself), tasks that use the memory and have not begun are
/// cancelled, running ones are waited for as far as that cannot deadlock, and the kernel's task fails, or else the next
/// `Runtime::wait`: such memory is for the thread that waits for its tasks. Converts to the `Handle` that tasks are
/// given. One that outlives its runtime stands for nothing any more; moving is cheap.
class Data {
 public:
  Data() = default;
  Data(std::weak_ptr<client::Backend> backend, Handle handle) : backend_(std::move(backend)), handle_(handle) {}
  Data(Data&&) noexcept = default;
  Data& operator=(Data&& other) noexcept {
    if (this != &other) {
      reset();
      backend_ = std::move(other.backend_);
      handle_ = other.handle_;
    }
    return *this;
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() { reset(); }

  operator Handle() const { return handle_; }    // NOLINT: a registration is used as a handle
  operator Access() const { return {handle_}; }  // NOLINT
  [[nodiscard]] Handle handle() const { return handle_; }

  /// As the destructor does, but throws `Error`: `wait_in_kernel` where it would have to wait in a kernel or callback,
  /// and the data stay registered; `invalid_handle` where `Runtime::release` has done it already. The handle is invalid
  /// from then on.
  void release() {
    auto backend = take_backend();
    if (backend == nullptr) return;
    Result<void> released = backend->release(handle_);
    if (!released && released.failure().code != ErrorCode::invalid_handle) backend_ = backend;
    std::move(released).value_or_throw();
  }

 private:
  void reset() noexcept {
    if (const auto backend = take_backend()) backend->let_go(handle_);
  }
  /// Null where there is nothing to release any more.
  std::shared_ptr<client::Backend> take_backend() noexcept { return std::exchange(backend_, {}).lock(); }

  std::weak_ptr<client::Backend> backend_;
  Handle handle_;
};

/// While one lives, the program may use the data in the given mode and tasks that conflict wait. Not to be held
/// across a wait for such a task, which would never end: the thread that acquired it is refused that wait
/// (`invalid_argument`), unless it has moved it, as another thread may then give the data back.
class HostAccess {
 public:
  HostAccess(client::Backend* backend, const client::Backend::Acquired& acquired)
      : backend_(backend), hold_(acquired.hold), view_(acquired.view) {}
  HostAccess(HostAccess&& other) noexcept
      : backend_(other.backend_), hold_(std::exchange(other.hold_, nullptr)), view_(other.view_) {
    if (hold_ != nullptr) backend_->hand_on(hold_);
  }
  HostAccess& operator=(HostAccess&&) = delete;
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;
  ~HostAccess() { give_back(); }

  /// Lets the tasks go on; the views must not be used any more.
  void give_back() noexcept {
    if (hold_ != nullptr) backend_->give_back(std::exchange(hold_, nullptr));
  }
  [[nodiscard]] const DataView& view() const { return view_; }
  /// Throws `signature_mismatch` where the elements are of another type than `T`.
  template <class T>
  [[nodiscard]] MatrixView<T> matrix() const {
    check_type<T>();
    return view_.as_matrix<T>();
  }
  /// All elements of contiguous data. Throws `signature_mismatch` too where there are gaps between columns.
  template <class T>
  [[nodiscard]] VectorView<T> vector() const {
    check_type<T>();
    if (!view_.layout.contiguous()) {
      throw Error(ErrorCode::signature_mismatch,
                  "data with gaps between their columns were looked at as a vector: use matrix");
    }
    return {reinterpret_cast<T*>(view_.data), static_cast<std::size_t>(view_.layout.elements())};
  }

 private:
  template <class T>
  void check_type() const {
    if (view_.layout.element_tag == type_tag<std::remove_const_t<T>>()) return;
    throw Error(ErrorCode::signature_mismatch,
                "data of element type " +
                    two_types(view_.layout.element_tag, view_.layout.element_size, " were looked at as ",
                              type_tag<std::remove_const_t<T>>(), sizeof(T)) +
                    ": use the type that they were registered with");
  }

  client::Backend* backend_;
  void* hold_;
  DataView view_;
};

}  // namespace troupe
