/// The members that all objects of OpenCL have: the table of functions that loaders call through, a mark that
/// identifies the object's type, and reference counts.
///
/// OpenCL's handles (`cl_context`) of Troupe and of the vendors have the same C types. To avoid confusion, Troupe's
/// code does not work with its own handles: an entry converts such a handle to an object (`need<Context>(handle)`), and
/// an object to a handle (`object->handle()`).
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "opencl/objects/refusal.hpp"

namespace troupe::opencl {

/// Returns the table that every OpenCL handle points to (opencl/dispatch_table.cpp).
[[nodiscard]] const cl_icd_dispatch* dispatch_table();

/// The marks by which the type of an object is recognized. The numbers are large, so that other memory is unlikely to
/// contain such a number.
enum class ObjectType : std::uint64_t {
  platform = 0x5452'4f55'5045'0001,
  device = 0x5452'4f55'5045'0002,
  context = 0x5452'4f55'5045'0003,
  queue = 0x5452'4f55'5045'0004,
  memory = 0x5452'4f55'5045'0005,
  program = 0x5452'4f55'5045'0006,
  kernel = 0x5452'4f55'5045'0007,
  event = 0x5452'4f55'5045'0008,
  /// The object has been destroyed.
  none = 0,
};

/// The object that an OpenCL handle points to. The class has no virtual functions, because loaders expect the address
/// of the table of functions in the object's first word.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// Returns the type; `none` if the object belongs to another library. Of such an object only the first word is read.
  [[nodiscard]] ObjectType type() const {
    if (dispatch_ != dispatch_table()) return ObjectType::none;
    return static_cast<ObjectType>(type_.load(std::memory_order_relaxed));
  }

 protected:
  explicit Object(ObjectType type) : dispatch_(dispatch_table()), type_(static_cast<std::uint64_t>(type)) {}
  ~Object() { forget_type(); }
  /// Erases the type. If the program uses the object's handle later, `find` rejects the handle, as long as the object's
  /// memory has not been used for something else.
  void forget_type() { type_.store(static_cast<std::uint64_t>(ObjectType::none), std::memory_order_relaxed); }

 private:
  const cl_icd_dispatch* dispatch_;
  std::atomic<std::uint64_t> type_;
};

/// An object whose handles have the type `Opaque*` in programs; `invalid` is the error code for an invalid handle.
template <class Opaque, ObjectType kObjectType, cl_int invalid>
class TypedObject : public Object {
 public:
  /// The type of the OpenCL handles in programs, such as `cl_context`.
  using ClType = Opaque*;
  static constexpr ObjectType kType = kObjectType;
  static constexpr cl_int kInvalid = invalid;

  [[nodiscard]] ClType handle() { return reinterpret_cast<ClType>(static_cast<Object*>(this)); }

 protected:
  TypedObject() : Object(kObjectType) {}
};

/// An object with reference counts. It has two counts. One counts the program's references, which the program can query
/// and change. The other counts all references, including those that this library holds (a buffer's to its context, a
/// command's to its buffers). The object is destroyed when the last reference ends. Until then it can be used: a
/// program may get it from another object that refers to it, and retain it again.
template <class Self, class Opaque, ObjectType kObjectType, cl_int invalid>
class Counted : public TypedObject<Opaque, kObjectType, invalid> {
 public:
  /// Adds a reference of the program.
  void retain() {
    hold();
    user_references_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Removes a reference of the program; refuses if the program has none. May destroy this object.
  void release() {
    auto count = user_references_.load(std::memory_order_relaxed);
    do {
      require(count != 0, invalid);
    } while (!user_references_.compare_exchange_weak(count, count - 1, std::memory_order_relaxed));
    if (count == 1) static_cast<Self*>(this)->on_last_release();
    drop();
  }
  [[nodiscard]] cl_uint user_references() const { return user_references_.load(std::memory_order_relaxed); }

  /// Adds a reference of the library itself; `Ref` calls this.
  void hold() { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Adds a reference and returns true; returns false if no reference is left.
  [[nodiscard]] bool try_hold() {
    auto count = references_.load(std::memory_order_relaxed);
    while (count != 0) {
      if (references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void drop() {
    // Release publishes this thread's writes to the object; acquire makes the writes of all other threads visible to
    // the thread that destroys the object.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    static_cast<Self*>(this)->on_unused();
    this->forget_type();
    drop_memory();
  }
  /// Adds a reference to the memory of the object; `WeakRef` calls this.
  void hold_memory() { watchers_.fetch_add(1, std::memory_order_relaxed); }
  void drop_memory() {
    if (watchers_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<Self*>(this);
  }

 protected:
  Counted() = default;
  ~Counted() = default;
  /// Called when the program has released its last reference, while the object still exists. A derived type can define
  /// a function of the same name, which is then called in place of this one.
  void on_last_release() {}
  /// Called when no reference is left, although weak references may still keep the memory. A derived type can define a
  /// function of the same name, which is then called in place of this one.
  void on_unused() {}

 private:
  std::atomic<cl_uint> user_references_{1};
  /// The number of all references, including the program's.
  std::atomic<std::uint64_t> references_{1};
  /// The number of weak references, plus one as long as there is any other reference.
  std::atomic<std::uint64_t> watchers_{1};
};

/// A reference of the library itself, not of the program. It keeps the object alive (`Counted::hold`). It may be empty.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->hold();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->drop();
  }

  [[nodiscard]] T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) = default;

 private:
  T* object_ = nullptr;
};

/// A weak reference. It does not keep an object alive, only the object's memory.
template <class T>
class WeakRef {
 public:
  WeakRef() = default;
  explicit WeakRef(T* object) : object_(object) {
    if (object_) object_->hold_memory();
  }
  WeakRef(const WeakRef& other) : WeakRef(other.object_) {}
  WeakRef(WeakRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  WeakRef& operator=(WeakRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~WeakRef() {
    if (object_) object_->drop_memory();
  }

  /// Returns false if this reference never pointed to an object.
  explicit operator bool() const { return object_ != nullptr; }
  /// Returns a reference to the object; empty if the object has been destroyed.
  [[nodiscard]] Ref<T> lock() const {
    if (object_ == nullptr || !object_->try_hold()) return {};
    Ref<T> held(object_);
    object_->drop();
    return held;
  }

 private:
  T* object_ = nullptr;
};

/// Returns the object of a handle. Returns null for a null handle, a handle of another type, a handle whose object was
/// destroyed (as long as its memory was not used again), and a value that cannot be an address.
template <class T>
[[nodiscard]] T* find(typename T::ClType handle) {
  static constexpr std::uintptr_t kFirstPage = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (address < kFirstPage || address % alignof(Object) != 0) return nullptr;
  auto* object = reinterpret_cast<Object*>(handle);
  return object->type() == T::kType ? static_cast<T*>(object) : nullptr;
}

/// Returns the object as `find` does, but refuses with the error code of its type, such as CL_INVALID_CONTEXT, instead
/// of returning null.
template <class T>
[[nodiscard]] T& need(typename T::ClType handle) {
  T* object = find<T>(handle);
  require(object != nullptr, T::kInvalid);
  return *object;
}

}  // namespace troupe::opencl
