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
#include "troupe/recorded_graph.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/trace.hpp"
#include "troupe/why.hpp"

namespace troupe {

struct ConnectOptions {
  /// The folder of the service's sockets, an absolute path. If it is empty, it is `$TROUPE_SOCKET_FOLDER`; else
  /// `/run/troupe` for root; else `$XDG_RUNTIME_DIR/troupe` if a service of this user listens there; else `/run/troupe`
  /// if a service listens there for the members of a group that the process is in.
  std::string folder = {};
  /// The program's name for people, in `troupe jobs` and in metrics. If it is empty, it is the name of the executable.
  std::string name = {};
};

namespace client {
/// Implements `Runtime::connect`, in the library `Troupe::remote`. The linker prints this function's name if that
/// library is missing.
[[nodiscard]] std::shared_ptr<Backend> connect_needs_the_library_Troupe_remote(const ConnectOptions& options);
}  // namespace client

/// Returns a folder for `PlacementOptions::models` in the user's cache: `$XDG_CACHE_HOME/troupe`, else
/// `$HOME/.cache/troupe`; empty if neither variable is set. The command line uses it. Reads the environment.
[[nodiscard]] std::string default_model_folder();

/// Runs tasks on the cores and accelerators of this machine.
///
/// Tasks are submitted in the order of a sequential program, with the data that they read and write; they run in
/// parallel, and the result is that of the sequential program. Any thread may call all members at any time. Kernels and
/// callbacks may call `submit` and the registrations too, but must not wait. All failures are thrown as `Error`. A
/// runtime can be used again after failures.
class Runtime {
 public:
  /// Starts one worker per core. Throws `invalid_argument` or `platform`.
  explicit Runtime(const RuntimeOptions& options = {});
  /// Makes a runtime on another backend, which must not be null.
  explicit Runtime(std::shared_ptr<client::Backend> backend);
  /// Returns a runtime on the service of this node, which runs the tasks of all programs that connect (`troupe serve`,
  /// docs/service.md). Its codelets are found by their names: those of the kernels that come with Troupe, and of the
  /// service's plug-ins; a submission with any other codelet is refused (`no_implementation`). The program must also
  /// link the library `Troupe::remote`. Data that `allocate_…` returns lie in memory that the service shares; other
  /// data are copied there and back (docs/programming.md).
  /// Throws `io` if no service is there, `platform` if this user may not use it or if its version differs, `stopped` if
  /// it takes no more clients, `service_lost` if it ends meanwhile.
  [[nodiscard]] static Runtime connect(const ConnectOptions& options = {}) {
    return Runtime(client::connect_needs_the_library_Troupe_remote(options));
  }
  /// Waits for all tasks, and for those that they submit. Failures that the program was never told of become a warning
  /// (`ObservationOptions::on_warning`, or else standard error), so call `wait` before. The destructor returns at once,
  /// and ends nothing, in a child of `fork` and inside of one of the runtime's own kernels or callbacks (`exit` there
  /// ends static objects).
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Registers one value of the program, which must live as long as the registration. Const memory, here and below, may
  /// only be used in mode read.
  template <class T>
  [[nodiscard]] Data scalar(T& value, std::string name = {}) {
    return add(memory_of(&value, layout_of<T>(1, 1, 1), std::move(name)));
  }
  /// Registers contiguous elements of the program: anything that converts to a span (vector, array …).
  template <class Container>
  [[nodiscard]] Data vector(Container& elements, std::string name = {}) {
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
      return add(memory_of(span.data(), layout, std::move(name)));
    }
  }
  /// Registers a column-major block of the program: `rows` x `cols` elements, columns `ld` elements apart. If
  /// `owner` is given, it is kept as long as the registration lives. Throws `invalid_argument` for impossible
  /// sizes and for null memory. All registrations throw `overlapping_handles` if the data share memory with other
  /// data, if that is cheap to detect: tasks on such data would not be ordered. Use `partition` for parts of a
  /// matrix.
  template <class T>
  [[nodiscard]] Data matrix(T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld, std::string name = {},
                            std::shared_ptr<void> owner = nullptr) {
    check_matrix(rows, cols, ld, sizeof(T));
    graph::DataDescription description = memory_of(data, layout_of<T>(rows, cols, ld), std::move(name));
    description.owned = std::move(owner);
    return add(std::move(description));
  }
  /// Allocates a matrix without gaps in memory that the runtime owns. It is uninitialized: its first task must write
  /// it, and a task that would read it earlier is refused (`invalid_argument`). In virtual time without real buffers it
  /// has no memory, only a shape. Throws `out_of_memory` too.
  template <class T>
  [[nodiscard]] Data allocate_matrix(std::int64_t rows, std::int64_t cols, std::string name = {}) {
    return allocate_matrix_on<T>(NumaId{}, rows, cols, std::move(name));
  }
  /// Allocates a matrix as `allocate_matrix` does, in memory of a NUMA node if `node` is valid and the system allows
  /// the choice, and with columns `ld` elements apart if `ld` is given.
  template <class T>
  [[nodiscard]] Data allocate_matrix_on(NumaId node, std::int64_t rows, std::int64_t cols, std::string name = {},
                                        std::int64_t ld = 0) {
    if (ld == 0) ld = rows > 0 ? rows : 1;
    check_matrix(rows, cols, ld, sizeof(T));
    return allocate(layout_of<T>(rows, cols, ld), std::move(name), node);
  }
  /// Allocates memory without registering it. Throws `out_of_memory`.
  [[nodiscard]] client::Memory allocate_bytes(Bytes size, NumaId node = {});
  /// Lets GPUs copy from and to memory of the program at full speed and in parallel with everything else, as long as
  /// the returned object lives; the memory must live longer. Use it for large buffers that are used for long: it takes
  /// about a millisecond for ten megabytes. Memory that the runtime allocates needs no such call. Returns null, without
  /// an effect, if there is no CUDA GPU or the system does not allow pinning this much memory; copies are slower then.
  [[nodiscard]] std::shared_ptr<void> pin(const void* memory, Bytes size);
  template <class T>
  [[nodiscard]] Data allocate_vector(std::int64_t count, std::string name = {}) {
    return allocate_matrix<T>(count, 1, std::move(name));
  }
  template <class T>
  [[nodiscard]] Data allocate_scalar(std::string name = {}) {
    return allocate_matrix<T>(1, 1, std::move(name));
  }

  /// Returns handles of disjoint blocks of a matrix. Tasks on the whole and on its blocks are ordered like all others.
  /// Waits for tasks that use the whole. The blocks end with the registration of the whole. Throws
  /// `overlapping_handles`.
  std::vector<Handle> partition(const Handle& whole, std::span<const Block> blocks);
  /// Allows mode reduce for the handle from now on. Waits for tasks that use it.
  void set_reduction(const Handle& handle, ReductionMethods methods);
  /// Forgets the data (and their blocks) after their last use. Waits for that use, except for memory of the runtime.
  /// Throws `wait_in_kernel` if it would have to wait in a kernel or callback.
  void release(const Handle& handle);

  /// Sets how much the data will be used during the run: when the memory of a device is full, data with low numbers
  /// leave it first (docs/eviction.md; policy `reuse`). A handle with parts stands for all of its present parts. Throws
  /// `invalid_handle`.
  void set_reuse(const Handle& handle, std::int64_t index);
  /// Keeps the data in the memories that they are in: as long as the returned object lives, the data leave a device's
  /// memory only when nothing else can. Throws `invalid_handle`.
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

  /// Records what `program` submits in the calling thread, instead of running it: the graph can then run any number of
  /// times. `program` must not wait, and its data must be registered as long as the graph is run. Futures of recorded
  /// tasks can only be named in `TaskOptions::after` of the same recording. Throws what `program` throws.
  [[nodiscard]] RecordedGraph record(const std::function<void()>& program, std::string name = {});

  /// Waits for every task, and throws a summary of the failures since the last call: `kernel_failed`, `cancelled` or
  /// `callback_failed`. Also throws `wait_in_kernel`. The runtime stays usable.
  void wait();
  /// Waits until the handle's content is final as of the tasks submitted so far. If the content is not valid, throws
  /// the reason.
  void wait(const Handle& handle);
  /// Waits until the program may use the data, in mode read, write or read_write. Throws if they are not valid because
  /// a task failed, unless the mode is write.
  [[nodiscard]] HostAccess acquire(const Handle& handle, AccessMode mode);

  /// Cancels all tasks submitted so far that have not started; `wait` reports them.
  void cancel();
  /// Refuses further tasks: submissions throw `stopped`, also in running kernels and callbacks. Then waits for the
  /// tasks that were submitted before, as `wait` does.
  void stop();

  /// Makes new clusters of the cores while tasks run; needs `ThreadOptions::regroup`. Examples: "2x10", "1x16+4x1",
  /// "socket", "numa", "l3", or "single", each core alone. Returns at once. Workers whose clusters change finish the
  /// kernels that they run, and tasks that were placed on them are placed again; the last of them to finish makes the
  /// change. Meanwhile the other workers continue. If further clusters are requested during a change, the last request
  /// comes next. Throws `invalid_argument` if the cores cannot be grouped in this way, if the runtime's clusters are
  /// fixed, and for a runtime on a service. May be called from any thread, also in kernels and callbacks.
  void regroup(const std::string& clusters);

  [[nodiscard]] std::size_t workers() const;  ///< Cores or clusters, and accelerators.
  /// Returns the number of NUMA nodes that have workers; their ids are below this number.
  [[nodiscard]] std::size_t numa_nodes() const;
  [[nodiscard]] const std::string& policy() const;  ///< The policy's name in reports.
  [[nodiscard]] Progress progress() const;          ///< Cheap enough to be called often.
  [[nodiscard]] RunReport report() const;           ///< Tasks, steals, times of workers and copies since the start.
  /// Returns the tasks that have been executed since the last call, with what they waited for and what the workers did
  /// between them; empty without `RuntimeOptions::trace`. Tasks that are running are in the next trace.
  [[nodiscard]] Trace take_trace();
  /// Returns the figures of every actor's mailbox: messages, depth, waiting and handling times.
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// Returns why tasks do not make progress: what waits for what, root causes first. Nobody can submit during the call,
  /// which takes about 0.4 us per task in flight.
  [[nodiscard]] WhyReport why() const;

  /// Returns the backend in which the tasks run, for classes built on a runtime, such as `TiledMatrix`.
  [[nodiscard]] client::Backend& backend() const { return *backend_; }

 private:
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

  /// `Data` objects check through weak pointers whether the backend still exists.
  std::shared_ptr<client::Backend> backend_;
};

}  // namespace troupe
