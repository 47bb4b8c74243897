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

/// A registration: the data stay registered as long as this object lives.
///
/// Memory of the runtime (`Runtime::allocate_…`) is freed after its last use, and the destructor does not wait for
/// that. For memory of the program the destructor waits for the last use, so memory that was declared before this
/// object is safe even when an exception unwinds the stack.
///
/// In some places the destructor cannot wait: in a kernel or callback, and in a thread that holds the data itself.
/// There it cancels the tasks that use the memory and have not begun, and waits for running ones as far as that cannot
/// deadlock. The kernel's task then fails, or else the next `Runtime::wait`. Register such memory in the thread that
/// waits for its tasks.
///
/// Converts to the `Handle` that tasks are given. After the end of its runtime the object stands for nothing. Moving is
/// cheap.
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

  /// Does what the destructor does, but throws `Error`: `wait_in_kernel` if it would have to wait in a kernel or
  /// callback, and then the data stay registered; `invalid_handle` if `Runtime::release` has already released the data.
  /// The handle is invalid from then on.
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
  /// Returns null if there is nothing left to release.
  std::shared_ptr<client::Backend> take_backend() noexcept { return std::exchange(backend_, {}).lock(); }

  std::weak_ptr<client::Backend> backend_;
  Handle handle_;
};

/// The program's access to data. As long as this object lives, the program may use the data in the given mode, and
/// tasks that conflict wait. Do not hold it while waiting for such a task: the wait would never end, so the thread that
/// acquired the data gets `invalid_argument` for it. The wait is allowed after the object was moved, because another
/// thread may then give the data back.
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

  /// Lets the tasks continue; the views must not be used any more.
  void give_back() noexcept {
    if (hold_ != nullptr) backend_->give_back(std::exchange(hold_, nullptr));
  }
  [[nodiscard]] const DataView& view() const { return view_; }
  /// Throws `signature_mismatch` if the elements are not of type `T`.
  template <class T>
  [[nodiscard]] MatrixView<T> matrix() const {
    check_type<T>();
    return view_.as_matrix<T>();
  }
  /// Returns all elements of contiguous data. Throws `signature_mismatch` also if there are gaps between columns.
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
