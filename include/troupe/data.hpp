/// Ownership of registered data, and access to it from the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "troupe/handle.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe {

namespace client {
class Backend;

/// Memory for data. The memory is freed when its last owner is destroyed. A caller that needs only the address may
/// share the pointer alone.
struct Memory {
  std::shared_ptr<std::byte> data;
  Bytes size;
};
}  // namespace client

/// A rectangular part of a matrix, or a box in a volume. Its first element is (`row`, `col`, `plane`) of the whole.
///
/// A face of a box is a block with one row, one column or one plane. Kernels see a face across the rows as a volume
/// with one row.
struct Block {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t plane = 0;
  std::int64_t planes = 1;
  /// The distance from one column of the block to the next column, in columns of the whole, and the same for planes; at
  /// least 1. With `col_step = 2` the block has every other column. Rows have no step, because the elements of a column
  /// lie side by side.
  std::int64_t col_step = 1;
  std::int64_t plane_step = 1;

  friend bool operator==(const Block&, const Block&) = default;
};

/// The numbers of rows, columns and planes around a block that a halo part adds to the block.
struct Rim {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t planes = 0;

  /// Makes a rim of `width` rows above and below the block, and of as many columns and planes on either side.
  Rim(std::int64_t width) : rows(width), cols(width), planes(width) {}  // NOLINT: a number is a rim's width
  Rim(std::int64_t rim_rows, std::int64_t rim_cols, std::int64_t rim_planes = 0)
      : rows(rim_rows), cols(rim_cols), planes(rim_planes) {}
};

/// A *halo part*: a block together with the elements around it (`Runtime::halos`). Tasks only read it.
class Halo {
 public:
  Halo() = default;
  Halo(Handle handle, const Block& inside) : handle_(handle), inside_(inside) {}

  operator Handle() const { return handle_; }    // NOLINT: used as a handle
  operator Access() const { return {handle_}; }  // NOLINT
  [[nodiscard]] Handle handle() const { return handle_; }
  /// Returns where the block lies in the view that a kernel gets. Its first row, column and plane are those of the rim,
  /// or 0 where the block begins at the edge of the whole, beyond which there is no rim.
  [[nodiscard]] const Block& inside() const& { return inside_; }
  [[nodiscard]] Block inside() const&& { return inside_; }

 private:
  Handle handle_;
  Block inside_;
};

/// A halo part of data whose elements have type `T`. Tasks read the elements as `const T`.
template <class T>
class HaloPart : public Halo {
 public:
  using Element = const T;

  HaloPart() = default;
  explicit HaloPart(const Halo& halo) : Halo(halo) {}
};

namespace graph {

/// The description of data that a program registers.
struct DataDescription {
  Layout layout;
  /// The first element of the data, which are column-major, in host memory.
  std::byte* host = nullptr;
  /// Keeps the memory alive as long as the registration; null if the program does so itself.
  std::shared_ptr<void> owned;
  /// The name for people; may be empty.
  std::string name;
  /// True if the program reads the memory only while it has acquired the data (`HostAccess`). A wait for all tasks then
  /// does not copy the content back to host memory.
  bool hidden = false;
  /// True if the memory has no content; reading it before it has been written is refused.
  bool unwritten = false;
  /// True for memory of the program that must not be written.
  bool read_only = false;
};

}  // namespace graph

/// A registration: the data stay registered as long as this object lives.
///
/// Memory of the runtime (`Runtime::allocate_…`) is freed after its last use, and the destructor does not wait for this
/// use. For memory of the program the destructor waits for the last use, so memory that was declared before this object
/// is safe even when an exception unwinds the stack.
///
/// In some places the destructor cannot wait: in a kernel or callback, and in a thread that has itself acquired the
/// data. There it cancels the tasks that use the memory and have not begun, and waits for running tasks unless that
/// could deadlock. In a kernel, the kernel's task then fails; elsewhere, the next `Runtime::wait` fails. Register such
/// memory in the thread that waits for its tasks.
///
/// The object converts to the `Handle` that is passed to tasks. When its runtime has been destroyed, the object refers
/// to nothing. Moving is cheap.
class Data {
 public:
  Data() = default;
  Data(std::weak_ptr<client::Backend> backend, Handle handle) : backend_(std::move(backend)), handle_(handle) {}
  Data(Data&& other) noexcept : backend_(std::move(other.backend_)), handle_(std::exchange(other.handle_, Handle())) {}
  Data& operator=(Data&& other) noexcept {
    if (this != &other) {
      reset();
      backend_ = std::move(other.backend_);
      handle_ = std::exchange(other.handle_, Handle());
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
  void release();

  /// Discards the content (`Runtime::discard`). Does nothing after the end of the runtime.
  void discard();

 private:
  void reset() noexcept;
  /// Returns the backend and clears the member; null if there is nothing left to release.
  std::shared_ptr<client::Backend> take_backend() noexcept { return std::exchange(backend_, {}).lock(); }

  std::weak_ptr<client::Backend> backend_;
  Handle handle_;
};

/// Data whose elements have type `T`; `T` is const if tasks may only read the data. The type lets a compiler check the
/// parameters of inline kernels (inline_kernel.hpp); otherwise this is a `Data`.
template <class T, ViewShape kShape>
class TypedData : public Data {
 public:
  using Element = T;

  TypedData() = default;
  explicit TypedData(Data data) : Data(std::move(data)) {}
};

namespace detail {
template <class D, class Element = void>
struct IsTyped : std::false_type {};
template <class D>
struct IsTyped<D, std::void_t<typename D::Element>>
    : std::bool_constant<std::is_convertible_v<D, Handle> && !std::is_base_of_v<Halo, D>> {};
}  // namespace detail

/// Data or a part of data whose elements' type the compiler knows.
template <class D>
concept Typed = detail::IsTyped<D>::value;

template <class T>
using Scalar = TypedData<T, ViewShape::scalar>;
template <class T>
using Vector = TypedData<T, ViewShape::vector>;
template <class T>
using Matrix = TypedData<T, ViewShape::matrix>;
template <class T>
using Volume = TypedData<T, ViewShape::volume>;

/// The program's access to data. As long as this object lives, the program may use the data in the given mode, and
/// tasks that conflict with this use wait. The thread that acquired the data must not wait for such a task while it
/// keeps this object: the wait would never end, so it throws `invalid_argument`. The wait is allowed after the object
/// was moved, because another thread may then give the data back.
class HostAccess {
 public:
  /// Makes an access; called by `Runtime::acquire`. The type of `hold` is known to the backend only.
  HostAccess(client::Backend* backend, void* hold, const DataView& view)
      : backend_(backend), hold_(hold), view_(view) {}
  HostAccess(HostAccess&& other) noexcept;
  HostAccess& operator=(HostAccess&&) = delete;
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;
  ~HostAccess() { give_back(); }

  /// Lets the tasks continue; the views must not be used any more.
  void give_back() noexcept;
  [[nodiscard]] const DataView& view() const { return view_; }
  /// Returns the elements as a matrix. Throws `signature_mismatch` if they are not of type `T`, or have several planes.
  template <class T>
  [[nodiscard]] MatrixView<T> matrix() const {
    check_type<T>();
    return view_.as_matrix<T>();
  }
  /// Returns the elements as a volume. Throws `signature_mismatch` if they are not of type `T`.
  template <class T>
  [[nodiscard]] VolumeView<T> volume() const {
    check_type<T>();
    return view_.as_volume<T>();
  }
  /// Returns all elements of contiguous data. Throws `signature_mismatch` also if there are gaps between columns or
  /// planes.
  template <class T>
  [[nodiscard]] VectorView<T> vector() const {
    check_type<T>();
    if (!view_.layout.contiguous()) refuse_gaps();
    return {reinterpret_cast<T*>(view_.data), static_cast<std::size_t>(view_.layout.elements())};
  }

 private:
  template <class T>
  void check_type() const {
    constexpr std::uint64_t tag = type_tag<std::remove_const_t<T>>();
    if (view_.layout.element_tag != tag) refuse_type(tag, sizeof(T));
  }
  [[noreturn]] void refuse_type(std::uint64_t asked, std::size_t size) const;
  [[noreturn]] static void refuse_gaps();

  client::Backend* backend_;
  void* hold_;
  DataView view_;
};

/// Keeps data in devices' memories: as long as this object lives, the data are the last to be evicted from the memories
/// that have a replica of them (`Runtime::keep`). This is a request, not a guarantee: tasks that need the memory get
/// it. Must not outlive its runtime; moving is cheap.
class KeptData {
 public:
  KeptData() = default;
  explicit KeptData(std::shared_ptr<void> kept) : kept_(std::move(kept)) {}
  KeptData(KeptData&&) noexcept = default;
  KeptData& operator=(KeptData&&) noexcept = default;
  KeptData(const KeptData&) = delete;
  KeptData& operator=(const KeptData&) = delete;

  /// Ends the request to keep the data: they are then evicted like all other data.
  void let_go() noexcept { kept_.reset(); }

 private:
  std::shared_ptr<void> kept_;
};

namespace detail {

/// Describes a value that a program gives for one parameter of a kernel.
struct GivenValue {
  static constexpr bool is_data = false;
};
/// Describes data whose element type is known only when the program runs.
struct GivenUntyped {
  static constexpr bool is_data = true;
  static constexpr bool has_mode = false;
  static constexpr bool is_halo = false;
  static constexpr AccessMode mode = AccessMode::read_write;
  using Element = void;
  static constexpr ViewShape shape = ViewShape::any;
};
/// Describes the data or value of type `A` that a program gives for one parameter of a kernel.
template <class A>
struct Given : std::conditional_t<std::is_convertible_v<A, Handle>, GivenUntyped, GivenValue> {};
template <class T, ViewShape kShape>
struct Given<TypedData<T, kShape>> : GivenUntyped {
  using Element = T;
  static constexpr ViewShape shape = kShape;
};
template <class T>
struct Given<Part<T>> : GivenUntyped {
  using Element = T;
};
template <>
struct Given<Halo> : GivenUntyped {
  static constexpr bool is_halo = true;
};
template <class T>
struct Given<HaloPart<T>> : Given<Halo> {
  using Element = const T;
};
template <AccessMode kMode, class D>
struct Given<AccessAs<kMode, D>> : Given<D> {
  static constexpr bool has_mode = true;
  static constexpr AccessMode mode = kMode;
};

template <class A>
Handle handle_of(const A& given) {
  if constexpr (std::is_base_of_v<Access, A>) {
    return given.handle;
  } else {
    return static_cast<Handle>(given);
  }
}

}  // namespace detail

}  // namespace troupe
