/// The cases that show that an option has an effect.
#pragma once

#include <string>

namespace troupe::tests {

/// One option of one command. In the command lines, '@' stands for a folder, and '%' for the folder of a running
/// service's sockets.
struct OptionCase {
  /// The option, such as "--n", or the name of an argument.
  std::string option;
  /// The command line without the option.
  std::string without;
  /// The command line with the option; "+ ..." is added to `without`.
  std::string with;
  /// The difference between the two runs:
  ///
  /// - "/pointer": this value of the printed JSON, or the length of this list;
  /// - "file NAME": the file or folder is there;
  /// - "errors TEXT": the text is on standard error;
  /// - "output": standard output;
  /// - "refused TEXT": the option is refused (exit code 2) with a message that has this text;
  /// - "unreachable": no service answers (exit code 1);
  /// - "test FILE": its effect needs a terminal or minutes; this test below tests/ checks it.
  std::string differs;
};

}  // namespace troupe::tests
