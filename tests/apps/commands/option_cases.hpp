/// The form of the cases that show that an option has an effect.
#pragma once

#include <string>

namespace troupe::tests {

/// A case for one option of one command. In the command lines, '@' stands for a temporary folder, and '%' for the
/// folder with the sockets of a running service.
struct OptionCase {
  /// The option, such as "--n", or the name of an argument.
  std::string option;
  /// The command line of the first run, without the option.
  std::string without;
  /// The command line of the second run, with the option. A text "+ ..." is appended to `without`.
  std::string with;
  /// The difference that there must be between the two runs:
  ///
  /// - "/pointer": this value of the printed JSON, or the length of this list;
  /// - "file NAME": the second run has written this file or folder;
  /// - "errors TEXT": the second run has written this text to standard error;
  /// - "output": the texts on standard output differ;
  /// - "refused TEXT": the option is refused (exit code 2), with a message that contains this text;
  /// - "unreachable": no service answers (exit code 1);
  /// - "test FILE": no runs here; this test below tests/ checks the option, which needs a terminal or takes minutes.
  std::string differs;
};

}  // namespace troupe::tests
