/// Functions of a program in LLVM's textual intermediate code, as far as accesses to memory are to be told from them.
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
    local,   ///< what an instruction or a parameter is called
    global,  ///< a variable of the program, or a place in it
    number,
    none,  ///< null, or whatever the compiler likes
    other,
  };
  Kind kind = Kind::other;
  CodeTypeId type = 0;
  std::string_view name;
  std::int64_t number = 0;
};

/// What is said of a function's effects on memory. `pure`: neither loads nor stores.
struct CodeEffects {
  bool pure = false;
  bool only_reads = false;
};

struct CodeInstruction {
  /// As the code calls it: `add`, `getelementptr`. Empty where it was not understood. `other`: it only computes a
  /// result; `atomic`: on what it mentions. `operands` are all that these mention.
  std::string_view operation;
  /// Empty where there is none.
  std::string_view result;
  /// Of the result; of what a store stores.
  CodeTypeId type = 0;
  std::vector<CodeOperand> operands;
  /// Of `getelementptr`: what the pointer points to.
  CodeTypeId element = 0;
  /// Of `icmp`: the relation.
  std::string_view relation;
  /// Of a call; empty where it is to be computed.
  std::string_view callee;
  CodeEffects effects;
  /// Of branches: where they may go. The first of a conditional one is for true.
  std::vector<std::string_view> labels;
  /// Other than plain: volatile or atomic.
  bool is_special = false;
};

struct CodeBlock {
  /// Empty: the first one.
  std::string_view label;
  std::vector<CodeInstruction> instructions;
};

struct CodeParameter {
  std::string_view name;
  CodeTypeId type = 0;
  /// Nothing is written, or read, through it, nor through what is computed from it.
  bool never_written = false;
  bool never_read = false;
  /// A pointer to the item's own copy of a value.
  bool by_value = false;
};

struct CodeFunction {
  std::string_view name;
  bool is_kernel = false;
  std::vector<CodeParameter> parameters;
  /// The number of the kernel's arguments as the source has them; nothing where it is not told.
  std::optional<std::size_t> argument_count;
  std::vector<CodeBlock> blocks;
};

/// Views of a text that outlives this. Throws CodeNotUnderstood where the whole is not what a compiler writes for
/// spir64.
class CodeModule {
 public:
  explicit CodeModule(std::string_view text);

  [[nodiscard]] const CodeTypes& types() const { return types_; }
  [[nodiscard]] const std::vector<CodeFunction>& functions() const { return functions_; }
  /// With a body; null where there is none.
  [[nodiscard]] const CodeFunction* function(std::string_view name) const;
  /// 99 where it is not known.
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
  /// By the numbers of groups of attributes; of functions without a body their group.
  std::map<std::string_view, CodeEffects> attributes_;
  std::map<std::string_view, std::string_view> declarations_;
  /// Of calls, in the order of the instructions; of functions the number of the list of their arguments.
  std::map<std::string_view, std::size_t> list_lengths_;
  std::map<std::string_view, std::string_view> list_of_function_;
  bool is_spir64_ = false;
};

/// One instruction; `attributes` becomes the number of a call's group of attributes, empty where there is none. Never
/// throws for what it does not know.
[[nodiscard]] CodeInstruction read_instruction(std::string_view text, CodeTypes& types, std::string_view& attributes);

/// A parameter, from the front: type, what is said of it, name.
[[nodiscard]] CodeParameter read_parameter(CodeTokens& tokens, CodeTypes& types);

}  // namespace troupe::opencl
