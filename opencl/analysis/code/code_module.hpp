/// Functions of a program in LLVM's textual intermediate code, in as much detail as the search for their memory
/// accesses needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "opencl/analysis/code/code_types.hpp"

namespace troupe::opencl {

struct CodeOperand {
  enum class Kind : std::uint8_t {
    local,   ///< The name of a result or of a parameter.
    global,  ///< A variable of the program, or an address inside the variable.
    number,
    none,  ///< Null or zeros, or an undefined value (`undef`, `poison`).
    other,
  };
  Kind kind = Kind::other;
  CodeTypeId type = 0;
  std::string_view name;
  std::int64_t number = 0;
};

/// The known effects of a function on memory. A `pure` function neither loads nor stores.
struct CodeEffects {
  bool pure = false;
  bool only_reads = false;
};

struct CodeInstruction {
  /// The operation's name in the code: `add`, `getelementptr`. Empty if the instruction was not understood. `other`
  /// stands for any operation that only computes a result, `atomic` for an atomic operation on the operands. In these
  /// two cases, `operands` are all names in the instruction.
  std::string_view operation;
  /// The name of the result; empty if there is none.
  std::string_view result;
  /// The type of the result, or of the value that a store stores.
  CodeTypeId type = 0;
  std::vector<CodeOperand> operands;
  /// For `getelementptr`, the type that the pointer points to.
  CodeTypeId element = 0;
  /// For `icmp`, the relation that is tested, such as `slt`.
  std::string_view relation;
  /// For a call, the name of the function; empty if the code calls a computed address.
  std::string_view callee;
  CodeEffects effects;
  /// For branches, the blocks that the branch may go to. A conditional branch goes to the first block if its condition
  /// is true.
  std::vector<std::string_view> labels;
  /// True for a volatile or atomic access.
  bool is_special = false;
};

struct CodeBlock {
  /// The block's label; empty for the first block.
  std::string_view label;
  std::vector<CodeInstruction> instructions;
};

struct CodeParameter {
  std::string_view name;
  CodeTypeId type = 0;
  /// `never_written` is true if nothing is written through the parameter or through a pointer that is computed from it;
  /// `never_read` is true if nothing is read in this way.
  bool never_written = false;
  bool never_read = false;
  /// True if the parameter is a pointer to the item's own copy of a value.
  bool by_value = false;
};

struct CodeFunction {
  std::string_view name;
  bool is_kernel = false;
  std::vector<CodeParameter> parameters;
  /// The number of the kernel's arguments in the source; nothing if the code does not state this number.
  std::optional<std::size_t> argument_count;
  std::vector<CodeBlock> blocks;
};

/// The functions of a program. The object keeps views of `text`, which must outlive it. Throws CodeNotUnderstood if the
/// text is not the complete output of a compiler for spir64.
class CodeModule {
 public:
  explicit CodeModule(std::string_view text);

  [[nodiscard]] const CodeTypes& types() const { return types_; }
  [[nodiscard]] const std::vector<CodeFunction>& functions() const { return functions_; }
  /// Returns the function with this name that has a body; null if there is none.
  [[nodiscard]] const CodeFunction* function(std::string_view name) const;
  /// Returns the address space of a variable; 99 if it is not known.
  [[nodiscard]] unsigned address_space_of(std::string_view variable) const;

 private:
  void read_line(std::string_view line);
  void read_variable(std::string_view line);
  void read_function(std::string_view header, std::string_view& rest);
  void read_body(CodeFunction& function, std::string_view& rest);
  void read_metadata(std::string_view line);
  void read_attributes(std::string_view line);
  void read_declaration(std::string_view line);
  void finish();

  CodeTypes types_;
  std::vector<CodeFunction> functions_;
  std::map<std::string_view, unsigned> variables_;
  /// `attributes_` maps the number of an attribute group to the group's effects. `declarations_` maps a function's name
  /// to the number of the function's group.
  std::map<std::string_view, CodeEffects> attributes_;
  std::map<std::string_view, std::string_view> declarations_;
  /// `list_lengths_` maps the number of a metadata list to the list's length. `list_of_function_` maps a function's
  /// name to the number of the list of its arguments.
  std::map<std::string_view, std::size_t> list_lengths_;
  std::map<std::string_view, std::string_view> list_of_function_;
  bool is_spir64_ = false;
};

/// Reads one instruction; `attributes` becomes the number of a call's group of attributes, empty if there is none. Does
/// not throw if the instruction is unknown.
[[nodiscard]] CodeInstruction read_instruction(std::string_view text, CodeTypes& types, std::string_view& attributes);

/// Reads a parameter from the front of the tokens: type, attributes, name.
[[nodiscard]] CodeParameter read_parameter(CodeTokens& tokens, CodeTypes& types);

}  // namespace troupe::opencl
