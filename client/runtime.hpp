/// The runtime: workers of the program's own, or the service of the node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/observation/why_report.hpp"
#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "actors/running/runtime_options.hpp"
#include "client/backend.hpp"
#include "client/connect_options.hpp"
#include "client/data.hpp"
#include "client/kept_data.hpp"
#include "client/recorded_graph.hpp"
#include "graph/codelets/arguments.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/handle.hpp"
#include "proto/errors.hpp"

namespace troupe {

using graph::Block;

namespace client {
/// What `Runtime::connect` does, of the library `Troupe::remote`. Its name is what the linker says where that is
/// missing.
[[nodiscard]] std::unique_ptr<Backend> connect_needs_the_library_Troupe_remote(const ConnectOptions& options);
}  // namespace client

/// How far the submitted tasks are.
struct Progress {
  std::uint64_t submitted = 0;
  /// Succeeded, failed or cancelled.
  std::uint64_t ended = 0;
};

/// A folder for `RuntimeOptions::model_folder`, in the user's cache: `$XDG_CACHE_HOME/troupe`, else
/// `$HOME/.cache/troupe`; empty where neither variable helps. The command line uses it. Reads the environment.
[[nodiscard]] std::string default_model_folder();

/// Runs tasks on the cores and accelerators of this machine.
///
/// Tasks are submitted in the order of a sequential program, with the data that they read and write; they run in
/// parallel, and the result is that of the sequential program. All members may be called by any thread at any time;
/// `submit` and the registrations by kernels and callbacks too, which must not wait. All failures are thrown as
/// `Error`. A runtime may be used again after failures.
class Runtime {
 public:
  /// Starts one worker per core. Throws `invalid_argument` or `platform`.
  explicit Runtime(const RuntimeOptions& options = {});
  /// On another place for tasks; never null.
  explicit Runtime(std::unique_ptr<client::Backend> backend) : backend_(std::move(backend)) {}
  /// The same class on the service of this node, which runs the tasks of all programs that connect (`troupe serve`,
  /// docs/service.md). Its codelets are found by their names: those of the kernels that come with Troupe, and of the
  /// service's plug-ins; others are refused when they are submitted (`no_implementation`). Of the library
  /// `Troupe::remote`, which a program links besides. Data that `allocate_…` returns lie in memory that the service
  /// shares; other data are copied there and back (docs/programming.md).
  /// Throws `io` where no service is there, `platform` where this user may not use it or where it is of another
  /// version, `stopped` where it takes no more clients, `service_lost` where it goes meanwhile.
  [[nodiscard]] static Runtime connect(const ConnectOptions& options = {}) {
    return Runtime(client::connect_needs_the_library_Troupe_remote(options));
  }
  /// Waits for all tasks, and for those that they submit. Failures that the program was never told of are a warning
  /// (`RuntimeOptions::on_warning`, else standard error): call `wait` before. In a child of `fork`, and inside of one
  /// of its own kernels or callbacks (`exit` there ends static objects), it returns at once, and nothing ends.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Registers one value of the program, which must live as long as the registration. Const memory, here and below, may
  /// be used in mode read only.
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
      const auto layout = layout_of<T>(count, 1, std::max<std::int64_t>(count, 1));
      return add(memory_of(span.data(), layout, std::move(name)));
    }
  }
  /// Registers a column-major block of the program: `rows` x `cols` elements, columns `ld` elements apart. If `owner`
  /// is given, it is kept as long as the registration lives. Throws `invalid_argument` for sizes that cannot be, and
  /// for no memory; all registrations throw `overlapping_handles` where the data share memory with others, as far as
  /// that is cheap to see: tasks on the one would not be ordered after tasks on the other. Use `partition`.
  template <class T>
  [[nodiscard]] Data matrix(T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld, std::string name = {},
                            std::shared_ptr<void> owner = nullptr) {
    check_matrix(rows, cols, ld, sizeof(T));
    graph::DataDescription description = memory_of(data, layout_of<T>(rows, cols, ld), std::move(name));
    description.owned = std::move(owner);
    return add(std::move(description));
  }
  /// A matrix without gaps in memory that the runtime owns, uninitialized: its first task writes it, and what reads it
  /// before is refused (`invalid_argument`). In virtual time without real buffers it has no memory, only a shape.
  /// Throws `out_of_memory` too.
  template <class T>
  [[nodiscard]] Data allocate_matrix(std::int64_t rows, std::int64_t cols, std::string name = {}) {
    return allocate_matrix_on<T>(NumaId{}, rows, cols, std::move(name));
  }
  /// The same with memory of a NUMA node, if `node` is valid and the system lets us choose, and with columns `ld`
  /// elements apart, if it is given.
  template <class T>
  [[nodiscard]] Data allocate_matrix_on(NumaId node, std::int64_t rows, std::int64_t cols, std::string name = {},
                                        std::int64_t ld = 0) {
    if (ld == 0) ld = std::max<std::int64_t>(rows, 1);
    check_matrix(rows, cols, ld, sizeof(T));
    return allocate(layout_of<T>(rows, cols, ld), std::move(name), node);
  }
  /// Memory that is registered nowhere yet. Throws `out_of_memory`.
  [[nodiscard]] client::Memory allocate_bytes(Bytes size, NumaId node = {});
  /// Lets GPUs copy from and to memory of the program at full speed and beside everything else, while what is returned
  /// lives; the memory must live longer. For large buffers that are used for long: it takes about a millisecond for ten
  /// megabytes. Memory that the runtime allocates needs no such call. Null, and no effect, where there is no CUDA GPU
  /// or the system does not let so much memory be pinned; copies are slower then.
  [[nodiscard]] std::shared_ptr<void> pin(const void* memory, Bytes size);
  template <class T>
  [[nodiscard]] Data allocate_vector(std::int64_t count, std::string name = {}) {
    return allocate_matrix<T>(count, 1, std::move(name));
  }
  template <class T>
  [[nodiscard]] Data allocate_scalar(std::string name = {}) {
    return allocate_matrix<T>(1, 1, std::move(name));
  }

  /// Handles of disjoint blocks of a matrix. Tasks on the whole and on its blocks are ordered like all others. Waits
  /// for tasks that use the whole. The blocks go with the registration of the whole. `overlapping_handles`.
  std::vector<Handle> partition(const Handle& whole, std::span<const Block> blocks);
  /// The handle may be used in mode reduce from now on. Waits for tasks that use it.
  void set_reduction(const Handle& handle, ReductionMethods methods);
  /// Forgets the data (and its blocks) after their last use, and waits for that; not for memory of the runtime. Throws
  /// `wait_in_kernel` where it would have to wait in a kernel or callback.
  void release(const Handle& handle);

  /// How much the data will be used during the run: where the memory of a device is full, data with low numbers leave
  /// it first (docs/eviction.md; policy `reuse`). A handle with parts stands for all of them, as they are now. Throws
  /// `invalid_handle`.
  void set_reuse(const Handle& handle, std::int64_t index);
  /// While what this returns lives, the data leave a device's memory only when nothing else can. Throws
  /// `invalid_handle`.
  [[nodiscard]] KeptData keep(const Handle& handle);

  /// Submits a task. Blocks while the submission window is full, except in kernels and callbacks.
  /// Throws `invalid_handle`, `conflicting_access`, `signature_mismatch`, `no_implementation`, `stopped`; then
  /// nothing has been submitted.
  Future submit(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments = kNoArguments,
                const TaskOptions& options = TaskOptions::none());
  Future submit(const Codelet& codelet, std::initializer_list<Access> accesses,
                const Arguments& arguments = kNoArguments, const TaskOptions& options = TaskOptions::none()) {
    return submit(codelet, std::span<const Access>(accesses.begin(), accesses.size()), arguments, options);
  }

  /// Records what `program` submits in the calling thread, instead of running it: the graph can then run any number
  /// of times. The program may not wait inside; its data must be registered as long as the graph is run. Futures of
  /// recorded tasks can only be named in `TaskOptions::after` of the same recording. Throws what `program` throws.
  [[nodiscard]] RecordedGraph record(const std::function<void()>& program, std::string name = {});

  /// Waits for every task, and throws a summary of what has failed since the last call: `kernel_failed`,
  /// `cancelled` or `callback_failed`; also `wait_in_kernel`. The runtime stays usable.
  void wait();
  /// Waits until the handle's content is final as of the tasks submitted so far. Throws why where it is not valid.
  void wait(const Handle& handle);
  /// Waits until the program may use the data, in mode read, write or read_write. Throws where they are not valid
  /// because a task failed, unless the mode is write.
  [[nodiscard]] HostAccess acquire(const Handle& handle, AccessMode mode);

  /// Cancels all tasks submitted so far that have not started; `wait` reports them.
  void cancel();
  /// Takes no more tasks: further submissions throw `stopped`, those of running kernels and callbacks too. Then
  /// waits for the tasks that are there, as `wait` does.
  void stop();

  /// With `RuntimeOptions::regroup`: makes clusters of the cores, while tasks run: "2x10", "1x16+4x1", "socket",
  /// "numa", "l3", or "single", each core alone. Returns at once. Workers whose clusters change end the kernels that
  /// they run, and what was placed on them is placed again; the last of them to end makes all change. Meanwhile the
  /// others go on. While that lasts, the clusters that were asked for last come next. Throws `invalid_argument` where
  /// the cores cannot be grouped so, or the runtime is of fixed clusters or a service's. Any thread; kernels and
  /// callbacks, too.
  void regroup(const std::string& clusters);

  [[nodiscard]] std::size_t workers() const;  ///< Cores or clusters, and accelerators.
  /// NUMA nodes that have workers; their ids are below.
  [[nodiscard]] std::size_t numa_nodes() const;
  [[nodiscard]] const std::string& policy() const;  ///< As reports name it.
  [[nodiscard]] Progress progress() const;          ///< Cheap enough to be asked often.
  [[nodiscard]] RunReport report() const;           ///< Tasks, steals, time of each worker, copies: since the start.
  /// The tasks that have been executed since the last call, with what they waited for and what the workers did between
  /// them; empty without `RuntimeOptions::trace`. Tasks that run meanwhile are in the next trace.
  [[nodiscard]] Trace take_trace();
  /// The figures of every actor's mailbox: messages, depth, waiting and handling times.
  [[nodiscard]] MetricsSnapshot metrics() const;
  /// Why tasks do not go on: what waits for what, root causes first. Nobody can submit while it looks: about 0.4 us per
  /// task in flight.
  [[nodiscard]] WhyReport why() const;

  /// Where the tasks run. For what stands on a runtime, such as `TiledMatrix`.
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

  /// `Data` look whether it is still there.
  std::shared_ptr<client::Backend> backend_;
};

}  // namespace troupe
