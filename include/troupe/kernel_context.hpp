/// The context of a running kernel: its data, arguments, worker and stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "troupe/arguments.hpp"
#include "troupe/handle.hpp"
#include "troupe/ids.hpp"
#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe {

namespace graph {
class TaskGraph;
struct Task;
}  // namespace graph

namespace detail {
struct UncheckedViews;
}

/// The data and arguments of one running task. The device that runs the task fills it. It is valid only while the
/// kernel runs.
///
/// The accessors throw `Error`; if the kernel does not catch the error, the task fails with it. The code is
/// `invalid_argument` if the task has fewer handles or arguments, or if `T` is not const although the mode is read;
/// `signature_mismatch` for another type, for a vector of data with gaps between their columns or planes, and for a
/// matrix of data with several planes.
class KernelContext {
 public:
  /// Makes a context, which only refers to the data and the arguments: both must outlive it.
  KernelContext(std::span<const DataView* const> data, ArgumentsView arguments) : data_(data), arguments_(arguments) {}

  /// Returns the number of handles of the task.
  [[nodiscard]] std::size_t size() const { return data_.size(); }
  [[nodiscard]] const DataView& data(std::size_t index) const {
    if (index >= data_.size()) [[unlikely]]
      refuse_index(index);
    return *data_[index];
  }
  template <class T>
  [[nodiscard]] MatrixView<T> matrix(std::size_t index) const {
    return checked<T>(index, ViewShape::matrix).template unchecked_matrix<T>();
  }
  /// Returns the handle's elements as a volume. A matrix is a volume of one plane.
  template <class T>
  [[nodiscard]] VolumeView<T> volume(std::size_t index) const {
    return checked<T>(index, ViewShape::volume).template as_volume<T>();
  }
  /// Returns the handle's elements, which must be contiguous (a vector, or a block without gaps).
  template <class T>
  [[nodiscard]] VectorView<T> vector(std::size_t index) const {
    const DataView& view = checked<T>(index, ViewShape::vector);
    return {reinterpret_cast<T*>(view.data), static_cast<std::size_t>(view.layout.elements())};
  }
  /// Returns the handle's first element. Throws `invalid_argument` if it has none.
  template <class T>
  [[nodiscard]] T& scalar(std::size_t index) const {
    return *reinterpret_cast<T*>(checked<T>(index, ViewShape::scalar).data);
  }
  /// Returns number `index` of the arguments by value; `T` is the type that was passed.
  template <class T>
  [[nodiscard]] const T& argument(std::size_t index) const {
    constexpr std::uint64_t tag = type_tag<std::remove_cv_t<T>>();
    const std::byte* bytes = argument_bytes(index);
    if (arguments_.marks[index] != mark_of(tag)) [[unlikely]]
      refuse_argument_type(index, tag, sizeof(T));
    return *reinterpret_cast<const T*>(bytes);
  }
  /// Returns the address of argument number `index`, for callers that know its type.
  [[nodiscard]] const std::byte* argument_bytes(std::size_t index) const {
    if (index >= arguments_.count) [[unlikely]]
      refuse_argument(index);
    return arguments_.bytes + arguments_.offsets[index];
  }

  /// Returns handle number `index` of the task, so that the kernel of a nested task can submit children that use the
  /// same data, whoever submitted the task. Throws `invalid_argument` outside a runtime.
  [[nodiscard]] Handle handle(std::size_t index) const;
  /// `weak_size` returns how many weak data the task has (`TaskOptions::weak`), and `weak` the handle of one of them.
  /// Whoever submits the task chooses the weak data, so check their types and sizes (`Runtime::layout`).
  [[nodiscard]] std::size_t weak_size() const;
  [[nodiscard]] Handle weak(std::size_t index) const;

  /// Returns the cores that the kernel may use: more than one only for an implementation for teams, on a cluster.
  [[nodiscard]] Team& team() const {
    static LoneTeam lone;
    return cores != nullptr ? *cores : lone;
  }

  /// Returns true once the task need not go on: the program has cancelled the task, or the run of a recorded graph that
  /// contains it (`Future::cancel`, `Runtime::cancel`); or its deadline has passed, or a stop was requested
  /// (`TaskOptions`). A kernel that runs for long should ask now and then, and return early. Once the result was true,
  /// it stays true, and the task ends as cancelled when the kernel returns: the data that it writes then have no valid
  /// content. A kernel that never asks ends as if nobody had cancelled it; a kernel that throws has failed.
  ///
  /// May be called from any thread while the kernel runs, also inside teams and pieces. A call takes a few nanoseconds
  /// (some 30 more if the task has a deadline), and never blocks. Kernels that only enqueue work on a device ask while
  /// they enqueue. Returns false outside a runtime.
  [[nodiscard]] bool cancelled() const { return record != nullptr && ask_whether_cancelled(); }

  /// The worker that runs the task; an invalid id outside a runtime.
  WorkerId worker;
  TaskId task;
  /// The stream (`cudaStream_t`) for all launches on a CUDA GPU, or the `OpenClLaunch`
  /// (troupe/opencl.hpp) on an OpenCL device; the data are then in the device's memory. Null elsewhere.
  void* stream = nullptr;
  /// The team that `team` returns. If it is null, `team` returns a team of one.
  Team* cores = nullptr;
  /// The record of the running task, which has the modes of its data, and the task graph of the runtime that has the
  /// worker; both are null outside a runtime.
  const graph::Task* record = nullptr;
  const graph::TaskGraph* task_graph = nullptr;

 private:
  friend struct detail::UncheckedViews;

  template <class T>
  const DataView& checked(std::size_t index, ViewShape shape) const {
    constexpr std::uint64_t tag = type_tag<std::remove_cv_t<T>>();
    const DataView& view = data(index);
    if (view.layout.element_tag != tag) [[unlikely]]
      refuse_type(index, tag, sizeof(T));
    if (shape == ViewShape::vector && !view.layout.contiguous()) [[unlikely]]
      refuse_gaps(index);
    if (shape == ViewShape::matrix && view.layout.planes != 1) [[unlikely]]
      refuse_planes(index);
    if (shape == ViewShape::scalar && view.layout.elements() == 0) [[unlikely]]
      refuse_empty(index);
    if constexpr (!std::is_const_v<T>) {
      if (record != nullptr) check_writable(index);
    }
    return view;
  }
  // These functions are defined in a source file, because their messages name the data, which needs other headers.
  [[noreturn]] void refuse_index(std::size_t index) const;
  [[noreturn]] void refuse_type(std::size_t index, std::uint64_t asked, std::size_t size) const;
  [[noreturn]] void refuse_gaps(std::size_t index) const;
  [[noreturn]] void refuse_planes(std::size_t index) const;
  [[noreturn]] void refuse_empty(std::size_t index) const;
  [[noreturn]] void refuse_argument(std::size_t index) const;
  [[noreturn]] void refuse_argument_type(std::size_t index, std::uint64_t asked, std::size_t size) const;
  void check_writable(std::size_t index) const;
  [[nodiscard]] bool ask_whether_cancelled() const;

  std::span<const DataView* const> data_;
  ArgumentsView arguments_;
};

/// Registers a check of the work that a kernel has enqueued. Call this inside the kernel, after enqueuing: `check` is
/// called when all work that the kernel has enqueued has ended. If `check` throws, the task fails, as if the kernel had
/// thrown. Outside of kernels, and on devices where the work is done when the kernel returns, `check` is called
/// immediately.
///
/// A kernel that only enqueues work, such as a CUDA kernel, has no other way to examine the outcome, such as the status
/// of a factorization. `check` is called once, in the thread of the device's worker. On an OpenCL device, `check` may
/// be called in any thread, and must not wait for OpenCL. `check` is dropped if the device is lost before the work has
/// ended.
void check_at_completion(std::function<void()> check);

namespace detail {

/// Makes views for kernels whose parameters were compared with the data and arguments when the task was submitted.
struct UncheckedViews {
  template <class T>
  [[nodiscard]] static MatrixView<T> matrix(const KernelContext& context, std::size_t index) {
    return context.data_[index]->template unchecked_matrix<T>();
  }
  template <class T>
  [[nodiscard]] static VolumeView<T> volume(const KernelContext& context, std::size_t index) {
    return context.data_[index]->template as_volume<T>();
  }
  template <class T>
  [[nodiscard]] static VectorView<T> vector(const KernelContext& context, std::size_t index) {
    const DataView& view = *context.data_[index];
    return {reinterpret_cast<T*>(view.data), static_cast<std::size_t>(view.layout.elements())};
  }
  template <class T>
  [[nodiscard]] static T& scalar(const KernelContext& context, std::size_t index) {
    return *reinterpret_cast<T*>(context.data_[index]->data);
  }
  template <class T>
  [[nodiscard]] static const T& argument(const KernelContext& context, std::size_t index) {
    return *reinterpret_cast<const T*>(context.arguments_.bytes + context.arguments_.offsets[index]);
  }
};

}  // namespace detail

}  // namespace troupe
