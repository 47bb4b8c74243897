/// A codelet: a named kernel with one implementation per kind of device.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "proto/access.hpp"
#include "proto/device_kinds.hpp"

/// What CUDA's `cudaStream_t` points to.
struct CUstream_st;

namespace troupe {

class OpenClLaunch;

namespace detail {

template <class T>
struct Parameter {
  static constexpr bool is_data = false;
};
template <class T>
struct Parameter<MatrixView<T>> {
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::matrix, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>, sizeof(T)};
  }
  static MatrixView<T> get(const KernelContext& context, std::size_t index) {
    return UncheckedViews::matrix<T>(context, index);
  }
};
template <class T>
struct Parameter<std::span<T>> {
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
  /// `leading`: what the function takes before the views.
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
  static void describe(CodeletDefinition& definition) {
    definition.typed = true;
    definition.parameters.clear();
    definition.argument_types.clear();
    (describe_one<P>(definition), ...);
  }
  template <class T>
  static void describe_one(CodeletDefinition& definition) {
    if constexpr (Parameter<T>::is_data) {
      definition.parameters.push_back(Parameter<T>::describe());
    } else {
      using Value = std::remove_cv_t<T>;
      static_assert(
          std::is_trivially_copyable_v<Value>,
          "a kernel's parameters by value are trivially copyable: take data by VectorView<T> (std::span<T>) or "
          "MatrixView<T>, and other things through a handle");
      definition.argument_types.push_back({type_tag<Value>(), sizeof(Value), alignof(Value)});
    }
  }
};

/// The same for a function that takes something else of the context first: what `Leading::get` gives, of a type that is
/// `Leading::takes`.
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
  static void describe(CodeletDefinition& definition) { Typed::describe(definition); }
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

/// A function object whose parameters are known without calling it: no lambda with `auto` parameters, whose
/// `operator()` is a template, and nothing with several of them.
template <class F>
concept HasOneSignature = std::is_function_v<std::remove_pointer_t<F>> || std::is_bind_expression_v<F> || requires {
  &F::operator();
};

/// Whether a kernel looks its data up by number in the context, which comes after what else it takes. Before anything
/// is asked of its type that could fail in the middle of the standard library.
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
// A function object is called by several workers at the same time, so it must be callable as const.
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
  /// `modes`: one access mode per handle, in the order of the kernel's parameters.
  Codelet(std::string name, std::vector<AccessMode> modes);

  /// A codelet whose tasks take any number of handles; each submission names the mode of each: `read(a)`. `groups`:
  /// what handles those are; every submission is checked against it. Throws `signature_mismatch` where two groups
  /// cannot be told apart.
  [[nodiscard]] static Codelet variadic(std::string name, std::vector<HandleGroup> groups = {});

  /// One of the runtime's own.
  [[nodiscard]] static Codelet internal(std::string name, std::vector<AccessMode> modes);

  /// The implementation for a CPU core. Either `void(const KernelContext&)`, or a function of views of the handles
  /// (`MatrixView<T>`, `VectorView<T>`, `T&` for a scalar; `const T` where the mode is read), followed by the
  /// arguments by value; then every submission is checked against these types.
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

  /// The implementation for a cluster: a worker of several cores, of which it uses at most `most`, by
  /// `KernelContext::team`. Either `void(const KernelContext&)`, or a function that takes the team (`Team&`) first, and
  /// then what one for a core takes. Where the codelet has none for a core it is that, too, with a team of one. Throws
  /// `Error` (`invalid_argument`) where `most` is below 1.
  template <class F>
  Codelet& cpu_team(F function, int most = std::numeric_limits<int>::max()) & {
    if constexpr (detail::takes_context<F>()) {
      return implement_team(Kernel(std::move(function)), most);
    } else {
      using Typed = typename detail::CallSignature<F>::template Led<detail::LeadingTeam, F>;
      CodeletDefinition described;
      Typed::describe(described);
      take_parameters(kTeam, std::move(described));
      return implement_team(Typed::wrap(std::move(function)), most);
    }
  }
  template <class F>
  Codelet cpu_team(F function, int most = std::numeric_limits<int>::max()) && {
    cpu_team(std::move(function), most);
    return *this;
  }

  /// The implementation for cores of tasks that are made of pieces, in place of `cpu` and `cpu_team`. Pieces of a task
  /// are independent of each other: they run in any order and at the same time, on the core that the task was given to
  /// and on others that have nothing else to do, at least `grain` of them at a time; in a cluster on all its cores.
  /// Where the codelet has an implementation for CUDA, a GPU runs the task whole.
  ///
  /// `count`: how many there are, maybe none: `integer(const KernelContext&)`, or a function of the same views (const
  /// or not) and arguments as `piece` takes. It is called once for each task, before its pieces. `piece`: either
  /// `void(std::size_t piece, const KernelContext&)`, or a function that takes the number of the piece first, and then
  /// what one for a core takes. The first one that throws is the task's failure; those that have not begun are left out
  /// then.
  ///
  ///     Codelet("scale", {AccessMode::read_write})
  ///         .pieces([](MatrixView<double> a) { return a.cols; },
  ///                 [](std::size_t column, MatrixView<double> a) { … });
  ///
  /// Throws `Error` (`invalid_argument`) for a codelet that reduces, or that has an implementation for cores already,
  /// and for a grain of 0; `signature_mismatch` where the types do not fit.
  template <class Count, class Piece>
  Codelet& pieces(Count count, Piece piece, std::size_t grain = 1) & {
    Pieces made;
    made.grain = checked_grain(grain);
    if constexpr (detail::takes_context<Piece, std::size_t>()) {
      made.piece = std::move(piece);
    } else {
      using Typed = typename detail::CallSignature<Piece>::template Led<detail::LeadingPiece, Piece>;
      CodeletDefinition described;
      Typed::describe(described);
      take_parameters(to_string(DeviceKind::cpu_core), std::move(described));
      made.piece = Typed::wrap_piece(std::move(piece));
    }
    if constexpr (detail::takes_context<Count>()) {
      made.count = std::move(count);
    } else {
      using Typed = typename detail::CallSignature<Count>::template Typed<Count>;
      CodeletDefinition described;
      Typed::describe(described);
      check_count_takes(described);
      made.count = Typed::wrap_count(std::move(count));
    }
    return implement_pieces(std::move(made));
  }
  template <class Count, class Piece>
  Codelet pieces(Count count, Piece piece, std::size_t grain = 1) && {
    pieces(std::move(count), std::move(piece), grain);
    return *this;
  }

  /// Called on a core, or with a cluster's team, before a kernel of this codelet where the one before it had another
  /// prologue, or another size of team: `openmp_team` (client/openmp_team.hpp) for kernels that use OpenMP. What it
  /// throws is the task's failure.
  Codelet& prologue(TeamPrologue prologue) &;
  Codelet prologue(TeamPrologue prologue) &&;

  /// The implementation for a CUDA GPU: it enqueues its work on a stream and returns. The data are in the GPU's memory.
  /// Either `void(const KernelContext&)`, which finds the stream in the context, or a function that takes the stream
  /// (`cudaStream_t`) first, and then what one for a core takes; the same handles and arguments as that one, where the
  /// codelet has both. Of `T&` only the address is of use. What is to be looked at when the work has ended is given to
  /// `check_at_completion`. Throws `Error` (`invalid_argument`) for a codelet that reduces: partial results lie in host
  /// memory.
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

  /// The implementation for an OpenCL device: it enqueues its work on a queue and returns. Either
  /// `void(const KernelContext&)`, which finds the `OpenClLaunch` in the context, or a function that takes that
  /// (`OpenClLaunch&`, graph/codelets/opencl_launch.hpp) first, and then what one for a core takes. Views are of use
  /// for their sizes, and for `OpenClLaunch::buffer`, which finds the data's buffer by their pointer: what that points
  /// to is not the kernel's to touch. Throws `Error` (`invalid_argument`) for a codelet that reduces: partial results
  /// lie in host memory.
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

  /// The implementation for any kind of device. In virtual time without real buffers it is not called.
  Codelet& implement(DeviceKind kind, Kernel kernel) &;
  Codelet implement(DeviceKind kind, Kernel kernel) && { return implement(kind, std::move(kernel)); }

  /// The kernel whose times on a described machine are this codelet's: "cholesky/gemm/double", an application, a kernel
  /// and a precision of its file. For runs in virtual time. `flops` says how large a task's tile is: without it,
  /// tasks take the time of the largest tile that was measured.
  Codelet& timed_as(std::string kernel) &;
  Codelet timed_as(std::string kernel) &&;
  /// The name by which a service finds the codelet, where its own name, which is for people and traces, is not one of
  /// its own: "gemm_nt/double".
  Codelet& known_as(std::string name) &;
  Codelet known_as(std::string name) &&;
  /// What untyped implementations take by value, in order: submissions are checked against it. Who has no
  /// implementation at all, as it is a service's, says so what its tasks have. Throws `invalid_argument` for more than
  /// a task can hold.
  Codelet& takes(std::vector<ArgumentType> arguments) &;
  Codelet takes(std::vector<ArgumentType> arguments) && { return takes(std::move(arguments)); }
  /// A codelet of its own with the same content, to be changed before it is submitted.
  [[nodiscard]] Codelet copy() const;
  /// The same, but its tasks run on these devices only, whatever it has implementations for. `here`: what they are in
  /// the runtime that is to run them.
  [[nodiscard]] Codelet only_on(DeviceSet devices, DevicesHere here) const;
  /// The same for virtual time, where kernels are not called: it runs on just these kinds of device, whether it has
  /// implementations for them or not. `most_cores`: of a cluster, where it has none for cores.
  [[nodiscard]] Codelet modelled_on(KindSet kinds, int most_cores) const;

  /// A number, from a task's arguments and the shapes of its data: times of tasks with different ones are learned on
  /// their own. For what the shapes do not say: how often a kernel iterates, for one. Have few. In a service it is that
  /// of the service's own codelet.
  Codelet& footprint(Footprint footprint) &;
  Codelet footprint(Footprint footprint) &&;
  Codelet& flops(FlopCount count) &;
  Codelet flops(FlopCount count) &&;
  Codelet& environment(Environment environment) &;
  Codelet environment(Environment environment) &&;

  [[nodiscard]] const std::string& name() const { return definition_->name; }
  [[nodiscard]] const CodeletDefinition& definition() const { return *definition_; }
  [[nodiscard]] const std::shared_ptr<const CodeletDefinition>& shared_definition() const { return shared_; }

 private:
  template <class Typed, class F>
  Codelet& implement_typed(DeviceKind kind, F function) {
    CodeletDefinition described;
    Typed::describe(described);
    take_parameters(to_string(kind), std::move(described));
    return implement(kind, Typed::wrap(std::move(function)));
  }
  /// What an implementation is for, in messages: this, or a kind of device.
  static constexpr std::string_view kTeam = "team of cores";
  /// Throws `signature_mismatch` where a typed implementation does not fit the access modes, or what an implementation
  /// for something else takes.
  void take_parameters(std::string_view whose, CodeletDefinition described);
  Codelet& implement_team(Kernel kernel, int most);
  /// What can be checked before anything changes: throws as `pieces` does.
  [[nodiscard]] std::uint32_t checked_grain(std::size_t grain) const;
  void check_count_takes(const CodeletDefinition& described) const;
  Codelet& implement_pieces(Pieces pieces);
  /// Throws `invalid_argument` where tasks are made of pieces, as it would never be called.
  void check_no_pieces() const;
  void check_parameters() const;
  void check_no_reduction(DeviceKind kind) const;

  std::shared_ptr<CodeletDefinition> definition_;
  std::shared_ptr<const CodeletDefinition> shared_;
};

}  // namespace troupe
