/// Codelets of Python programs: functions of Python, of C, and the kernels that come with Troupe.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/codelets/codelet.hpp"
#include "python/module/array_data.hpp"
#include "python/module/kernels/scalars.hpp"

namespace troupe::python {

/// What a function of Python takes beside its arrays.
struct PythonSignature {
  struct Parameter {
    std::string name;
    bool by_position = true;
    bool by_name = true;
    bool required = true;
  };
  /// Parameters that arrays are passed for.
  std::vector<std::string> arrays = {};
  std::vector<Parameter> further = {};
  /// Any more of them: `*rest`, `**rest`. Of functions that do not tell both are true.
  bool more_by_position = false;
  bool more_by_name = false;
};

/// What stands behind a `troupe.Codelet`.
struct CodeletObject {
  enum class Kind : std::uint8_t { python, c, built_in };

  Codelet codelet;
  Kind kind = Kind::python;
  /// Per array, in order; of one that is variadic the last repeats.
  std::vector<AccessMode> modes = {};
  bool repeats = false;
  /// A kernel in Python, and what it takes.
  pybind11::object function = {};
  PythonSignature signature = {};
  /// Of kernels that are not in Python: what they take by value, and the arrays' element types where they are known.
  std::vector<ScalarType> scalars = {};
  std::vector<std::uint64_t> element_tags = {};
  /// Of a function of C, bit by bit: it is told how far the columns of this array lie apart.
  std::uint32_t knows_gaps = 0;
  /// The same: it is told the strides of both dimensions, and with them the order.
  std::uint32_t knows_order = 0;
  /// The order that a function of C takes the other arrays of several dimensions in; any: that of the first of them.
  ArrayOrder order = ArrayOrder::c;
  /// Its last argument by value says which arrays are in C order.
  bool tells_order = false;

  [[nodiscard]] const std::string& name() const { return codelet.definition().known_name(); }
};

/// "read", "write", "rw" ("read_write"), "commute", "reduce". Throws `ValueError` for another word.
[[nodiscard]] AccessMode mode_of(const std::string& word);

/// A kernel in Python: see `codelet` in troupe/codelets.py.
[[nodiscard]] std::unique_ptr<CodeletObject> make_python_codelet(pybind11::object function, std::string name,
                                                                 const std::vector<std::string>& modes,
                                                                 PythonSignature signature);
/// A function of C.
[[nodiscard]] std::unique_ptr<CodeletObject> make_c_codelet(std::uintptr_t address, std::string name,
                                                            const std::vector<std::string>& parameters,
                                                            const std::string& returns, const std::string& order,
                                                            pybind11::object keep);
/// Where a task of a kernel in Python finds its cell: the only argument by value.
void run_python_kernel(const KernelContext& context);

/// What a call submits, in the words of `Codelet.__call__`. Returns a future.
[[nodiscard]] pybind11::object submit_call(CodeletObject& codelet, PyObject* const* arguments, std::size_t count,
                                           PyObject* keywords, class RuntimeState* runtime);

}  // namespace troupe::python
