/// Kernels that are C functions, given by address. Workers call them without the interpreter's lock.
#include <ffi.h>
#include <fmt/format.h>

#include <array>
#include <complex>
#include <map>
#include <memory>

#include "python/module/array_data.hpp"
#include "python/module/errors.hpp"
#include "python/module/gil.hpp"
#include "python/module/kernels/c_arrays.hpp"
#include "python/module/kernels/codelet_object.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// The value that is passed for one parameter of the function.
struct CParameter {
  enum class What : std::uint8_t {
    pointer,
    size,
    rows,
    cols,
    ld,
    row_stride,
    col_stride,
    scalar,
  };
  What what = What::scalar;
  /// An index into the task's arguments by value if `what` is `scalar`, otherwise into its arrays.
  std::uint32_t index = 0;
};

ffi_type* ffi_type_of(ScalarType type) {
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::uint8: return &ffi_type_uint8;
    case ScalarType::int8: return &ffi_type_sint8;
    case ScalarType::int16: return &ffi_type_sint16;
    case ScalarType::int32: return &ffi_type_sint32;
    case ScalarType::int64: return &ffi_type_sint64;
    case ScalarType::uint16: return &ffi_type_uint16;
    case ScalarType::uint32: return &ffi_type_uint32;
    case ScalarType::uint64: return &ffi_type_uint64;
    case ScalarType::float32: return &ffi_type_float;
    case ScalarType::float64: break;
  }
  return &ffi_type_double;
}

class CFunction {
 public:
  CFunction(void (*function)(), const std::string& name, std::vector<CParameter> parameters,
            std::vector<ffi_type*> types, std::optional<std::size_t> orders, bool returns_status, py::object keep)
      : function_(function),
        parameters_(std::move(parameters)),
        types_(std::move(types)),
        orders_(orders),
        returns_status_(returns_status),
        keep_(std::move(keep)) {
    ffi_type* const result = returns_status ? &ffi_type_sint32 : &ffi_type_void;
    if (ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), result, types_.data()) !=
        FFI_OK) {
      raise(ErrorCode::invalid_argument, "codelet '" + name + "': no function of C can be called with these types");
    }
  }

  void operator()(const KernelContext& context) {
    std::array<std::int64_t, kMost> numbers;
    std::array<void*, kMost> pointers;
    std::array<void*, kMost> values;
    CArrayOrders orders;
    if (orders_) orders = {context.argument<std::uint32_t>(*orders_), context.argument<std::uint32_t>(*orders_ + 1)};
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const CParameter& parameter = parameters_[i];
      if (parameter.what == CParameter::What::scalar) {
        values[i] = const_cast<std::byte*>(context.argument_bytes(parameter.index));
        continue;
      }
      const DataView& view = context.data(parameter.index);
      const Layout& layout = view.layout;
      const bool transposed = (orders.transposed >> parameter.index & 1U) != 0;
      values[i] = &numbers[i];
      switch (parameter.what) {
        case CParameter::What::pointer:
          pointers[i] = view.data;
          values[i] = &pointers[i];
          break;
        case CParameter::What::size: numbers[i] = layout.elements(); break;
        case CParameter::What::rows: numbers[i] = transposed ? layout.cols : layout.rows; break;
        case CParameter::What::cols: numbers[i] = transposed ? layout.rows : layout.cols; break;
        case CParameter::What::ld: numbers[i] = leading_dimension(layout, orders, parameter.index); break;
        case CParameter::What::row_stride: numbers[i] = transposed ? layout.ld : 1; break;
        case CParameter::What::col_stride: numbers[i] = transposed ? 1 : layout.ld; break;
        case CParameter::What::scalar: break;
      }
    }
    ffi_arg status = 0;
    ffi_call(&interface_, function_, &status, values.data());
    if (returns_status_ && static_cast<std::int32_t>(status) != 0) {
      throw Error(ErrorCode::kernel_failed, fmt::format("it returned {}", static_cast<std::int32_t>(status)));
    }
  }

  static constexpr std::size_t kMost = 24;

 private:
  void (*function_)();
  std::vector<CParameter> parameters_;
  std::vector<ffi_type*> types_;
  /// The index of the argument by value that has the first mask of `CArrayOrders`. The second mask follows it.
  std::optional<std::size_t> orders_;
  bool returns_status_;
  ffi_cif interface_{};
  /// The object that keeps the function's code alive.
  KeptObject keep_;
};

/// Returns the words of a parameter: "read double*" consists of "read", "double" and "*".
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (c == ' ' || c == '*') {
      if (!word.empty() && word != "const") words.push_back(word);
      word.clear();
      if (c == '*') words.emplace_back("*");
    } else {
      word += c;
    }
  }
  return words;
}

[[noreturn]] void refuse_parameter(const std::string& codelet, const std::string& parameter, const std::string& why) {
  throw py::value_error(fmt::format(
      "codelet '{}': parameter '{}': {}. A parameter is an array with its mode (\"read double*\", \"write void*\"), "
      "something of the array before it (\"size\", \"rows\", \"cols\", \"ld\", \"row_stride\", \"col_stride\", each an "
      "int64), or a number (\"double\", "
      "\"int32\" ...)",
      codelet, parameter, why));
}

std::uint64_t pointee_tag(const std::string& codelet, const std::string& parameter, const std::string& word) {
  if (word == "void") return 0;
  if (const auto scalar = scalar_named(word)) return argument_type_of(*scalar).tag;
  if (word == "complex64") return type_tag<std::complex<float>>();
  if (word == "complex128") return type_tag<std::complex<double>>();
  refuse_parameter(codelet, parameter, "'" + word + "' is no element type");
}

ArrayOrder order_of(const std::string& codelet, const std::string& word) {
  if (word == "C") return ArrayOrder::c;
  if (word == "F") return ArrayOrder::fortran;
  if (word == "any") return ArrayOrder::any;
  throw py::value_error("codelet '" + codelet + "': order is 'C', 'F' or 'any', not '" + word + "'");
}

}  // namespace

std::unique_ptr<CodeletObject> make_c_codelet(std::uintptr_t address, std::string name,
                                              const std::vector<std::string>& texts, const std::string& returns,
                                              const std::string& order, py::object keep) {
  const ArrayOrder takes = order_of(name, order);
  if (address == 0) throw py::value_error("codelet '" + name + "': the function is a null pointer");
  if (returns != "void" && returns != "int") {
    throw py::value_error("codelet '" + name + "': a kernel returns void, or an int that is not 0 where it failed");
  }
  if (texts.size() > CFunction::kMost) {
    throw py::value_error(
        fmt::format("codelet '{}': a kernel of C takes {} parameters at most", name, CFunction::kMost));
  }
  std::vector<AccessMode> modes;
  std::vector<std::uint64_t> tags;
  std::vector<ScalarType> scalars;
  std::vector<CParameter> parameters;
  std::vector<ffi_type*> types;
  bool tells_order = false;
  std::uint32_t knows_matrix = 0;
  std::uint32_t takes_ld = 0;
  std::uint32_t takes_row_stride = 0;
  std::uint32_t takes_col_stride = 0;
  for (const std::string& text : texts) {
    const std::vector<std::string> words = words_of(text);
    using What = CParameter::What;
    if (words.size() == 3 && words[2] == "*") {
      if (!scalars.empty()) refuse_parameter(name, text, "numbers come after all arrays");
      tags.push_back(pointee_tag(name, text, words[1]));
      parameters.push_back({What::pointer, static_cast<std::uint32_t>(modes.size())});
      modes.push_back(mode_of(words[0]));
      types.push_back(&ffi_type_pointer);
      continue;
    }
    if (words.size() == 2 && words[1] == "*") refuse_parameter(name, text, "its mode is missing: read, write, rw ...");
    if (words.size() != 1) refuse_parameter(name, text, "it cannot be understood");
    const std::string& word = words[0];
    static const std::map<std::string, What> of_array{{"size", What::size},
                                                      {"rows", What::rows},
                                                      {"cols", What::cols},
                                                      {"ld", What::ld},
                                                      {"row_stride", What::row_stride},
                                                      {"col_stride", What::col_stride}};
    if (const auto found = of_array.find(word); found != of_array.end()) {
      if (modes.empty()) refuse_parameter(name, text, "no array comes before it");
      if (modes.size() > 32) refuse_parameter(name, text, "of the first 32 arrays only");
      tells_order = tells_order || word != "size";
      const std::uint32_t array = 1U << (modes.size() - 1);
      if (word != "size") knows_matrix |= array;
      if (word == "ld") takes_ld |= array;
      if (word == "row_stride") takes_row_stride |= array;
      if (word == "col_stride") takes_col_stride |= array;
      parameters.push_back({found->second, static_cast<std::uint32_t>(modes.size() - 1)});
      types.push_back(&ffi_type_sint64);
      continue;
    }
    const auto scalar = scalar_named(word);
    if (!scalar) refuse_parameter(name, text, "'" + word + "' is no type");
    parameters.push_back({What::scalar, static_cast<std::uint32_t>(scalars.size())});
    scalars.push_back(*scalar);
    types.push_back(ffi_type_of(*scalar));
  }
  if (modes.empty()) throw py::value_error("codelet '" + name + "': a kernel takes at least one array");
  Codelet codelet(name, modes);
  std::vector<ArgumentType> argument_types;
  for (const ScalarType scalar : scalars) argument_types.push_back(argument_type_of(scalar));
  std::optional<std::size_t> orders;
  if (tells_order) {
    orders = scalars.size();
    argument_types.insert(argument_types.end(), 2, argument_type_of(ScalarType::uint32));
  }
  codelet.takes(std::move(argument_types));
  codelet.cpu([function = std::make_shared<CFunction>(
                   reinterpret_cast<void (*)()>(address), name, std::move(parameters), std::move(types), orders,
                   returns == "int", std::move(keep))](const KernelContext& context) { (*function)(context); });
  return std::make_unique<CodeletObject>(CodeletObject{.codelet = std::move(codelet),
                                                       .kind = CodeletObject::Kind::c,
                                                       .modes = std::move(modes),
                                                       .scalars = std::move(scalars),
                                                       .element_tags = std::move(tags),
                                                       .takes_ld = takes_ld,
                                                       .takes_row_stride = takes_row_stride,
                                                       .takes_col_stride = takes_col_stride,
                                                       .knows_matrix = knows_matrix,
                                                       .order = takes,
                                                       .tells_order = tells_order});
}

}  // namespace troupe::python
