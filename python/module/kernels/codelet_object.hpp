/// Codelets of Python programs: Python functions, C functions, and the kernels that come with Troupe.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "python/module/array_data.hpp"
#include "python/module/kernels/scalars.hpp"
#include "troupe/codelet.hpp"

namespace troupe::python {

/// The parameters of a Python function: the names of its arrays, and the further parameters.
struct PythonSignature {
  struct Parameter {
    std::string name;
    bool by_position = true;
    bool by_name = true;
    bool required = true;
  };
  /// The parameters for which arrays are passed.
  std::vector<std::string> arrays = {};
  std::vector<Parameter> further = {};
  /// `more_by_position` is true if the function takes any number of further arguments by `*rest`, `more_by_name` if it
  /// takes any number by `**rest`. Both are true for functions whose signature is unknown.
  bool more_by_position = false;
  bool more_by_name = false;
};

/// The object behind a `troupe.Codelet`.
struct CodeletObject {
  enum class Kind : std::uint8_t { python, c, built_in };

  Codelet codelet;
  Kind kind = Kind::python;
  /// The mode of each array, in order. If `repeats` is true, the last mode holds for any number of arrays.
  std::vector<AccessMode> modes = {};
  bool repeats = false;
  /// For a kernel in Python, its function and signature.
  pybind11::object function = {};
  PythonSignature signature = {};
  /// For other kernels, the types of the arguments by value, and the element types of the arrays if they are known.
  std::vector<ScalarType> scalars = {};
  std::vector<std::uint64_t> element_tags = {};
  /// For a C function, three masks with a bit for each array. The bit is set if the function gets the array's "ld" (the
  /// leading dimension), "row_stride" or "col_stride", respectively.
  std::uint32_t takes_ld = 0;
  std::uint32_t takes_row_stride = 0;
  std::uint32_t takes_col_stride = 0;
  /// For a C function, a mask with a bit for each array. The bit is set if the function gets the array's rows, columns
  /// or distances between them. These numbers cannot describe an array of three dimensions.
  std::uint32_t knows_matrix = 0;
  /// The order that a C function expects of arrays with several dimensions. Arrays of which the function gets both
  /// strides may have any order. If the value is `any`, all other arrays must have the order of the first of them.
  ArrayOrder order = ArrayOrder::c;
  /// True if the last two arguments by value are the masks of `CArrayOrders` (c_arrays.hpp).
  bool tells_order = false;

  /// Returns true if the C function gets both strides of the array, and so knows its order.
  [[nodiscard]] bool knows_order(std::size_t array) const {
    return array < 32 && (takes_row_stride >> array & takes_col_stride >> array & 1U) != 0;
  }
  [[nodiscard]] const std::string& name() const { return codelet.definition().known_name(); }
};

/// Returns the mode for "read", "write", "rw" ("read_write"), "commute", "reduce". Throws `ValueError` for any other
/// word.
[[nodiscard]] AccessMode mode_of(const std::string& word);

/// Makes a codelet from a Python function: see `codelet` in troupe/codelets.py.
[[nodiscard]] std::unique_ptr<CodeletObject> make_python_codelet(pybind11::object function, std::string name,
                                                                 const std::vector<std::string>& modes,
                                                                 PythonSignature signature);
/// Makes a codelet from a C function: see `c_codelet` in troupe/codelets.py.
[[nodiscard]] std::unique_ptr<CodeletObject> make_c_codelet(std::uintptr_t address, std::string name,
                                                            const std::vector<std::string>& parameters,
                                                            const std::string& returns, const std::string& order,
                                                            pybind11::object keep);
/// Runs a task of a kernel in Python. The task's cell is the only argument by value.
void run_python_kernel(const KernelContext& context);

/// Submits a call, with the arguments of `Codelet.__call__`. Returns a future.
[[nodiscard]] pybind11::object submit_call(CodeletObject& codelet, PyObject* const* arguments, std::size_t count,
                                           PyObject* keywords, class RuntimeState* runtime);

}  // namespace troupe::python
