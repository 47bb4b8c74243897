#include "python/module/array_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <string_view>
#include <utility>

#include "platform/accelerators/block_copy.hpp"
#include "python/module/errors.hpp"
#include "python/module/runtime_state.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

template <class T>
Element element() {
  return {type_tag<T>(), sizeof(T)};
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::string text_of_shape(const py::array& array) { return py::str(array.attr("shape")); }

[[noreturn]] void refuse_layout(const py::array& array, const std::string& name) {
  std::string rule;
  if (array.ndim() == 1) {
    rule = fmt::format("the stride of an array of one dimension is a multiple of an element's size ({} bytes), above 0",
                       array.itemsize());
  } else if (array.ndim() <= 3) {
    rule = fmt::format(
        "of arrays with two or three dimensions the first or last stride must be the size of an element "
        "({} bytes), as in A[:, a:b] or A[a:b, :], and no stride may be below that",
        array.itemsize());
  } else {
    rule = "arrays of more than three dimensions must have no gaps";
  }
  throw py::value_error(fmt::format(
      "{} of shape {} and strides {} is not contiguous: {}. Register the whole and use partition, or take a copy, "
      "numpy.ascontiguousarray(array), from which what tasks write has to be copied back",
      name.empty() ? "the array" : "'" + name + "'", text_of_shape(array), std::string(py::str(array.attr("strides"))),
      rule));
}

void copy_elements(const DataView& from, const DataView& to) {
  const platform::BlockCopy copy = platform::block_copy(from, to);
  platform::move_bytes(copy, 0, copy.bytes().count);
}

/// The dimensions of an array, sorted by the distance of their elements in memory, the smallest distance first.
std::array<py::ssize_t, 3> axes_of(ArrayOrder order) {
  return order == ArrayOrder::c ? std::array<py::ssize_t, 3>{2, 1, 0} : std::array<py::ssize_t, 3>{0, 1, 2};
}

/// Returns the shape of an array with three dimensions as a volume, if its elements lie in this order.
std::optional<VolumeShape> volume_in(const py::array& array, ArrayOrder order) {
  const auto axes = axes_of(order);
  const py::ssize_t size = array.itemsize();
  // The stride has no meaning if there is only one index, or no element.
  const auto stride = [&](std::size_t i, py::ssize_t packed) {
    return array.size() == 0 || array.shape(axes[i]) == 1 ? packed : array.strides(axes[i]);
  };
  const py::ssize_t rows = array.shape(axes[0]);
  const py::ssize_t cols = array.shape(axes[1]);
  const py::ssize_t column = stride(1, std::max<py::ssize_t>(rows, 1) * size);
  const py::ssize_t plane = stride(2, cols * column);
  const bool fits = stride(0, size) == size && column % size == 0 && column >= rows * size && plane % size == 0 &&
                    plane >= (cols - 1) * column + rows * size;
  if (!fits) return std::nullopt;
  return VolumeShape{rows, cols, array.shape(axes[2]), column / size, plane / size};
}

/// Returns the order of an array with three dimensions, and its shape as a volume. Fortran's order is preferred where
/// both are possible, unless the array was made in C order. Returns nothing if there are gaps inside the array's
/// columns.
std::optional<std::pair<ArrayOrder, VolumeShape>> find_volume(const py::array& array) {
  const bool in_c = (array.flags() & py::array::c_style) != 0;
  const bool in_fortran = (array.flags() & py::array::f_style) != 0;
  if (in_fortran || !in_c) {
    const auto shape = volume_in(array, ArrayOrder::fortran);
    if (shape) return std::pair(in_c ? ArrayOrder::any : ArrayOrder::fortran, *shape);
  }
  const auto shape = volume_in(array, ArrayOrder::c);
  if (shape) return std::pair(ArrayOrder::c, *shape);
  return std::nullopt;
}

/// Returns true if two arrays have the same shape, strides and dtype object.
bool look_alike(py::handle one, py::handle other) {
  const auto* const a = py::detail::array_proxy(one.ptr());
  const auto* const b = py::detail::array_proxy(other.ptr());
  return a->nd == b->nd && a->descr == b->descr && std::equal(a->dimensions, a->dimensions + a->nd, b->dimensions) &&
         std::equal(a->strides, a->strides + a->nd, b->strides);
}

}  // namespace

Element element_of(const py::dtype& dtype) {
  if (py::bool_(dtype.attr("hasobject"))) {
    throw py::type_error(
        fmt::format("arrays of dtype {} hold objects of Python, which tasks cannot share: use a dtype of numbers, or "
                    "pass the objects "
                    "as further arguments of a kernel",
                    std::string(py::str(py::handle(dtype)))));
  }
  const auto size = static_cast<std::uint32_t>(dtype.itemsize());
  if (size == 0) throw py::type_error("arrays whose elements have no bytes hold no data");
  if (py::bool_(dtype.attr("isnative"))) {
    switch (dtype.kind()) {
      case 'b': return element<bool>();
      case 'i':
        if (size == 1) return element<std::int8_t>();
        if (size == 2) return element<std::int16_t>();
        if (size == 4) return element<std::int32_t>();
        if (size == 8) return element<std::int64_t>();
        break;
      case 'u':
        if (size == 1) return element<std::uint8_t>();
        if (size == 2) return element<std::uint16_t>();
        if (size == 4) return element<std::uint32_t>();
        if (size == 8) return element<std::uint64_t>();
        break;
      case 'f':
        if (size == 4) return element<float>();
        if (size == 8) return element<double>();
        break;
      case 'c':
        if (size == 8) return element<std::complex<float>>();
        if (size == 16) return element<std::complex<double>>();
        break;
      default: break;
    }
  }
  const py::object description = py::bool_(dtype.attr("names").is_none()) ? dtype.attr("str") : dtype.attr("descr");
  return {hash_of("numpy " + std::string(py::str(description)) + std::to_string(size)), size};
}

std::vector<py::ssize_t> ArrayForm::packed_strides() const {
  std::vector<py::ssize_t> result(shape.size());
  auto next = static_cast<py::ssize_t>(layout.element_size);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = order == ArrayOrder::c ? shape.size() - 1 - i : i;
    result[axis] = next;
    next *= shape[axis];
  }
  return result;
}

ArrayForm form_of(const py::array& array, const std::string& name) {
  ArrayForm form;
  const py::ssize_t size = array.itemsize();
  const Element element = element_of(array.dtype());
  form.layout.element_size = element.size;
  form.layout.element_tag = element.tag;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) form.shape.push_back(array.shape(i));
  const auto set = [&form](std::int64_t rows, std::int64_t cols, std::int64_t ld) {
    form.layout.rows = rows;
    form.layout.cols = cols;
    form.layout.ld = std::max<std::int64_t>({ld, rows, 1});
  };
  const bool empty = array.size() == 0;
  // The stride has no meaning if there is only one element, or no element.
  const auto stride = [&](py::ssize_t axis, py::ssize_t packed) {
    return empty || array.shape(axis) == 1 ? packed : array.strides(axis);
  };
  if (array.ndim() == 0) {
    set(1, 1, 1);
    return form;
  }
  if (array.ndim() == 1) {
    const py::ssize_t step = stride(0, size);
    if (step == size) {
      set(array.shape(0), 1, array.shape(0));
      return form;
    }
    // The array is a row of a matrix in Fortran order, or a column of one in C order.
    if (step < size || step % size != 0) refuse_layout(array, name);
    set(1, array.shape(0), step / size);
    return form;
  }
  if (array.ndim() == 3) {
    const auto found = find_volume(array);
    if (!found) refuse_layout(array, name);
    const VolumeShape& shape = found->second;
    form.order = found->first;
    form.is_volume = true;
    set(shape.rows, shape.cols, shape.ld);
    form.layout.planes = shape.planes;
    form.layout.plane_stride = shape.plane_stride;
    return form;
  }
  const bool c_contiguous = (array.flags() & py::array::c_style) != 0;
  const bool f_contiguous = (array.flags() & py::array::f_style) != 0;
  if (array.ndim() > 2) {
    if (!c_contiguous && !f_contiguous) refuse_layout(array, name);
    form.order = c_contiguous ? ArrayOrder::c : ArrayOrder::fortran;
    set(array.size(), 1, array.size());
    return form;
  }
  const py::ssize_t rows = array.shape(0);
  const py::ssize_t cols = array.shape(1);
  const auto fits = [&](py::ssize_t inner, py::ssize_t outer, py::ssize_t count) {
    return inner == size && outer % size == 0 && outer >= count * size;
  };
  if (fits(stride(0, size), stride(1, rows * size), rows) && (f_contiguous || !c_contiguous)) {
    form.order = c_contiguous ? ArrayOrder::any : ArrayOrder::fortran;
    set(rows, cols, stride(1, rows * size) / size);
  } else if (fits(stride(1, size), stride(0, cols * size), cols)) {
    form.order = ArrayOrder::c;
    set(cols, rows, stride(0, cols * size) / size);
  } else {
    refuse_layout(array, name);
  }
  return form;
}

py::array array_of(py::handle object) {
  if (py::isinstance<py::array>(object)) return py::reinterpret_borrow<py::array>(object);
  if (PyObject_CheckBuffer(object.ptr()) != 0 && !py::isinstance<py::bytes>(object)) {
    return py::module_::import("numpy").attr("asarray")(py::memoryview(py::reinterpret_borrow<py::object>(object)));
  }
  throw py::type_error(fmt::format(
      "data are numpy arrays or other objects with the buffer protocol that can be written, not {}: what a kernel "
      "changes could not be seen. Make an array of it first: numpy.array(...)",
      std::string(py::str(py::type::handle_of(object).attr("__name__")))));
}

py::array copy_of(const DataView& view, const ArrayForm& form, const py::dtype& dtype) {
  py::array copy(dtype, form.shape, form.packed_strides());
  copy_elements(view, {static_cast<std::byte*>(copy.mutable_data()), view.layout.packed()});
  return copy;
}

void copy_back(const py::array& copy, const DataView& view) {
  auto* const elements = static_cast<std::byte*>(const_cast<void*>(copy.data()));
  copy_elements({elements, view.layout.packed()}, view);
}

void forbid_writing(const py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

ArrayData::ArrayData(std::shared_ptr<RuntimeState> runtime, Handle handle, py::array array, ArrayForm form)
    : runtime_(std::move(runtime)),
      handle_(handle),
      array_(array),
      dtype_(array.dtype()),
      strides_(array.strides(), array.strides() + array.ndim()),
      form_(std::move(form)),
      address_(array.data()),
      writable_(array.writeable()) {}

ArrayData::~ArrayData() {
  if (whole == nullptr && !released_.load()) runtime_->drop(handle_, std::move(array_));
}

bool ArrayData::moved() const { return py::detail::array_proxy(array_.get().ptr())->data != address_; }

bool ArrayData::reshaped() const {
  const auto* const now = py::detail::array_proxy(array_.get().ptr());
  const auto dimensions = static_cast<std::size_t>(now->nd);
  if (dimensions != form_.shape.size() || !std::equal(form_.shape.begin(), form_.shape.end(), now->dimensions) ||
      !std::equal(strides_.begin(), strides_.end(), now->strides)) {
    return true;
  }
  // Different Python objects may describe the same dtype.
  return now->descr != dtype_.get().ptr() &&
         element_of(py::reinterpret_borrow<py::dtype>(now->descr)).tag != form_.layout.element_tag;
}

void ArrayData::require_unchanged(const std::string& what) const {
  if (moved()) {
    raise(ErrorCode::invalid_handle, what +
                                         ": its memory was freed or moved after it was registered: an array that tasks "
                                         "use must not be resized");
  }
  if (reshaped()) {
    raise(ErrorCode::invalid_handle, what +
                                         ": its shape, strides or dtype were changed after it was registered: release "
                                         "the data and register the array again, or work on a copy");
  }
}

bool ArrayData::released() const {
  const ArrayData* root = this;
  while (root->whole != nullptr) root = root->whole.get();
  // A release that waits for tasks does not concern their kernels.
  return root->released_.load() && !runtime_->declares_here(*this);
}

void ArrayData::release() {
  if (whole != nullptr) {
    throw py::value_error(description() + " is a part of " + whole->description() + ": release the whole");
  }
  // Set the flag first, so that other threads do not find the data while this thread waits for their last use.
  if (released_.exchange(true)) return;
  try {
    runtime_->release(handle_);
  } catch (...) {
    released_.store(false);
    throw;
  }
}

py::object ArrayData::array(bool writable) const {
  if (writable || !writable_) return py::reinterpret_borrow<py::object>(array_.get());
  if (!read_only_ || !look_alike(read_only_.get(), array_.get())) {
    py::array view = py::reinterpret_borrow<py::object>(array_.get()).attr("view")();
    forbid_writing(view);
    read_only_refers_ = view.base().ptr() == array_.get().ptr();
    read_only_ = KeptObject(std::move(view));
  }
  return py::reinterpret_borrow<py::object>(read_only_.get());
}

py::object ArrayData::as_registered(bool writable) const {
  py::array made(py::reinterpret_borrow<py::dtype>(dtype_.get()), form_.shape, strides_, address_, array_.get());
  if (!writable) forbid_writing(made);
  return made;
}

ArrayData::Argument ArrayData::argument_for(const DataView& view, bool writable) const {
  // The program may have reshaped the array after the task was submitted or recorded. The task's kernel gets the array
  // as it was registered.
  if (view.data == address_) return {reshaped() ? as_registered(writable) : array(writable)};
  if (const auto now = runtime_->rebound(view.data)) {
    const bool fits = now->form_.shape == form_.shape && now->form_.order == form_.order &&
                      now->form_.layout.element_tag == view.layout.element_tag && !now->released() &&
                      now->unchanged() && (now->writable_ || !writable);
    if (fits) return {now->array(writable)};
  }
  py::array made = copy_of(view, form_, py::reinterpret_borrow<py::dtype>(dtype_.get()));
  if (!writable) forbid_writing(made);
  return {std::move(made), true};
}

bool ArrayData::may_be_in_cycles() const {
  const py::handle array = array_.get();
  return array && PyObject_IS_GC(array.ptr()) != 0;
}

int ArrayData::traverse(visitproc visit, void* arg) const {
  PyObject* const array = array_.get().ptr();
  PyObject* const view = read_only_.get().ptr();
  Py_VISIT(array);
  Py_VISIT(view);
  // An array does not report the array that it is a view of. This object does so for a view that it alone owns.
  if (read_only_refers_ && view != nullptr && Py_REFCNT(view) == 1) Py_VISIT(array);
  return 0;
}

std::string ArrayData::description() const {
  if (!name.empty()) return "'" + name + "'";
  return "the array of shape " + text_of_shape(py::reinterpret_borrow<py::array>(array_.get()));
}

}  // namespace troupe::python
