/// Kernels that a program writes where it submits them: lambdas in place of codelets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "troupe/access.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/data.hpp"
#include "troupe/handle.hpp"
#include "troupe/kernel_context.hpp"
#include "troupe/layout.hpp"

namespace troupe {

class Runtime;

/// A lambda with a name for traces, reports and learned times: `runtime.submit(named("axpy", [](…) { … }), x, y)`. The
/// name of any other lambda is the place in the source where it was first submitted: "solver.cpp:41".
template <class F>
struct NamedKernel {
  const char* name;
  F function;
};
template <class F>
NamedKernel<F> named(const char* name, F function) {
  return {name, std::move(function)};
}

namespace detail {

/// Describes one parameter of a kernel: a view or a reference (`Parameter` in codelet.hpp), or a value, which may also
/// be read from data with one element.
template <class P>
struct Taken {
  static constexpr bool is_view = Parameter<P>::is_data;
  /// The type of the parameter if the program gives data for it. A parameter by value is read from data with one
  /// element.
  using AsData = std::conditional_t<is_view, P, const std::remove_cv_t<P>&>;
  using Value = std::remove_cv_t<P>;
};

/// Matches parameter number `Number` (from 1) of an inline kernel, of type `P`, with the data or value given for it.
template <std::size_t Number, class P, class A>
struct InlineParameter {
  using G = Given<A>;
  static constexpr bool is_data = G::is_data;
  using DataType = typename Taken<P>::AsData;
  using Value = typename Taken<P>::Value;
  using Element = typename Parameter<DataType>::Element;

  static constexpr AccessMode mode() {
    if constexpr (is_data) {
      if (G::has_mode) return G::mode;
      return std::is_const_v<Element> ? AccessMode::read : AccessMode::read_write;
    } else {
      return AccessMode::read;
    }
  }

  /// The mistakes that a compiler can see.
  enum class Mistake {
    none,
    mode_not_known,
    value_for_data,
    not_copyable,
    not_convertible,
    loses_fraction,
    view_by_reference,
    pointer,
    other_element,
    read_only,
    writes_halo,
    several_elements,
    several_planes,
    mode_reads,
    mode_writes
  };
  static constexpr Mistake mistake() {
    if (std::is_same_v<A, Access>) return Mistake::mode_not_known;
    if constexpr (!is_data) {
      if (Taken<P>::is_view) return Mistake::value_for_data;
      if (!std::is_trivially_copyable_v<Value>) return Mistake::not_copyable;
      if (!std::is_convertible_v<A, Value>) return Mistake::not_convertible;
      if (std::is_floating_point_v<A> && std::is_integral_v<Value>) return Mistake::loses_fraction;
    } else {
      using Bare = std::remove_cvref_t<P>;
      if (std::is_reference_v<P> && Parameter<Bare>::is_data) return Mistake::view_by_reference;
      using GivenElement = typename G::Element;
      if (!std::is_void_v<GivenElement>) {
        if (!std::is_same_v<std::remove_const_t<GivenElement>, std::remove_const_t<Element>>) {
          return std::is_pointer_v<Bare> ? Mistake::pointer : Mistake::other_element;
        }
        if (!G::is_halo && std::is_const_v<GivenElement> && !std::is_const_v<Element>) return Mistake::read_only;
        constexpr bool several = G::shape != ViewShape::scalar && G::shape != ViewShape::any;
        if (std::is_reference_v<DataType> && several) return Mistake::several_elements;
        if (std::is_same_v<DataType, MatrixView<Element>> && G::shape == ViewShape::volume) {
          return Mistake::several_planes;
        }
      }
      if (G::is_halo && !std::is_const_v<Element>) return Mistake::writes_halo;
      if (G::has_mode && G::mode == AccessMode::read && !std::is_const_v<Element>) return Mistake::mode_reads;
      if (G::has_mode && G::mode != AccessMode::read && std::is_const_v<Element>) return Mistake::mode_writes;
    }
    return Mistake::none;
  }
  /// Refuses a wrong parameter with one line, after which the compiler names the parameter's number and types. Returns
  /// true if the parameter is right.
  static constexpr bool check() {
    constexpr Mistake found = mistake();
    static_assert(found != Mistake::mode_not_known,
                  "an Access has a mode that is known only at run time: give the data alone, or write(x), "
                  "read_write(x), commute(x) or reduce(x)");
    static_assert(found != Mistake::value_for_data,
                  "a view or a reference is a parameter for data: give a handle for it, such as runtime.vector(x) or "
                  "runtime.scalar(x) returns");
    static_assert(found != Mistake::not_copyable,
                  "a kernel's parameters by value are trivially copyable: capture other things in the lambda");
    static_assert(found != Mistake::not_convertible,
                  "the value that was given does not convert to the kernel's parameter");
    static_assert(found != Mistake::loses_fraction,
                  "the kernel's parameter is a whole number and would lose the fraction of the value that was given: "
                  "give a whole number, or take double");
    static_assert(found != Mistake::view_by_reference, "a kernel takes views by value: VectorView<T> without &");
    static_assert(found != Mistake::pointer,
                  "a pointer is no parameter for data: take VectorView<T>, MatrixView<T>, VolumeView<T> or T&");
    static_assert(found != Mistake::other_element,
                  "the data have elements of another type than the kernel's parameter, which is VectorView<T>, "
                  "MatrixView<T>, VolumeView<T>, T& or a value of their type");
    static_assert(found != Mistake::read_only,
                  "the data are read only, and the kernel's parameter would change them: take const T");
    static_assert(found != Mistake::writes_halo,
                  "a halo part may only be read, and the kernel's parameter would change it: take const T, and give "
                  "the kernel the block that it writes");
    static_assert(found != Mistake::several_elements,
                  "a reference or a value is a parameter for data of one element: take VectorView<T>, MatrixView<T> or "
                  "VolumeView<T>");
    static_assert(found != Mistake::several_planes,
                  "a volume is no matrix: take VolumeView<T>, or give the kernel a block of one plane");
    static_assert(found != Mistake::mode_reads,
                  "the mode is read, and the kernel's parameter would change the data: take const T");
    static_assert(found != Mistake::mode_writes,
                  "the mode changes the data, and the kernel's parameter is const: take T");
    return found == Mistake::none;
  }
};

/// The place of an inline kernel in the source, and the name that the program has given to the kernel, or null.
struct KernelPlace {
  const char* name = nullptr;
  const char* file = nullptr;
  int line = 0;
};

/// Makes the codelets of inline kernels.
struct InlineCodelets {
  [[nodiscard]] static Codelet make(std::string name, std::vector<AccessMode> modes, KernelParameters parameters,
                                    Kernel kernel);
  /// Makes a codelet for tasks without data. `ended` is called once for each task that was submitted, when it has
  /// ended, whether it ran or not.
  [[nodiscard]] static Codelet make_call(std::string name, Kernel kernel, void (*ended)(ArgumentsView));
  /// Returns the codelet with this key, number and name. The first call with these three makes the codelet, which is
  /// never destroyed.
  [[nodiscard]] static const Codelet& kept(const void* key, std::uint64_t number, const std::string& name,
                                           const std::function<Codelet()>& make);
  /// Returns the codelet with this key and name among the codelets that the class `Owner` makes. A thread that asks for
  /// the same codelet again takes no lock.
  template <class Owner, class Make>
  [[nodiscard]] static const Codelet& kept_by(const void* key, const std::string& name, const Make& make) {
    // The address of `mark` identifies `Owner`. Its name would not: two lambdas of one function may have the same name.
    static char mark = 0;
    thread_local Last last;
    if (last.codelet == nullptr || last.key != key || last.name != name) {
      last = {key, name, &kept(key, reinterpret_cast<std::uintptr_t>(&mark), name, make)};
    }
    return *last.codelet;
  }
  /// The codelet that a thread has found last.
  struct Last {
    const void* key = nullptr;
    std::string name;
    const Codelet* codelet = nullptr;
  };
  /// Throws `invalid_argument`, because a null pointer was given in place of a function.
  [[noreturn]] static void refuse_null();
  /// Returns the name that was given to a kernel, or its place in the source: "solver.cpp:41".
  [[nodiscard]] static std::string name_of(const KernelPlace& place);
};

template <class F>
struct IsNamed : std::false_type {};
template <class F>
struct IsNamed<NamedKernel<F>> : std::true_type {};
/// False for a codelet and for the options of a task, which `submit` takes in the kernel's place; else true.
template <class F>
struct IsInline : std::bool_constant<!std::is_base_of_v<Codelet, F> && !std::is_base_of_v<TaskOptions, F>> {};

template <class F>
struct IsFunctionObject : std::false_type {};
template <class R, class... P>
struct IsFunctionObject<std::function<R(P...)>> : std::true_type {};

/// One parameter of an inline kernel, of type `P`, which takes a value or data in this mode.
template <class P, bool kIsData, AccessMode kMode>
struct Slot {
  static constexpr bool is_data = kIsData;
  static constexpr AccessMode mode = kMode;
  using DataType = typename Taken<P>::AsData;
  using Value = typename Taken<P>::Value;
  using Type = std::conditional_t<kIsData, DataType, Value>;
};

/// An inline kernel of type `F` with these `Slot`s. If `kContext`, the function takes the `KernelContext` as its first
/// parameter.
///
/// If the function has a state, the task carries it: among its arguments by value if the function is small and
/// trivially copyable, otherwise as the function's address. If the function is a pointer, the codelet has this pointer.
template <class F, bool kContext, class... Slots>
struct InlineCall {
  static constexpr std::size_t kCount = sizeof...(Slots);
  static constexpr std::size_t kData = (static_cast<std::size_t>(Slots::is_data) + ... + 0);
  static constexpr std::size_t kValues = kCount - kData;
  static constexpr bool kPointer = std::is_pointer_v<F>;
  static constexpr bool kStateless = kPointer || (std::is_empty_v<F> && std::is_default_constructible_v<F>);

  /// Returns the index of each parameter, which counts the data and the values separately.
  static constexpr std::array<std::size_t, kCount + 1> places() {
    constexpr std::array<bool, kCount + 1> is_data{Slots::is_data..., false};
    std::array<std::size_t, kCount + 1> result{};
    std::size_t data = 0;
    std::size_t values = 0;
    for (std::size_t i = 0; i < kCount; ++i) result[i] = is_data[i] ? data++ : values++;
    return result;
  }
  /// Returns how many bytes the values take together with one more value, of this size and alignment, behind them.
  static constexpr std::size_t packed(std::size_t size, std::size_t alignment) {
    std::size_t used = 0;
    const auto add = [&used](std::size_t more, std::size_t align) { used = (used + align - 1) / align * align + more; };
    ((Slots::is_data ? void() : add(sizeof(typename Slots::Value), alignof(typename Slots::Value))), ...);
    add(size, alignment);
    return used;
  }
  static constexpr bool kByValue = !kStateless && std::is_trivially_copyable_v<F> && alignof(F) <= 8 &&
                                   kValues < Arguments::kMaxArguments &&
                                   packed(sizeof(F), alignof(F)) <= Arguments::kMaxBytes;
  using State = std::conditional_t<kByValue, F, const F*>;
  static_assert(kValues + (kStateless ? 0 : 1) <= Arguments::kMaxArguments &&
                    (kStateless ? packed(0, 1) : packed(sizeof(State), alignof(State))) <= Arguments::kMaxBytes,
                "a kernel takes at most seven values of together 40 bytes (six of 32 bytes if it has captures): pass "
                "larger things through a handle, or capture them");

  template <std::size_t I, class One>
  static decltype(auto) get(const KernelContext& context) {
    if constexpr (One::is_data) {
      return Parameter<typename One::DataType>::get(context, places()[I]);
    } else {
      return UncheckedViews::argument<typename One::Value>(context, places()[I]);
    }
  }
  static void run_with(const F& function, const KernelContext& context) {
    const auto call = [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
      if constexpr (kContext) {
        return function(context, get<I, Slots>(context)...);
      } else {
        return function(get<I, Slots>(context)...);
      }
    };
    using Numbers = std::make_index_sequence<kCount>;
    static_assert(std::is_void_v<decltype(call(Numbers{}))>,
                  "a kernel's result would be lost: write it to data, or use Runtime::async, whose future has it");
    call(Numbers{});
  }
  static void run(const KernelContext& context) {
    if constexpr (kByValue) {
      run_with(UncheckedViews::argument<F>(context, kValues), context);
    } else if constexpr (kStateless) {
      run_with(F{}, context);
    } else {
      run_with(*UncheckedViews::argument<const F*>(context, kValues), context);
    }
  }

  static Codelet make_codelet([[maybe_unused]] const F& function, std::string name) {
    std::vector<AccessMode> modes;
    KernelParameters parameters;
    (describe<Slots>(modes, parameters), ...);
    if constexpr (!kStateless) parameters.arguments.push_back(ArgumentType::of<State>());
    parameters.captures = !kStateless;
    parameters.takes_context = kContext;
    Kernel kernel(&run);
    if constexpr (kPointer) kernel = [function](const KernelContext& context) { run_with(function, context); };
    return InlineCodelets::make(std::move(name), std::move(modes), std::move(parameters), std::move(kernel));
  }
  template <class One>
  static void describe(std::vector<AccessMode>& modes, KernelParameters& parameters) {
    if constexpr (One::is_data) modes.push_back(One::mode);
    TypedKernel<F>::template add_one<typename One::Type>(parameters);
  }

  /// Returns the codelet of this kernel. A lambda has one codelet for the modes in which it uses its data. Functions
  /// and function objects of one type, and kernels with names, have a codelet for each function or name.
  static const Codelet& codelet_for(const F& function, const KernelPlace& place) {
    if constexpr (kPointer) {
      if (function == nullptr) InlineCodelets::refuse_null();
      const void* const key = reinterpret_cast<const void*>(function);
      return kept(key, place.name != nullptr ? place.name : "", function, place);
    } else if constexpr (IsFunctionObject<F>::value) {
      return kept(nullptr, InlineCodelets::name_of(place), function, place);
    } else {
      if (place.name != nullptr) return kept(nullptr, place.name, function, place);
      // The codelet is never destroyed: static objects of the program may submit tasks while they are destroyed.
      static const Codelet& one = *new Codelet(make_codelet(function, InlineCodelets::name_of(place)));
      return one;
    }
  }
  static const Codelet& kept(const void* key, const std::string& name, const F& function, const KernelPlace& place) {
    return InlineCodelets::kept_by<InlineCall>(key, name,
                                               [&] { return make_codelet(function, InlineCodelets::name_of(place)); });
  }

  /// Submits a task. `Host` is `Runtime`, which is only declared before this header.
  template <class Host, class... A>
  static Future submit(Host& runtime, const Codelet& codelet, F&& function, const TaskOptions& options,
                       const A&... given) {
    std::array<Access, kData + 1> accesses = make_accesses(std::make_index_sequence<kData + 1>{});
    [[maybe_unused]] std::size_t data = 0;
    Arguments values;
    (take<Slots>(given, accesses, data, values), ...);
    const std::span<const Access> used(accesses.data(), kData);
    if constexpr (kStateless) {
      return runtime.submit(codelet, used, values, options);
    } else if constexpr (kByValue) {
      values.append(function);
      return runtime.submit(codelet, used, values, options);
    } else {
      const auto kept = std::make_shared<const F>(std::move(function));
      values.append(kept.get());
      return runtime.submit_keeping(codelet, used, values, options, kept);
    }
  }
  template <std::size_t... I>
  static std::array<Access, kData + 1> make_accesses(std::index_sequence<I...>) {
    return {((void)I, Access(Handle()))...};
  }
  template <class One, class A>
  static void take(const A& given, std::array<Access, kData + 1>& accesses, [[maybe_unused]] std::size_t& data,
                   Arguments& values) {
    if constexpr (One::is_data) {
      accesses[data++] = Access(handle_of(given));
    } else {
      values.append(static_cast<typename One::Value>(given));
    }
  }
};

template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);
  static constexpr bool has_context = (std::is_same_v<std::remove_cvref_t<T>, KernelContext> || ... || false);
};

/// Finds the `InlineCall` of a function with these parameters for the data and values that were given.
template <class F, bool kContext, class Taken, class Given, class Numbers>
struct InlineCallFor;
template <class F, bool kContext, class... P, class... A, std::size_t... I>
struct InlineCallFor<F, kContext, TypeList<P...>, TypeList<A...>, std::index_sequence<I...>> {
  static constexpr bool usable = (InlineParameter<I + 1, P, A>::check() && ... && true);
  using type = InlineCall<F, kContext, Slot<P, Given<A>::is_data, InlineParameter<I + 1, P, A>::mode()>...>;
};

template <class Typed>
struct ParametersOf;
template <class F>
struct ParametersOf<TypedKernel<F>> {
  static constexpr bool takes_context = false;
  using type = TypeList<>;
};
template <class F, class First, class... P>
struct ParametersOf<TypedKernel<F, First, P...>> {
  static constexpr bool takes_context = std::is_same_v<First, const KernelContext&>;
  using type = std::conditional_t<takes_context, TypeList<P...>, TypeList<First, P...>>;
};

template <class F>
using ParametersOfCall = ParametersOf<typename CallSignature<F>::template Typed<F>>;

/// Returns true if a compiler can match the function's parameters with `sizeof...(A)` arguments. Otherwise refuses the
/// function with one error.
template <class F, class... A>
constexpr bool can_match() {
  constexpr bool named = HasOneSignature<F> && !std::is_bind_expression_v<F>;
  static_assert(named,
                "the parameters of an inline kernel have to be named, as its data are checked against them: in place "
                "of auto or std::bind write a lambda with VectorView<T>, MatrixView<T>, T& or a value's type");
  if constexpr (named) {
    using Given = typename ParametersOfCall<F>::type;
    static_assert(!Given::has_context, "a kernel that asks its context takes it first, as const KernelContext&");
    static_assert(Given::has_context || Given::size == sizeof...(A),
                  "the kernel has another number of parameters than were given behind it");
    return !Given::has_context && Given::size == sizeof...(A);
  }
  return false;
}

template <class F, class... A>
using InlineCallOf = InlineCallFor<F, ParametersOfCall<F>::takes_context, typename ParametersOfCall<F>::type,
                                   TypeList<A...>, std::index_sequence_for<A...>>;

/// Submits an inline kernel; defined behind `Runtime`.
template <class F, class... A>
Future submit_inline(Runtime& runtime, F&& function, const KernelPlace& place, const TaskOptions& options,
                     const A&... given);

/// The kernel of a submission with these arguments, and its place in the source. The object refers to the function that
/// it was made from, and lives only as long as the call of `submit`.
template <class... A>
class InlineKernel {
 public:
  template <class F, std::enable_if_t<IsInline<std::remove_cvref_t<F>>::value, int> = 0>
  InlineKernel(F&& function, const char* file = __builtin_FILE(), int line = __builtin_LINE())  // NOLINT: conversion
      : place_{nullptr, file, line} {
    if constexpr (IsNamed<std::remove_cvref_t<F>>::value) {
      place_.name = function.name;
      refer_to<decltype((std::forward<F>(function).function))>(function.function);
    } else {
      refer_to<F>(function);
    }
  }

  Future submit(Runtime& runtime, const TaskOptions& options, const A&... given) const {
    return submit_(*this, runtime, options, given...);
  }

 private:
  /// If `F` is a reference, the program keeps the function, and the task gets a copy. Any other function is moved into
  /// the task.
  template <class F>
  void refer_to(std::remove_reference_t<F>& function) {
    using Referred = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Referred>) {
      function_ = reinterpret_cast<void*>(&function);
    } else {
      function_ = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
    }
    submit_ = [](const InlineKernel& kernel, Runtime& runtime, const TaskOptions& options, const A&... given) {
      std::decay_t<F> own(static_cast<F&&>(*reinterpret_cast<Referred*>(kernel.function_)));
      return submit_inline(runtime, std::move(own), kernel.place_, options, given...);
    };
  }

  void* function_ = nullptr;
  KernelPlace place_;
  Future (*submit_)(const InlineKernel&, Runtime&, const TaskOptions&, const A&...) = nullptr;
};

}  // namespace detail
}  // namespace troupe
