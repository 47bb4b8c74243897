/// What a running kernel may ask.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/codelets/arguments.hpp"
#include "graph/codelets/layout.hpp"
#include "graph/codelets/team.hpp"
#include "proto/ids.hpp"

namespace troupe {

/// The data and arguments of one running task. Filled by the device that runs it; valid during the kernel only.
class KernelContext {
 public:
  /// All that is pointed to must outlive it.
  KernelContext(std::span<const DataView* const> data, const std::byte* arguments, const std::uint8_t* offsets)
      : data_(data), arguments_(arguments), offsets_(offsets) {}

  /// Number of handles of the task.
  [[nodiscard]] std::size_t size() const { return data_.size(); }
  [[nodiscard]] const DataView& data(std::size_t index) const {
    assert(index < data_.size() && "the task has fewer handles");
    return *data_[index];
  }
  template <class T>
  [[nodiscard]] MatrixView<T> matrix(std::size_t index) const {
    return data(index).template as_matrix<T>();
  }
  /// The handle's elements; it must be contiguous (a vector, or a matrix block without gaps).
  template <class T>
  [[nodiscard]] VectorView<T> vector(std::size_t index) const {
    const DataView& view = data(index);
    return {reinterpret_cast<T*>(view.data), static_cast<std::size_t>(view.layout.elements())};
  }
  template <class T>
  [[nodiscard]] T& scalar(std::size_t index) const {
    return *reinterpret_cast<T*>(data(index).data);
  }
  /// Argument by value number `index`; `T` must be the type that was passed.
  template <class T>
  [[nodiscard]] const T& argument(std::size_t index) const {
    return *reinterpret_cast<const T*>(arguments_ + offsets_[index]);
  }

  /// The cores that the kernel may use: one, but for a codelet's implementation for teams on a cluster.
  [[nodiscard]] Team& team() const {
    static LoneTeam lone;
    return cores != nullptr ? *cores : lone;
  }

  /// The worker that runs the task; an invalid id outside a runtime.
  WorkerId worker;
  TaskId task;
  /// On a CUDA GPU the stream (`cudaStream_t`) that everything is to be launched on, on an OpenCL device its
  /// `OpenClLaunch` (graph/codelets/opencl_launch.hpp); the data are in its memory. Null elsewhere.
  void* stream = nullptr;
  /// See `team`; null: one.
  Team* cores = nullptr;

 private:
  std::span<const DataView* const> data_;
  const std::byte* arguments_;
  const std::uint8_t* offsets_;
};

}  // namespace troupe
