/// The runtime: workers in the program itself, or the service of the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/data.hpp"
#include "troupe/handle.hpp"
#include "troupe/inline_kernel.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/trace.hpp"
#include "troupe/value.hpp"
#include "troupe/why.hpp"

namespace troupe {

struct ConnectOptions {
  /// The folder of the service's sockets, an absolute path. If empty, the first of these is used:
  /// `$TROUPE_SOCKET_FOLDER` if it is set; `/run/troupe` for root; `$XDG_RUNTIME_DIR/troupe` if a service of this user
  /// listens there; `/run/troupe` if a service listens there for the members of a group that the process is in.
  std::string folder = {};
  /// The program's name for people, in `troupe jobs` and in metrics. If empty, the name of the executable is used.
  std::string name = {};
};

namespace client {
/// Implements `Runtime::connect`, in the library `Troupe::remote`. The linker prints this function's name if that
/// library is missing.
// NOLINTNEXTLINE(readability-identifier-naming): the name is the linker's message, and names the library as CMake does.
[[nodiscard]] std::shared_ptr<Backend> connect_needs_the_library_Troupe_remote(const ConnectOptions& options);

class RecordedTasks;
}  // namespace client

/// A graph recorded by `Runtime::record`: tasks with their dependencies. The graph can run any number of times, and the
/// dependencies are not inferred again. A run is ordered like one task that uses all the data of the recording: after
/// earlier tasks that use some of these data, and before later tasks that use some of them. Runs of one recording never
/// overlap. The object is cheap to copy, and any thread may use it. It may outlive its runtime, but must not be used
/// after the runtime's end.
class RecordedGraph {
 public:
  /// Makes a graph; called by `Runtime::record`.
  explicit RecordedGraph(std::shared_ptr<client::RecordedTasks> recording) : recording_(std::move(recording)) {}

  /// Submits one run and returns at once. The future fails if any task of the run fails, with `cancelled` if tasks were
  /// cancelled and none failed. Blocks while the submission window is full, except in kernels and callbacks. Throws
  /// `stopped`, `invalid_handle` if recorded data were released, and `invalid_argument` while the calling thread is
  /// recording.
  Future run() const { return run(std::span<const Rebinding>()); }
  /// Submits one run in which other data, of the same sizes and element type, replace recorded data: `run({{x, x2}, {y,
  /// y2}})`. The exchange holds for this run only. Data cannot be exchanged if the recording also uses a block of these
  /// data or a matrix that contains them, or if they are results of reductions. Replaced data must stay registered.
  /// Also throws `invalid_argument` and `conflicting_access`.
  Future run(std::span<const Rebinding> rebindings) const;
  Future run(std::initializer_list<Rebinding> rebindings) const {
    return run(std::span<const Rebinding>(rebindings.begin(), rebindings.size()));
  }

  /// Returns the number of tasks of one run, including those that combine reductions.
  [[nodiscard]] std::size_t tasks() const;

 private:
  std::shared_ptr<client::RecordedTasks> recording_;
};

/// Returns a folder for `PlacementOptions::models` in the user's cache: `$XDG_CACHE_HOME/troupe`, else
/// `$HOME/.cache/troupe`; empty if neither variable is set. The command line uses it. Reads the environment.
[[nodiscard]] std::string default_model_folder();

/// Runs tasks on the cores and accelerators of this machine.
///
/// Tasks are submitted in the order of a sequential program, with the data that they read and write; they run in
/// parallel, and the result is that of the sequential program. Any thread may call all members at any time. Kernels and
/// callbacks may call `submit` and the registrations too; only kernels of nested tasks may wait
/// (`TaskOptions::nested`). All failures are thrown as `Error`. A runtime can be used again after failures.
class Runtime {
 public:
  /// Starts one worker per core. Throws `invalid_argument` or `platform`.
  explicit Runtime(const RuntimeOptions& options = {});
  /// Makes a runtime on another backend, which must not be null.
  explicit Runtime(std::shared_ptr<client::Backend> backend);
  /// Returns a runtime on the service of this node, which runs the tasks of all programs that connect (`troupe serve`,
  /// docs/service.md). The service finds codelets by name. It has the codelets of the kernels that come with Troupe and
  /// of its plug-ins. A submission with any other codelet is refused (`no_implementation`). The program must be linked
  /// with the library `Troupe::remote`. Data that `allocate_…` returns lie in memory that the service shares; other
  /// data are copied to the service and back (docs/programming.md). Throws `io` if there is no service, `platform` if
  /// this user may not use the service or if its version differs, `stopped` if the service accepts no more clients,
  /// `service_lost` if the service ends during the call.
  [[nodiscard]] static Runtime connect(const ConnectOptions& options = {}) {
    return Runtime(client::connect_needs_the_library_Troupe_remote(options));
  }
  /// Returns the runtime whose kernel or callback the calling thread runs; also works on a service. The kernel of a
  /// nested task submits its children there:
  ///
  ///     void halves(const KernelContext& context, VectorView<double> x) {
  ///       Runtime runtime = Runtime::here();
  ///       const std::vector<Handle> parts = runtime.partition(context.handle(0), {…});
  ///       for (const Handle& part : parts) runtime.submit(change, {part});
  ///     }
  ///
  /// The object must not outlive the kernel or callback. Its destructor ends nothing. On a service the object stands
  /// for the client's part of the service: kernels of nested tasks may register, divide and acquire data, submit, wait
  /// and cancel there, within the client's limits; other kernels and callbacks get `invalid_argument`. Throws
  /// `invalid_argument` in other threads.
  [[nodiscard]] static Runtime here();
  /// Waits for all tasks, and for all tasks that these submit. Failures that no wait has reported become a warning
  /// (`ObservationOptions::on_warning`, or else standard error), so call `wait` first. In a child of `fork`, and inside
  /// one of the runtime's own kernels or callbacks, the destructor returns at once and ends nothing: `exit` in a kernel
  /// destroys static objects, which may include the runtime.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Registers one value of the program, which must live as long as the registration. Const memory, here and in the
  /// other registrations, may only be used in mode read.
  template <class T>
  [[nodiscard]] Scalar<T> scalar(T& value, std::string name = {}) {
    return Scalar<T>(add(memory_of(&value, layout_of<T>(1, 1, 1), std::move(name))));
  }
  /// Registers contiguous elements of the program: anything that converts to a span (vector, array …).
  template <class Container>
  [[nodiscard]] auto vector(Container& elements, std::string name = {}) {
    constexpr bool registrable = requires { std::span(elements); };
    static_assert(
        registrable,
        "only elements that lie one after the other can be registered, as those of std::vector, std::array and "
        "std::span do: in place of std::vector<bool> use std::vector<char>, in place of a list a vector");
    if constexpr (registrable) {
      const std::span span(elements);
      using T = typename decltype(span)::element_type;
      const auto count = static_cast<std::int64_t>(span.size());
      const auto layout = layout_of<T>(count, 1, count > 0 ? count : 1);
      return Vector<T>(add(memory_of(span.data(), layout, std::move(name))));
    }
  }
  /// Registers a column-major block of the program: `rows` x `cols` elements, columns `ld` elements apart. If `owner`
  /// is not null, it is kept alive as long as the registration. Throws `invalid_argument` for impossible sizes and for
  /// null memory. All registrations throw `overlapping_handles` if the data share memory with other registered data and
  /// this is cheap to detect: tasks on such data would not be ordered. Use `partition` for parts of a matrix.
  template <class T>
  [[nodiscard]] Matrix<T> matrix(T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld, std::string name = {},
                                 std::shared_ptr<void> owner = nullptr) {
    check_matrix(rows, cols, ld, sizeof(T));
    graph::DataDescription description = memory_of(data, layout_of<T>(rows, cols, ld), std::move(name));
    description.owned = std::move(owner);
    return Matrix<T>(add(std::move(description)));
  }
  /// Registers a column-major array of the program with three dimensions: `rows` x `cols` x `planes` elements. Columns
  /// are `ld` elements apart, and planes `plane_stride` elements; 0 stands for an array without gaps. If `owner` is not
  /// null, it is kept alive as long as the registration. Throws what `matrix` throws.
  template <class T>
  [[nodiscard]] Volume<T> volume(T* data, const VolumeShape& shape, std::string name = {},
                                 std::shared_ptr<void> owner = nullptr) {
    check_volume(shape, sizeof(T));
    graph::DataDescription description = memory_of(data, layout_of<T>(shape), std::move(name));
    description.owned = std::move(owner);
    return Volume<T>(add(std::move(description)));
  }
  /// Allocates a matrix without gaps in memory that the runtime owns. The matrix is uninitialized: its first task must
  /// write it, and a task that would read it earlier is refused (`invalid_argument`). In virtual time without real
  /// buffers the matrix has no memory, only a shape. Throws `out_of_memory` too.
  template <class T>
  [[nodiscard]] Matrix<T> allocate_matrix(std::int64_t rows, std::int64_t cols, std::string name = {}) {
    return allocate_matrix_on<T>(NumaId{}, rows, cols, std::move(name));
  }
  // NOLINTBEGIN(performance-unnecessary-value-param): clang-tidy does not see in templates that the names are moved.
  /// Allocates a matrix as `allocate_matrix` does, in memory of a NUMA node if `node` is valid and the system allows
  /// the choice, and with columns `ld` elements apart if `ld` is given.
  template <class T>
  [[nodiscard]] Matrix<T> allocate_matrix_on(NumaId node, std::int64_t rows, std::int64_t cols, std::string name = {},
                                             std::int64_t ld = 0) {
    if (ld == 0) ld = rows > 0 ? rows : 1;
    check_matrix(rows, cols, ld, sizeof(T));
    return Matrix<T>(allocate(layout_of<T>(rows, cols, ld), std::move(name), node));
  }
  /// Allocates an array with three dimensions as `allocate_matrix` allocates a matrix, in memory of a NUMA node if
  /// `node` is valid and the system allows the choice.
  template <class T>
  [[nodiscard]] Volume<T> allocate_volume(const VolumeShape& shape, std::string name = {}, NumaId node = {}) {
    check_volume(shape, sizeof(T));
    return Volume<T>(allocate(layout_of<T>(shape), std::move(name), node));
  }
  // NOLINTEND(performance-unnecessary-value-param)
  /// Allocates memory without registering it. Throws `out_of_memory`.
  [[nodiscard]] client::Memory allocate_bytes(Bytes size, NumaId node = {});
  /// Lets GPUs copy from and to memory of the program at full speed and in parallel with everything else, as long as
  /// the returned object lives; the memory must live longer. Use it for large buffers with a long life: pinning takes
  /// about a millisecond for ten megabytes. Memory that the runtime allocates needs no such call. Returns null, and
  /// changes nothing, if there is no CUDA GPU or the system does not allow pinning this much memory; copies are slower
  /// then.
  [[nodiscard]] std::shared_ptr<void> pin(const void* memory, Bytes size);
  template <class T>
  [[nodiscard]] Vector<T> allocate_vector(std::int64_t count, std::string name = {}) {
    return Vector<T>(allocate_matrix<T>(count, 1, std::move(name)));
  }
  template <class T>
  [[nodiscard]] Scalar<T> allocate_scalar(std::string name = {}) {
    return Scalar<T>(allocate_matrix<T>(1, 1, std::move(name)));
  }

  /// Returns handles of disjoint blocks of a matrix or volume. Tasks on the whole and tasks on its blocks are ordered
  /// like all other tasks that conflict. Waits for tasks that use the whole. The handles of the blocks are valid as
  /// long as the registration of the whole, or until `repartition`. Throws `overlapping_handles`.
  std::vector<Handle> partition(const Handle& whole, std::span<const Block> blocks);
  /// Replaces all blocks of a matrix by new blocks, even while tasks use the former blocks: tasks that were submitted
  /// on these blocks are not affected, and a task on a new block waits for the tasks on the former blocks that it
  /// overlaps. The handles of the former blocks are invalid from then on. The call waits, as `partition` does, only if
  /// tasks use the whole, if the former or the new blocks do not cover it or have blocks themselves, if halo parts
  /// overlap it, or if tasks still use more than 100,000 replaced blocks. If the runtime has accelerators, the content
  /// of the former blocks is copied to host memory. Throws what `partition` throws, and `wait_in_kernel` in the kernel
  /// of a nested task.
  std::vector<Handle> repartition(const Handle& whole, std::span<const Block> blocks);
  /// Returns halo parts of a matrix: blocks together with their rims, as far as the matrix goes. They may overlap each
  /// other and the blocks of `partition`, and tasks only read them. A task that reads a halo part waits only for the
  /// tasks that write the blocks which it overlaps, if `partition` has divided the whole matrix; otherwise it waits for
  /// all tasks that write the matrix. A task may read a halo part and write blocks that this part overlaps: its views
  /// are of the same memory; such a task runs on cores. Does not wait. The handles are valid as long as the
  /// registration of the matrix. A volume has halo parts, too. Throws `overlapping_handles` if a block does not lie
  /// inside the whole, and `invalid_argument` if a rim is negative or a block has steps.
  std::vector<Halo> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim);
  /// Allows mode reduce for the handle from now on. Waits for tasks that use the handle.
  void set_reduction(const Handle& handle, ReductionMethods methods);
  /// Ends the registration of the data (and of their blocks) after their last use. Waits for that use, unless the
  /// memory belongs to the runtime. Throws `wait_in_kernel` if the call would have to wait in a kernel or callback.
  void release(const Handle& handle);
  /// Declares that the content of the data (and of their blocks) is not needed any more, without freeing the memory.
  /// The call does not wait, and is ordered like a task that writes the data: tasks that were submitted before see the
  /// old content. The data then have no content, like data that were just allocated, until a task that writes them is
  /// submitted or the program acquires them in mode write. Until then, reading the data is refused
  /// (`invalid_argument`). What the memory contains meanwhile is unspecified. Copies that would only preserve the
  /// content, as from a device back to the host, are not made. Allowed in kernels and callbacks. Throws
  /// `invalid_handle`, and `invalid_argument` for data that were registered as const and inside a recording.
  void discard(const Handle& handle);

  /// Returns the type and the size of registered data. Throws `invalid_handle`.
  [[nodiscard]] Layout layout(const Handle& handle) const;

  /// Sets how much the data will be used during the run: when the memory of a device is full, data with low numbers are
  /// evicted first (docs/eviction.md; policy `reuse`). If the handle has blocks, the number holds for all its present
  /// blocks. Throws `invalid_handle`.
  void set_reuse(const Handle& handle, std::int64_t index);
  /// Keeps the data in the memories that have a replica of them: as long as the returned object lives, they are evicted
  /// from a device's memory only if no other data can be evicted. Throws `invalid_handle`.
  [[nodiscard]] KeptData keep(const Handle& handle);

  /// Submits a task. Blocks while the submission window is full, except in kernels and callbacks.
  /// Throws `invalid_handle`, `conflicting_access`, `signature_mismatch`, `no_implementation`, `stopped`; then nothing
  /// has been submitted.
  Future submit(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments = kNoArguments,
                const TaskOptions& options = TaskOptions::none());
  Future submit(const Codelet& codelet, std::initializer_list<Access> accesses,
                const Arguments& arguments = kNoArguments, const TaskOptions& options = TaskOptions::none()) {
    return submit(codelet, std::span<const Access>(accesses.begin(), accesses.size()), arguments, options);
  }

  /// Submits a kernel that is written inside the call, followed by the values and data for its parameters, in order:
  ///
  ///     runtime.submit([](VectorView<const double> x, double& sum) { … }, x, sum);
  ///
  /// A view or a reference takes data. Its mode is read if its elements are const, and otherwise read_write, or what
  /// `write(x)`, `commute(x)` or `reduce(x)` says. A parameter by value takes a value, or the content of data with one
  /// element. A first parameter `const KernelContext&` takes the context. Wrong parameters are refused by the compiler,
  /// and for data whose type only the program knows (`Handle`, `Data`) by `signature_mismatch`.
  ///
  /// The kernel runs on cores. Values that a lambda captures are kept until its task has ended; objects that it
  /// captures by reference have to live as long, and no dependency follows from them. All tasks of one lambda that use
  /// their data in the same modes have one codelet. Its name is that of `named`, or the place in the source of its
  /// first submission ("solver.cpp:41"). Throws as `submit` of a codelet does, and `no_implementation` on a service,
  /// which runs no code of its clients.
  template <class... A>
  Future submit(const detail::InlineKernel<std::type_identity_t<std::remove_cvref_t<A>>...>& kernel, A&&... given) {
    return kernel.submit(*this, TaskOptions::none(), given...);
  }
  template <class... A>
  Future submit(const TaskOptions& options,
                const detail::InlineKernel<std::type_identity_t<std::remove_cvref_t<A>>...>& kernel, A&&... given) {
    return kernel.submit(*this, options, given...);
  }
  /// Calls a function as a task, and returns its value when that is asked for (`Value::get`):
  ///
  ///     Value<long> a = runtime.async(fibonacci, n - 1);  // in fibonacci itself, too
  ///     const long b = fibonacci(n - 2);
  ///     return a.get() + b;
  ///
  /// The function and its arguments are copied or moved into the task, as `std::async` does (`std::ref` passes a
  /// reference). The task uses no data, so nothing orders it, and it runs on cores. In a kernel the new task is a child
  /// (`TaskOptions::nested`) if the kernel's task is nested, is a child, or was itself made by `async`; the kernel's
  /// task then ends after the child. If other workers have enough to do, `async` in such a kernel may also call the
  /// function directly instead of making a task, so the function must not wait for something that its caller does
  /// later. `named("name", function)` names the task in traces. A task that the function submits may use the data that
  /// the function itself registers or allocates, and no data of a kernel around it. Throws `stopped`, and
  /// `invalid_argument` in virtual time, in recordings, and in a program on a service (kernels there may call).
  template <class F, class... A, std::enable_if_t<!std::is_base_of_v<TaskOptions, std::remove_cvref_t<F>>, int> = 0>
  auto async(F&& function, A&&... arguments) {
    return call_as_task(nullptr, std::forward<F>(function), std::forward<A>(arguments)...);
  }
  /// Does the same with a deadline, a stop token, a priority, predecessors and so on. Such a call is always a task. It
  /// takes no weak data (`invalid_argument`).
  template <class F, class... A>
  auto async(const TaskOptions& options, F&& function, A&&... arguments) {
    return call_as_task(&options, std::forward<F>(function), std::forward<A>(arguments)...);
  }

  /// Begins a coroutine, which then runs in tasks on cores without being awaited. Throws `invalid_argument` in virtual
  /// time, in recordings, and in a program on a service (kernels there may begin coroutines), and `stopped`.
  template <class R>
  Started<R> start(Coroutine<R> coroutine) {
    coroutine.check_valid();
    auto state = std::make_shared<detail::StartedCoroutine<R>>();
    auto& promise = coroutine.coroutine_.promise();
    promise.started = state;
    detail::Resumption::begin(*backend_, state->end, coroutine.coroutine_);
    coroutine.coroutine_ = {};
    return Started<R>(std::move(state));
  }

  /// Records the tasks that `program` submits in the calling thread, instead of running them. The graph can then run
  /// any number of times. `program` must not wait, and its data must be registered as long as the graph is run. Futures
  /// of recorded tasks can only be used in `TaskOptions::after`, in the same recording. Throws what `program` throws.
  [[nodiscard]] RecordedGraph record(const std::function<void()>& program, std::string name = {});

  /// Waits for every task, and throws a summary of the failures since the last call of `wait`: `kernel_failed`,
  /// `cancelled` or `callback_failed`. The runtime stays usable. In the kernel of a nested task: waits for the children
  /// that the kernel has submitted, and throws the first failure among them. Throws `wait_in_kernel` in other kernels,
  /// and in callbacks.
  void wait();
  /// Waits until all tasks submitted so far that change the data have ended. If the content is not valid, throws the
  /// reason.
  void wait(const Handle& handle);
  /// Waits until the program may use the data, in mode read, write or read_write. Throws if the data are not valid
  /// because a task failed, unless the mode is write.
  [[nodiscard]] HostAccess acquire(const Handle& handle, AccessMode mode);

  /// Cancels all tasks submitted so far that have not started; `wait` reports them.
  /// Kernels that run can ask whether they should stop (`KernelContext::cancelled`), and return early. Tasks that are
  /// submitted later are not affected.
  void cancel();
  /// Refuses further tasks: submissions throw `stopped`, also in running kernels and callbacks. Then waits for the
  /// tasks that were submitted before, as `wait` does.
  void stop();

  /// Makes new clusters of the cores while tasks run; needs `ThreadOptions::regroup`. Examples: "2x10", "1x16+4x1",
  /// "socket", "numa", "l3", or "single", each core alone. Returns at once. Workers whose clusters change finish the
  /// kernels that they run, and tasks that were placed on them are placed again; the last of these workers to finish
  /// makes the change. Meanwhile the other workers continue. If further changes are requested during a change, only the
  /// last request is carried out afterwards. Throws `invalid_argument` if the cores cannot be grouped in this way, if
  /// the runtime's clusters are fixed, and for a runtime on a service. May be called from any thread, also in kernels
  /// and callbacks.
  void regroup(const std::string& clusters);

  [[nodiscard]] std::size_t workers() const;  ///< The number of cores or clusters, plus accelerators.
  /// Returns the number of NUMA nodes that have workers; their ids are below this number.
  [[nodiscard]] std::size_t numa_nodes() const;
  [[nodiscard]] const std::string& policy() const;  ///< The policy's name in reports.
  [[nodiscard]] Progress progress() const;          ///< Cheap enough to be called often.
  [[nodiscard]] RunReport report() const;           ///< Tasks, steals, times of workers and copies since the start.
  /// Returns the tasks that have been executed since the last call, with the dependencies of these tasks and the
  /// activities of the workers between tasks; empty without `RuntimeOptions::trace`. Tasks that are running are in the
  /// next trace.
  [[nodiscard]] Trace take_trace();
  /// Returns the figures of every actor's mailbox: messages, depth, waiting and handling times.
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// Returns why tasks do not make progress: which tasks wait, and for what, root causes first. No thread can submit
  /// during the call, which takes about 0.4 us per task in flight.
  [[nodiscard]] WhyReport why() const;

  /// Returns the backend in which the tasks run, for classes built on a runtime, such as `TiledMatrix`.
  [[nodiscard]] client::Backend& backend() const { return *backend_; }

 private:
  template <class F, bool kContext, class... Slots>
  friend struct detail::InlineCall;

  friend class detail::AsyncCall;

  /// Submits a call. If `options` is null, the call may run without a task.
  template <class F, class... A>
  auto call_as_task(const TaskOptions* options, F&& function, A&&... arguments) {
    if constexpr (detail::IsNamed<std::decay_t<F>>::value) {
      return call_named(options, function.name, std::forward<F>(function).function, std::forward<A>(arguments)...);
    } else {
      return call_named(options, nullptr, std::forward<F>(function), std::forward<A>(arguments)...);
    }
  }
  template <class F, class... A>
  auto call_named(const TaskOptions* options, const char* name, F&& function, A&&... arguments) {
    using Function = std::decay_t<F>;
    static_assert(std::is_invocable_v<Function, std::decay_t<A>...>,
                  "the function cannot be called with copies of these arguments: pass std::ref(x) for a reference");
    using R = std::invoke_result_t<Function, std::decay_t<A>...>;
    using Call = detail::AsyncCallOf<R, Function, std::decay_t<A>...>;
    const Codelet& codelet = Call::codelet_for(function, name);
    auto* const call = new Call(std::forward<F>(function), std::forward<A>(arguments)...);
    detail::AsyncCall::submit(*this, codelet, options, call);
    return Value<R>(call);
  }
  /// Submits a task, and keeps the object `kept` alive until the task has ended.
  Future submit_keeping(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments,
                        const TaskOptions& options, const std::shared_ptr<const void>& kept);
  template <class T>
  static graph::DataDescription memory_of(T* memory, const Layout& layout, std::string name) {
    auto* const bytes = reinterpret_cast<std::byte*>(const_cast<std::remove_cv_t<T>*>(memory));
    graph::DataDescription description{layout, bytes, nullptr, std::move(name)};
    description.read_only = std::is_const_v<T>;
    return description;
  }
  Data add(graph::DataDescription description);
  Data allocate(const Layout& layout, std::string name, NumaId node);
  static void check_matrix(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size);
  static void check_volume(const VolumeShape& shape, std::size_t element_size);

  struct Guest {};
  Runtime(std::shared_ptr<client::Backend> backend, Guest /*guest*/) : backend_(std::move(backend)), guest_(true) {}

  /// The backend is shared, because `Data` objects check through weak pointers whether it still exists.
  std::shared_ptr<client::Backend> backend_;
  /// True for an object that `here` has made.
  bool guest_ = false;
};

namespace detail {

template <class F, class... A>
Future submit_inline(Runtime& runtime, F&& function, const KernelPlace& place, const TaskOptions& options,
                     const A&... given) {
  if constexpr (can_match<F, A...>()) {
    using Of = InlineCallOf<F, A...>;
    if constexpr (Of::usable) {
      using Call = typename Of::type;
      const Codelet& codelet = Call::codelet_for(function, place);
      return Call::submit(runtime, codelet, std::forward<F>(function), options, given...);
    }
  }
  return {};
}

}  // namespace detail

}  // namespace troupe
