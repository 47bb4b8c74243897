/// The errors of kernels that look up their data or arguments with a wrong number, type or access mode.
#include <string>

#include "graph/codelets/type_names.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/errors.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe {

namespace {

/// Returns a text such as "the kernel asked for access 1 ('x')".
std::string asked_for(const graph::Task* task, std::size_t index) {
  const std::string name = task == nullptr ? "" : " (" + graph::describe(*task->accesses[index].data()) + ")";
  return "the kernel asked for access " + std::to_string(index) + name;
}

}  // namespace

void KernelContext::refuse_index(std::size_t index) const {
  throw Error(ErrorCode::invalid_argument, "the kernel asked for access " + std::to_string(index) +
                                               ", counting from 0, and the task has " + std::to_string(data_.size()));
}

void KernelContext::refuse_type(std::size_t index, std::uint64_t asked, std::size_t size) const {
  const Layout& layout = data(index).layout;
  throw Error(ErrorCode::signature_mismatch,
              asked_for(record, index) + " as elements of another type: the data are of " +
                  two_types(layout.element_tag, layout.element_size, ", the kernel asked for ", asked, size));
}

void KernelContext::refuse_gaps(std::size_t index) const {
  throw Error(ErrorCode::signature_mismatch,
              asked_for(record, index) +
                  " as a vector, but there are gaps between its columns or planes: use matrix or volume");
}

void KernelContext::refuse_planes(std::size_t index) const {
  throw Error(ErrorCode::signature_mismatch, asked_for(record, index) + " as a matrix, but the data have " +
                                                 std::to_string(data(index).layout.planes) + " planes: use volume");
}

void KernelContext::refuse_empty(std::size_t index) const {
  throw Error(ErrorCode::invalid_argument, asked_for(record, index) + " as a scalar, but the data have no element");
}

void detail::refuse_planes(std::int64_t planes) {
  throw Error(ErrorCode::signature_mismatch, "data with " + std::to_string(planes) +
                                                 " planes were looked at as a matrix: use volume (as_volume), or a "
                                                 "block of one plane");
}

void KernelContext::refuse_argument(std::size_t index) const {
  throw Error(ErrorCode::invalid_argument, "the kernel asked for argument " + std::to_string(index) +
                                               ", counting from 0, and the task has " +
                                               std::to_string(arguments_.count) + ": pass them with args(...)");
}

void KernelContext::refuse_argument_type(std::size_t index, std::uint64_t asked, std::size_t size) const {
  throw Error(ErrorCode::signature_mismatch,
              "the kernel asked for argument " + std::to_string(index) + " as " + type_name(asked, size) +
                  ", and the task has one of another type: cast it, as in args(" + type_name(asked, size) + "(x))");
}

void KernelContext::check_writable(std::size_t index) const {
  if (writes(record->accesses[index].mode())) return;
  throw Error(
      ErrorCode::invalid_argument,
      asked_for(record, index) +
          " to write it, but its mode is read: ask for const elements, as in context.vector<const double>(0), or "
          "declare the mode that the kernel needs");
}

}  // namespace troupe
