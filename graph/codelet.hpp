/// A codelet: a named kernel with one implementation per kind of device.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/kernel_context.hpp"
#include "proto/access.hpp"

namespace troupe {

/// An implementation. It may throw: the task then fails with the exception's text, and with its code where it is an
/// `Error` (else `kernel_failed`).
using Kernel = std::function<void(const KernelContext&)>;
/// Floating-point operations of one task, from the shapes of its data and its arguments.
using FlopCount = std::function<double(const KernelContext&)>;
/// Makes what must hold while kernels of the codelet may run; what it returns lives as long as the runtime.
/// It is called once per runtime, when the runtime first sees a codelet with this environment.
using Environment = std::shared_ptr<void> (*)();

/// What a typed implementation expects of one handle.
struct DataParameter {
  ViewShape shape = ViewShape::any;
  std::uint64_t element_tag = 0;
  bool writable = false;
};

/// The immutable content of a codelet. Shared by all copies of a `Codelet` and by every runtime that has seen it.
struct CodeletDefinition {
  std::string name;
  std::vector<AccessMode> modes;
  /// True: `modes` says nothing, every access of a task names its mode.
  bool variadic = false;
  std::array<Kernel, kDeviceKinds> kernels;
  FlopCount flops;
  /// See `Codelet::timed_as`.
  std::string timed_as;
  /// The runtime's own: its time is not counted in virtual time.
  bool internal = false;
  Environment environment = nullptr;
  /// Filled from a typed implementation; empty where only untyped ones were given.
  bool typed = false;
  std::vector<DataParameter> parameters;
  std::vector<std::uint64_t> argument_tags;

  [[nodiscard]] bool runs_on(DeviceKind kind) const { return static_cast<bool>(kernels[static_cast<int>(kind)]); }
  /// What its times are known by.
  [[nodiscard]] const std::string& timed_name() const { return timed_as.empty() ? name : timed_as; }
};

namespace detail {

template <class T>
struct Parameter {
  static constexpr bool is_data = false;
};
template <class T>
struct Parameter<MatrixView<T>> {
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::matrix, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>};
  }
  static MatrixView<T> get(const KernelContext& context, std::size_t index) { return context.matrix<T>(index); }
};
template <class T>
struct Parameter<std::span<T>> {
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::vector, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>};
  }
  static std::span<T> get(const KernelContext& context, std::size_t index) { return context.vector<T>(index); }
};
template <class T>
struct Parameter<T&> {
  static constexpr bool is_data = true;
  static DataParameter describe() {
    return {ViewShape::scalar, type_tag<std::remove_const_t<T>>(), !std::is_const_v<T>};
  }
  static T& get(const KernelContext& context, std::size_t index) { return context.scalar<T>(index); }
};

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
      return context.argument<std::remove_const_t<Type>>(I - data_count);
    }
  }
  static Kernel wrap(F function) {
    return [function = std::move(function)](const KernelContext& context) {
      [&]<std::size_t... I>(std::index_sequence<I...>) { function(get<I>(context)...); }
      (std::index_sequence_for<P...>{});
    };
  }
  static void describe(CodeletDefinition& definition) {
    definition.typed = true;
    definition.parameters.clear();
    definition.argument_tags.clear();
    (describe_one<P>(definition), ...);
  }
  template <class T>
  static void describe_one(CodeletDefinition& definition) {
    if constexpr (Parameter<T>::is_data) {
      definition.parameters.push_back(Parameter<T>::describe());
    } else {
      definition.argument_tags.push_back(type_tag<std::remove_cv_t<T>>());
    }
  }
};

template <class F>
struct CallSignature : CallSignature<decltype(&F::operator())> {};
template <class R, class... P>
struct CallSignature<R (*)(P...)> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
};
template <class C, class R, class... P>
struct CallSignature<R (C::*)(P...) const> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
};
template <class R, class... P>
struct CallSignature<R (*)(P...) noexcept> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
};
// A function object is called by several workers at the same time, so it must be callable as const.
template <class C, class R, class... P>
struct CallSignature<R (C::*)(P...) const noexcept> {
  template <class F>
  using Typed = TypedKernel<F, P...>;
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

  /// A codelet whose tasks take any number of handles; each submission names the mode of each: `read(a)`.
  [[nodiscard]] static Codelet variadic(std::string name);

  /// One of the runtime's own.
  [[nodiscard]] static Codelet internal(std::string name, std::vector<AccessMode> modes);

  /// The implementation for a CPU core. Either `void(const KernelContext&)`, or a function of views of the handles
  /// (`MatrixView<T>`, `VectorView<T>`, `T&` for a scalar; `const T` where the mode is read), followed by the
  /// arguments by value; then every submission is checked against these types.
  template <class F>
  Codelet& cpu(F function) & {
    if constexpr (std::is_invocable_v<F, const KernelContext&>) {
      return implement(DeviceKind::cpu_core, Kernel(std::move(function)));
    } else {
      using Typed = typename detail::CallSignature<F>::template Typed<F>;
      Typed::describe(*definition_);
      check_parameters();
      return implement(DeviceKind::cpu_core, Typed::wrap(std::move(function)));
    }
  }
  template <class F>
  Codelet cpu(F function) && {
    cpu(std::move(function));
    return *this;
  }

  /// The implementation for any kind of device. In virtual time without real buffers it is not called.
  Codelet& implement(DeviceKind kind, Kernel kernel) &;

  /// The kernel whose times on a described machine are this codelet's: "cholesky/gemm/double", an application, a kernel
  /// and a precision of its file. For runs in virtual time.
  Codelet& timed_as(std::string kernel) &;
  Codelet timed_as(std::string kernel) &&;
  /// A codelet of its own with the same content, to be changed before it is submitted.
  [[nodiscard]] Codelet copy() const;

  Codelet& flops(FlopCount count) &;
  Codelet flops(FlopCount count) &&;
  Codelet& environment(Environment environment) &;
  Codelet environment(Environment environment) &&;

  [[nodiscard]] const std::string& name() const { return definition_->name; }
  [[nodiscard]] const CodeletDefinition& definition() const { return *definition_; }
  [[nodiscard]] const std::shared_ptr<const CodeletDefinition>& shared_definition() const { return shared_; }

 private:
  /// Throws `signature_mismatch` where a typed implementation does not fit the access modes.
  void check_parameters() const;

  std::shared_ptr<CodeletDefinition> definition_;
  std::shared_ptr<const CodeletDefinition> shared_;
};

}  // namespace troupe
