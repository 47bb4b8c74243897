/// Numpy arrays as data of a runtime, without copies.
///
/// A registration keeps its array alive, so that the memory exists as long as tasks may use it. An array in Fortran
/// order has the same memory layout as the runtime's matrices and volumes. An array in C order is the transpose of the
/// runtime's matrix: its last dimension has the runtime's rows. Arrays of more than three dimensions are one column.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "python/module/gil.hpp"
#include "troupe/handle.hpp"
#include "troupe/layout.hpp"

namespace troupe::python {

class RuntimeState;

/// The order of an array's elements in memory.
enum class ArrayOrder : std::uint8_t {
  /// Both orders are the same: scalars, and arrays of one dimension.
  any,
  c,
  fortran,
};

/// The properties of an array, from which an array of the same form can be made on other memory.
struct ArrayForm {
  std::vector<pybind11::ssize_t> shape;
  ArrayOrder order = ArrayOrder::any;
  /// The runtime's view of the array.
  Layout layout;
  /// True if the array has three dimensions and the runtime uses it as a volume.
  bool is_volume = false;

  /// Returns the strides in bytes of an array without gaps.
  [[nodiscard]] std::vector<pybind11::ssize_t> packed_strides() const;
  /// Returns true if memory between the array's elements may belong to other data.
  [[nodiscard]] bool has_gaps() const { return layout.elements() > 0 && !layout.contiguous(); }
};

/// An element type for the runtime. Types that C has get the same tags as in C++ kernels. The tags of other types, such
/// as structured types, are made from numpy's names for them. `element_of` throws `TypeError` for elements that are
/// Python objects.
struct Element {
  std::uint64_t tag = 0;
  std::uint32_t size = 0;
};
[[nodiscard]] Element element_of(const pybind11::dtype& dtype);

/// Returns the form of an array. Throws `ValueError` for arrays that are not contiguous; a stride between rows, or
/// between columns, or between planes, is allowed. `name` is for the message, and may be empty.
[[nodiscard]] ArrayForm form_of(const pybind11::array& array, const std::string& name);

/// Returns `object` if it is an array, or an array on the same memory if it has the buffer protocol. Throws `TypeError`
/// for all other objects, because the elements are never copied.
[[nodiscard]] pybind11::array array_of(pybind11::handle object);

/// One registration, or a part of a registration. The Python object, waiting tasks and recordings share this object;
/// any thread may drop its reference. When the last reference is dropped, the registration ends as soon as the last
/// task on the data has ended.
class ArrayData {
 public:
  ArrayData(std::shared_ptr<RuntimeState> runtime, Handle handle, pybind11::array array, ArrayForm form);
  ~ArrayData();
  ArrayData(const ArrayData&) = delete;
  ArrayData& operator=(const ArrayData&) = delete;

  [[nodiscard]] const std::shared_ptr<RuntimeState>& runtime() const { return runtime_; }
  [[nodiscard]] const Handle& handle() const { return handle_; }
  [[nodiscard]] const ArrayForm& form() const { return form_; }
  [[nodiscard]] bool writable() const { return writable_; }
  [[nodiscard]] bool released() const;
  /// The address at which the array was registered.
  [[nodiscard]] const void* address() const { return address_; }
  /// Returns true if the array's memory is no longer at the registered address.
  [[nodiscard]] bool moved() const;
  /// Returns true if the array's shape, strides or dtype are not those that were registered: the program has assigned
  /// them since, as in `a.shape = (3, 2)`.
  [[nodiscard]] bool reshaped() const;
  [[nodiscard]] bool unchanged() const { return !moved() && !reshaped(); }
  /// Throws `InvalidHandle` if the array was moved or reshaped. `what` begins the message.
  void require_unchanged(const std::string& what) const;
  /// Waits for the last use of the data, and ends the registration.
  void release();

  /// Returns the array itself, or an array on the same memory that cannot be written. Requires the interpreter's lock.
  [[nodiscard]] pybind11::object array(bool writable) const;
  /// The array that a kernel gets. It is the registered array itself if `view` describes the memory of that array. In a
  /// run of a recording with other data, it is the array of these data. Otherwise it is a copy of `view`.
  struct Argument {
    pybind11::object array;
    bool copied = false;
  };
  [[nodiscard]] Argument argument_for(const DataView& view, bool writable) const;
  /// Returns how many references to the registered array this object holds.
  [[nodiscard]] pybind11::ssize_t own_references() const { return read_only_refers_ ? 2 : 1; }

  /// Reports the references of this object to Python's garbage collector. The caller must be the only owner of this
  /// object: a reference of several owners would be counted more than once.
  int traverse(visitproc visit, void* arg) const;
  /// Returns true if the collector could find a cycle through this object: if its array is of a class with attributes.
  [[nodiscard]] bool may_be_in_cycles() const;

  /// Returns a text for messages: "'x'" or "an array of shape (3, 4)".
  [[nodiscard]] std::string description() const;

  /// The data that this part belongs to; null if this object is not a part.
  std::shared_ptr<ArrayData> whole;
  std::string name;
  /// For a halo part, the index that selects the block without its rim in the part; otherwise empty.
  KeptObject inside;

 private:
  /// Returns an array on the same memory with the registered shape, strides and dtype.
  [[nodiscard]] pybind11::object as_registered(bool writable) const;

  std::shared_ptr<RuntimeState> runtime_;
  Handle handle_;
  KeptObject array_;
  /// The dtype and the strides in bytes that were registered. The shape is in `form_`.
  KeptObject dtype_;
  std::vector<pybind11::ssize_t> strides_;
  /// A read-only array on the same memory, made when it is first needed, and again when the program has reshaped the
  /// array.
  mutable KeptObject read_only_;
  /// True if `read_only_` refers to `array_`. If `array_` is a view itself, both refer to the owner of the memory.
  mutable bool read_only_refers_ = false;
  ArrayForm form_;
  const void* address_;
  bool writable_;
  std::atomic<bool> released_{false};
};

// The memory of partial results of reductions may be freed while a program still has arrays and views on it. So
// functions in Python get copies of partial results.

/// Returns an array of this form with the view's elements.
[[nodiscard]] pybind11::array copy_of(const DataView& view, const ArrayForm& form, const pybind11::dtype& dtype);
/// Copies the elements of an array that `copy_of` made back into the view.
void copy_back(const pybind11::array& copy, const DataView& view);
/// Makes an array read-only.
void forbid_writing(const pybind11::array& array);

}  // namespace troupe::python
