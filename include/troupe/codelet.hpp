/// A codelet: a named kernel with one implementation per kind of device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "troupe/access.hpp"
#include "troupe/devices.hpp"
#include "troupe/kernel_context.hpp"

/// The type that CUDA's `cudaStream_t` points to.
struct CUstream_st;

namespace troupe {

class OpenClLaunch;
struct CodeletDefinition;
struct DevicesHere;

/// An implementation of a codelet. If it throws, the task fails with the exception's text. The error code is that of
/// the exception if it is an `Error`, otherwise `kernel_failed`.
using Kernel = std::function<void(const KernelContext&)>;
/// Returns the number of pieces of a task, from the shapes of its data and its arguments.
using PieceCount = std::function<std::int64_t(const KernelContext&)>;
/// Runs one piece, given by its number. It may throw, as a `Kernel` may.
using PieceKernel = std::function<void(std::size_t piece, const KernelContext&)>;
/// Returns the floating-point operations of one task, from the shapes of its data and its arguments.
using FlopCount = std::function<double(const KernelContext&)>;
/// Returns a number that distinguishes tasks that take different times although their data have the same shapes.
using Footprint = std::function<std::uint64_t(const KernelContext&)>;
/// Prepares the process for kernels of the codelet. The returned object lives as long as the runtime. The function is
/// called once per runtime, when the runtime first sees a codelet with this environment.
using Environment = std::shared_ptr<void> (*)();

/// The type that a typed implementation expects of one handle.
struct DataParameter {
  ViewShape shape = ViewShape::any;
  std::uint64_t element_tag = 0;
  bool writable = false;
  /// The size of an element in bytes. Comparisons ignore the size, because it follows from the tag. It is kept because
  /// layouts from another process may contradict the tag.
  std::uint32_t element_size = 0;

  friend bool operator==(const DataParameter& a, const DataParameter& b) {
    return a.shape == b.shape && a.element_tag == b.element_tag && a.writable == b.writable;
  }
};

/// The type that a typed implementation expects of one argument by value.
struct ArgumentType {
  template <class T>
  [[nodiscard]] static ArgumentType of() {
    return {type_tag<T>(), sizeof(T), alignof(T)};
  }

  std::uint64_t tag = 0;
  std::uint8_t size = 0;
  std::uint8_t alignment = 1;

  friend bool operator==(const ArgumentType&, const ArgumentType&) = default;
};

/// The parameters of a typed implementation: handles first, then arguments by value.
struct KernelParameters {
  std::vector<DataParameter> data;
  std::vector<ArgumentType> arguments;
  /// True if the last argument holds the captures of an inline kernel, or their address.
  bool captures = false;
  /// True if the function takes the context before the other parameters.
  bool takes_context = false;
};

/// Describes one handle, or several consecutive handles of the same type and mode, of a variadic codelet.
struct HandleGroup {
  static constexpr bool any_number = true;

  /// Makes the group of handles that a kernel takes as `P`:
  /// `HandleGroup::of<MatrixView<const double>>(AccessMode::read)`.
  template <class P>
  [[nodiscard]] static HandleGroup of(AccessMode mode, bool repeated = false);

  DataParameter parameter;
  AccessMode mode = AccessMode::read;
  /// If true, the group has one or more handles, and the next group must have another element type; if false, one
  /// handle.
  bool repeated = false;
};

namespace detail {

struct InlineCodelets;

template <class T>
struct Parameter {
  using Element = void;
  static constexpr bool is_data = false;
};
template <class T>
struct Parameter<MatrixView<T>> {
  using Element = T;
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::matrix, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>, sizeof(T)};
  }
  static MatrixView<T> get(const KernelContext& context, std::size_t index) {
    return UncheckedViews::matrix<T>(context, index);
  }
};
template <class T>
struct Parameter<VolumeView<T>> {
  using Element = T;
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::volume, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>, sizeof(T)};
  }
  static VolumeView<T> get(const KernelContext& context, std::size_t index) {
    return UncheckedViews::volume<T>(context, index);
  }
};
template <class T>
struct Parameter<std::span<T>> {
  using Element = T;
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::vector, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>, sizeof(T)};
  }
  static std::span<T> get(const KernelContext& context, std::size_t index) {
    return UncheckedViews::vector<T>(context, index);
  }
};
template <class T>
struct Parameter<T&> {
  static_assert(std::is_trivially_copyable_v<T>,
                "a kernel's parameter T& is for data of one element, which has to be trivially copyable: in place of "
                "std::vector<T>& take VectorView<T> (std::span<T>), or MatrixView<T>; const T where the mode is read");
  using Element = T;
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::scalar, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>, sizeof(T)};
  }
  static T& get(const KernelContext& context, std::size_t index) { return UncheckedViews::scalar<T>(context, index); }
};

}  // namespace detail

template <class P>
HandleGroup HandleGroup::of(AccessMode mode, bool repeated) {
  static_assert(detail::Parameter<P>::is_data, "a group is of handles as a typed kernel takes them");
  return {detail::Parameter<P>::describe(), mode, repeated};
}

namespace detail {

/// Calls a typed function with views of the handles, in order, and then the arguments by value, in order.
template <class F, class... P>
struct TypedKernel {
  static constexpr std::size_t data_count = (static_cast<std::size_t>(Parameter<P>::is_data) + ... + 0);

  template <std::size_t I>
  static decltype(auto) get(const KernelContext& context) {
    using Type = std::tuple_element_t<I, std::tuple<P...>>;
    if constexpr (Parameter<Type>::is_data) {
      return Parameter<Type>::get(context, I);
    } else {
      static_assert(I >= data_count, "a typed kernel takes views of its handles first, then arguments by value");
      return UncheckedViews::argument<std::remove_const_t<Type>>(context, I - data_count);
    }
  }
  /// Calls the function with the arguments `leading` before the views.
  template <class... Leading>
  static decltype(auto) call(const F& function, const KernelContext& context, Leading&&... leading) {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
      return function(std::forward<Leading>(leading)..., get<I>(context)...);
    }
    (std::index_sequence_for<P...>{});
  }
  static Kernel wrap(F function) {
    return [function = std::move(function)](const KernelContext& context) { call(function, context); };
  }
  static PieceCount wrap_count(F function) {
    return [function = std::move(function)](const KernelContext& context) {
      return static_cast<std::int64_t>(call(function, context));
    };
  }
  [[nodiscard]] static KernelParameters parameters() {
    KernelParameters result;
    (add_one<P>(result), ...);
    return result;
  }
  template <class T>
  static void add_one(KernelParameters& result) {
    if constexpr (Parameter<T>::is_data) {
      result.data.push_back(Parameter<T>::describe());
    } else {
      using Value = std::remove_cv_t<T>;
      static_assert(
          std::is_trivially_copyable_v<Value>,
          "a kernel's parameters by value are trivially copyable: take data by VectorView<T> (std::span<T>) or "
          "MatrixView<T>, and other things through a handle");
      result.arguments.push_back({type_tag<Value>(), sizeof(Value), alignof(Value)});
    }
  }
};

/// A typed kernel whose function takes the context before its views, for example to ask for a cancellation.
template <class F, class... P>
struct TypedKernel<F, const KernelContext&, P...> {
  using Rest = TypedKernel<F, P...>;

  template <class... Leading>
  static decltype(auto) call(const F& function, const KernelContext& context, Leading&&... leading) {
    return Rest::call(function, context, std::forward<Leading>(leading)..., context);
  }
  static Kernel wrap(F function) {
    return [function = std::move(function)](const KernelContext& context) { call(function, context); };
  }
  static PieceCount wrap_count(F function) {
    return [function = std::move(function)](const KernelContext& context) {
      return static_cast<std::int64_t>(call(function, context));
    };
  }
  [[nodiscard]] static KernelParameters parameters() {
    KernelParameters result = Rest::parameters();
    result.takes_context = true;
    return result;
  }
};

/// A typed kernel whose function takes one more parameter before all others. Its value comes from `Leading::get`, and
/// `Leading::takes` is true for its type.
template <class Leading, class F, class... P>
struct LedKernel {
  static_assert(
      sizeof...(P) > 0,
      "a typed kernel for CUDA takes the stream (cudaStream_t) first, one for OpenCL the launch (OpenClLaunch&), one "
      "for a team the team (Team&), a piece its number (std::size_t)");
};
template <class Leading, class F, class First, class... P>
struct LedKernel<Leading, F, First, P...> {
  static_assert(
      Leading::template takes<First>,
      "a typed kernel for CUDA takes the stream (cudaStream_t) first, one for OpenCL the launch (OpenClLaunch&), one "
      "for a team the team (Team&), a piece its number (std::size_t); then come views of its handles");
  using Typed = TypedKernel<F, P...>;

  static Kernel wrap(F function) {
    return [function = std::move(function)](const KernelContext& context) {
      Typed::call(function, context, Leading::get(context));
    };
  }
  static PieceKernel wrap_piece(F function) {
    return [function = std::move(function)](std::size_t piece, const KernelContext& context) {
      Typed::call(function, context, static_cast<std::remove_cvref_t<First>>(piece));
    };
  }
  [[nodiscard]] static KernelParameters parameters() { return Typed::parameters(); }
};

struct LeadingStream {
  template <class First>
  static constexpr bool takes = std::is_same_v<std::remove_const_t<First>, ::CUstream_st*>;
  static ::CUstream_st* get(const KernelContext& context) { return static_cast<::CUstream_st*>(context.stream); }
};
struct LeadingLaunch {
  template <class First>
  static constexpr bool takes = std::is_same_v<First, OpenClLaunch&>;
  static OpenClLaunch& get(const KernelContext& context) { return *static_cast<OpenClLaunch*>(context.stream); }
};
struct LeadingTeam {
  template <class First>
  static constexpr bool takes = std::is_same_v<First, Team&>;
  static Team& get(const KernelContext& context) { return context.team(); }
};

struct LeadingPiece {
  template <class First>
  static constexpr bool takes = std::is_integral_v<First>;
};

template <class F>
concept IsFunctionOrBound = std::is_function_v<std::remove_pointer_t<F>> || std::is_bind_expression_v<F>;

/// True for a function object whose parameters are known without calling it. It excludes lambdas with `auto`
/// parameters, whose `operator()` is a template, and objects with several `operator()`.
template <class F>
concept HasOneSignature = IsFunctionOrBound<F> || std::is_member_function_pointer_v<decltype(&F::operator())>;

/// Returns true if the kernel takes a `KernelContext` after its leading parameters, in which it looks up its data by
/// number. This function is evaluated before other checks of the kernel's type, which could fail deep inside the
/// standard library.
template <class F, class... Leading>
constexpr bool takes_context() {
  static_assert(HasOneSignature<F>,
                "a kernel's parameters have to be named, as its data are checked against them: in place of auto write "
                "const KernelContext&, or views of its data (VectorView<T>, MatrixView<T>, T&) and arguments by value");
  if constexpr (!HasOneSignature<F>) {
    return true;
  } else if constexpr (std::is_invocable_v<F&, Leading..., const KernelContext&>) {
    static_assert(
        std::is_invocable_v<const F&, Leading..., const KernelContext&>,
        "a kernel is called by several workers at the same time, so it must be callable as const: take the "
        "`mutable` off the lambda, and keep what it changes in data of the task, or behind a reference or pointer");
    return true;
  } else {
    return false;
  }
}

template <class F>
struct CallSignature : CallSignature<decltype(&F::operator())> {};
template <class C, class R, class... P>
struct CallSignature<R (C::*)(P...)> {
  static_assert(
      sizeof(C) == 0,
      "a kernel is called by several workers at the same time, so it must be callable as const: take the "
      "`mutable` off the lambda, and keep what it changes in data of the task, or behind a reference or pointer");
};
template <class C, class R, class... P>
struct CallSignature<R (C::*)(P...) noexcept> : CallSignature<R (C::*)(P...)> {};
template <class R, class... P>
struct CallSignature<R (*)(P...)> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
  template <class Leading, class F>
  using Led = LedKernel<Leading, F, P...>;
};
template <class C, class R, class... P>
struct CallSignature<R (C::*)(P...) const> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
  template <class Leading, class F>
  using Led = LedKernel<Leading, F, P...>;
};
template <class R, class... P>
struct CallSignature<R (*)(P...) noexcept> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
  template <class Leading, class F>
  using Led = LedKernel<Leading, F, P...>;
};
// Several workers call a function object at the same time, so its `operator()` must be const.
template <class C, class R, class... P>
struct CallSignature<R (C::*)(P...) const noexcept> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
  template <class Leading, class F>
  using Led = LedKernel<Leading, F, P...>;
};

}  // namespace detail

/// A named kernel: implementations, access modes, flop count. Built once, then submitted any number of times from
/// any thread. Copies share one definition, which must not be changed any more after the first submission.
///
///     const Codelet axpy = Codelet("axpy", {AccessMode::read, AccessMode::read_write})
///                              .cpu([](VectorView<const double> x, VectorView<double> y, double a) { … });
class Codelet {
 public:
  /// Makes a codelet. `modes` has one access mode per handle, in the order of the kernel's parameters.
  Codelet(std::string name, std::vector<AccessMode> modes);

  /// Makes a codelet whose tasks take any number of handles; each submission names the mode of each: `read(a)`.
  /// `groups` describe these handles; every submission is checked against them. Throws `signature_mismatch` if two
  /// groups cannot be distinguished.
  [[nodiscard]] static Codelet variadic(std::string name, std::vector<HandleGroup> groups = {});

  /// Makes a codelet for tasks that the runtime itself submits; they take no time in virtual time.
  [[nodiscard]] static Codelet internal(std::string name, std::vector<AccessMode> modes);

  /// Makes a codelet without data whose tasks report failures and cancellations only to their futures and callbacks: a
  /// wait for all tasks does not throw these failures. For an interface that reports failures in its own way.
  [[nodiscard]] static Codelet reported_by_futures(std::string name);

  /// Sets the implementation for a CPU core. It is either `void(const KernelContext&)`, or a function of views of the
  /// handles (`MatrixView<T>`, `VectorView<T>`, `T&` for a scalar; `const T` if the mode is read), followed by the
  /// arguments by value. In the second form, every submission is checked against the types of the parameters, and a
  /// parameter `const KernelContext&` may stand before the views, for kernels that ask whether they were cancelled.
  template <class F>
  Codelet& cpu(F function) & {
    if constexpr (detail::takes_context<F>()) {
      return implement(DeviceKind::cpu_core, Kernel(std::move(function)));
    } else {
      return implement_typed<typename detail::CallSignature<F>::template Typed<F>>(DeviceKind::cpu_core,
                                                                                   std::move(function));
    }
  }
  template <class F>
  Codelet cpu(F function) && {
    cpu(std::move(function));
    return *this;
  }

  /// Sets the implementation for a cluster, which is a worker of several cores. The implementation uses at most `most`
  /// of these cores, through `KernelContext::team`. It is either `void(const KernelContext&)`, or a function that takes
  /// the team (`Team&`) first, and then the parameters of an implementation for a core. If the codelet has no
  /// implementation for a core, a core runs this implementation with a team of one. Throws `Error` (`invalid_argument`)
  /// if `most` is below 1.
  template <class F>
  Codelet& cpu_team(F function, int most = std::numeric_limits<int>::max()) & {
    if constexpr (detail::takes_context<F>()) {
      return implement_team(Kernel(std::move(function)), most);
    } else {
      using Typed = typename detail::CallSignature<F>::template Led<detail::LeadingTeam, F>;
      take_parameters(kTeam, Typed::parameters());
      return implement_team(Typed::wrap(std::move(function)), most);
    }
  }
  template <class F>
  Codelet cpu_team(F function, int most = std::numeric_limits<int>::max()) && {
    cpu_team(std::move(function), most);
    return *this;
  }

  /// Sets an implementation for cores that cuts each task into pieces, in place of `cpu` and `cpu_team`. The pieces of
  /// a task are independent of each other: they run in any order and at the same time, on the core that got the task
  /// and on idle cores. A core takes at least `grain` pieces at a time. A cluster runs the pieces on all its cores. If
  /// the codelet has an implementation for CUDA, a GPU runs the whole task with that implementation.
  ///
  /// `count` returns the number of pieces, which may be 0: `integer(const KernelContext&)`, or a function of the same
  /// views (const or not) and arguments as `piece`. It is called once for each task, before the pieces. `piece` is
  /// either `void(std::size_t piece, const KernelContext&)`, or a function that takes the number of the piece first,
  /// and then the parameters of an implementation for a core. If a piece throws, the task fails with the first such
  /// exception, and pieces that have not begun are skipped.
  ///
  ///     Codelet("scale", {AccessMode::read_write})
  ///         .pieces([](MatrixView<double> a) { return a.cols; },
  ///                 [](std::size_t column, MatrixView<double> a) { … });
  ///
  /// Throws `Error` (`invalid_argument`) for a codelet that reduces, or that has an implementation for cores already,
  /// and for a grain of 0; `signature_mismatch` if the types do not match.
  template <class Count, class Piece>
  Codelet& pieces(Count count, Piece piece, std::size_t grain = 1) & {
    check_pieces(grain);
    PieceKernel kernel;
    if constexpr (detail::takes_context<Piece, std::size_t>()) {
      kernel = std::move(piece);
    } else {
      using Typed = typename detail::CallSignature<Piece>::template Led<detail::LeadingPiece, Piece>;
      take_parameters(to_string(DeviceKind::cpu_core), Typed::parameters());
      kernel = Typed::wrap_piece(std::move(piece));
    }
    if constexpr (detail::takes_context<Count>()) {
      return implement_pieces(std::move(count), std::move(kernel), grain);
    } else {
      using Typed = typename detail::CallSignature<Count>::template Typed<Count>;
      check_count_takes(Typed::parameters());
      return implement_pieces(Typed::wrap_count(std::move(count)), std::move(kernel), grain);
    }
  }
  template <class Count, class Piece>
  Codelet pieces(Count count, Piece piece, std::size_t grain = 1) && {
    pieces(std::move(count), std::move(piece), grain);
    return *this;
  }

  /// Sets a function that prepares a worker's team for kernels of this codelet. The worker calls it before a kernel if
  /// its previous kernel had another prologue or another team size. For kernels that use OpenMP, use `openmp_team`
  /// (troupe/openmp_team.hpp). If the function throws, the task fails.
  Codelet& prologue(TeamPrologue prologue) &;
  Codelet prologue(TeamPrologue prologue) &&;

  /// Sets the implementation for a CUDA GPU. The implementation enqueues its work on a stream and returns. The data are
  /// in the GPU's memory. It is either `void(const KernelContext&)`, which finds the stream in the context, or a
  /// function that takes the stream (`cudaStream_t`) first, and then the parameters of an implementation for a core:
  /// the same handles and arguments, if the codelet has both. Only the address of a `T&` may be used on the host. To
  /// check something when the work has ended, call `check_at_completion`. Throws `Error` (`invalid_argument`) for a
  /// codelet that reduces, because partial results lie in host memory.
  template <class F>
  Codelet& cuda(F function) & {
    check_no_reduction(DeviceKind::cuda);
    if constexpr (detail::takes_context<F>()) {
      return implement(DeviceKind::cuda, Kernel(std::move(function)));
    } else {
      return implement_typed<typename detail::CallSignature<F>::template Led<detail::LeadingStream, F>>(
          DeviceKind::cuda, std::move(function));
    }
  }
  template <class F>
  Codelet cuda(F function) && {
    cuda(std::move(function));
    return *this;
  }

  /// Sets the implementation for an OpenCL device. The implementation enqueues its work on a queue and returns. It is
  /// either `void(const KernelContext&)`, which finds the `OpenClLaunch` in the context, or a function that takes the
  /// launch (`OpenClLaunch&`, troupe/opencl.hpp) first, and then the parameters of an implementation for a core. A view
  /// gives the sizes of the data, and a pointer from which `OpenClLaunch::buffer` finds the data's buffer; the host
  /// must not touch the memory behind that pointer. Throws `Error` (`invalid_argument`) for a codelet that reduces,
  /// because partial results lie in host memory.
  template <class F>
  Codelet& opencl(F function) & {
    check_no_reduction(DeviceKind::opencl);
    if constexpr (detail::takes_context<F>()) {
      return implement(DeviceKind::opencl, Kernel(std::move(function)));
    } else {
      return implement_typed<typename detail::CallSignature<F>::template Led<detail::LeadingLaunch, F>>(
          DeviceKind::opencl, std::move(function));
    }
  }
  template <class F>
  Codelet opencl(F function) && {
    opencl(std::move(function));
    return *this;
  }

  /// Sets the implementation for any kind of device. In virtual time without real buffers the kernel is not called.
  Codelet& implement(DeviceKind kind, Kernel kernel) &;
  Codelet implement(DeviceKind kind, Kernel kernel) && { return implement(kind, std::move(kernel)); }

  /// Sets the kernel whose measured times a described machine uses for this codelet in virtual time: an application, a
  /// kernel and a precision of the machine's file, as in "cholesky/gemm/double". The size of a task's tile follows from
  /// `flops`; without `flops`, tasks take the time of the largest tile that was measured.
  Codelet& timed_as(std::string kernel) &;
  Codelet timed_as(std::string kernel) &&;
  /// Sets the name by which a service finds the codelet, such as "gemm_nt/double". Needed if the codelet's own name,
  /// which is for people and traces, is not unique.
  Codelet& known_as(std::string name) &;
  Codelet known_as(std::string name) &&;
  /// Sets the types of the arguments that untyped implementations take by value, in order; submissions are checked
  /// against these types. Use it also for a codelet that only a service implements, to declare the arguments of its
  /// tasks. Throws `invalid_argument` for more arguments than a task can have.
  Codelet& takes(std::vector<ArgumentType> arguments) &;
  Codelet takes(std::vector<ArgumentType> arguments) && { return takes(std::move(arguments)); }
  /// Returns a separate codelet with the same content, which may be changed until it is submitted.
  [[nodiscard]] Codelet copy() const;
  /// Returns a copy whose tasks run on these devices only, even if it has implementations for other devices. `here` is
  /// the same set, after the runtime that will run the tasks has looked up its names and numbers.
  [[nodiscard]] Codelet only_on(DeviceSet devices, DevicesHere here) const;
  /// Returns a copy for virtual time, where kernels are not called. The copy runs on exactly these kinds of device,
  /// with or without implementations for them. `most_cores` is the largest number of a cluster's cores that the copy
  /// uses if it has no implementation for cores.
  [[nodiscard]] Codelet modelled_on(KindSet kinds, int most_cores) const;
  /// Returns a copy for virtual time that runs on exactly these kinds of device, and takes no time there.
  [[nodiscard]] Codelet untimed_on(KindSet kinds) const;

  /// Sets a function that returns a number from a task's arguments and the shapes of its data; the times of tasks with
  /// different numbers are learned separately. Use it for properties that the shapes do not show, such as the number of
  /// iterations of a kernel. Use few different numbers. A service uses the footprint of its own codelet. The function
  /// must not use the runtime, which calls it under locks of its own.
  Codelet& footprint(Footprint footprint) &;
  Codelet footprint(Footprint footprint) &&;
  /// Sets a function that returns the floating-point operations of a task. It must not use the runtime, either.
  Codelet& flops(FlopCount count) &;
  Codelet flops(FlopCount count) &&;
  Codelet& environment(Environment environment) &;
  Codelet environment(Environment environment) &&;

  [[nodiscard]] const std::string& name() const;
  /// Returns the content, for the runtime (graph/codelets/codelet_definition.hpp).
  [[nodiscard]] const CodeletDefinition& definition() const { return *definition_; }
  [[nodiscard]] const std::shared_ptr<const CodeletDefinition>& shared_definition() const { return shared_; }

 private:
  friend struct detail::InlineCodelets;

  template <class Typed, class F>
  Codelet& implement_typed(DeviceKind kind, F function) {
    take_parameters(to_string(kind), Typed::parameters());
    return implement(kind, Typed::wrap(std::move(function)));
  }
  /// The name of an implementation for teams in messages. Messages name other implementations by their kind of device.
  static constexpr std::string_view kTeam = "team of cores";
  /// Throws `signature_mismatch` if a typed implementation does not fit the access modes, or the parameters of another
  /// implementation of the codelet.
  void take_parameters(std::string_view whose, KernelParameters parameters);
  Codelet& implement_team(Kernel kernel, int most);
  /// Makes the checks of `pieces` before anything is changed, and throws what `pieces` throws.
  void check_pieces(std::size_t grain) const;
  void check_count_takes(const KernelParameters& parameters) const;
  Codelet& implement_pieces(PieceCount count, PieceKernel piece, std::size_t grain);
  /// Throws `invalid_argument` if the codelet cuts its tasks into pieces, because another implementation for cores
  /// would never be called.
  void check_no_pieces() const;
  void check_parameters() const;
  void check_no_reduction(DeviceKind kind) const;

  std::shared_ptr<CodeletDefinition> definition_;
  std::shared_ptr<const CodeletDefinition> shared_;
};

}  // namespace troupe
