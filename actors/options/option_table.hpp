/// The one table of a runtime's options, and the table of a run in virtual time. A third table has rows of the same
/// type: the service's own keys. C++'s checks, the environment, the command line, the service's keys, the interface for
/// C, Python and the manual take names, ranges, defaults and texts from the table. docs/extending.md shows how to add
/// an option.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

/// The kinds of value.
enum class OptionKind : std::uint8_t {
  flag,
  whole,
  /// A number that may have a fraction.
  number,
  /// An amount of memory; an empty text means that no amount is set.
  bytes,
  time,
  text,
  /// One of the words that `RuntimeOption::examples` lists.
  word,
  path,
  /// A number of devices, or a specification that begins with such a number.
  devices,
};

/// The doors, which are the ways to set an option: the environment, a command, the service's configuration, the
/// interface for C. C++ and Python can set all options.
enum class OptionDoor : std::uint8_t { environment = 1, command = 2, service = 4, c = 8 };

/// The subjects of options. A command takes the options of some subjects.
enum class OptionGroup : std::uint8_t { machine, tasks, accelerators, observation };

/// The texts and the range of one option.
struct OptionRow {
  /// The path of the option's field inside `RuntimeOptions`: "accelerators.ahead.issue".
  std::string_view field;
  /// The name everywhere else, with `_` between words: "issue_ahead" makes TROUPE_ISSUE_AHEAD, --issue-ahead,
  /// runtime.issue_ahead, Python's keyword issue_ahead and "issue_ahead=2" in C.
  std::string_view word;
  OptionKind kind = OptionKind::text;
  OptionGroup group = OptionGroup::machine;
  /// The ways to set the option, as a sum of `OptionDoor`'s values.
  unsigned doors = 0;
  /// One line that says what the option is. The line begins with a small letter.
  std::string_view meaning;
  /// Examples of values, separated by blanks. The first example differs from the default.
  std::string_view examples = {};
  /// The page of the manual about the option, such as "clusters.md".
  std::string_view page = {};
  /// The range of an option: `least` and `most` for the kind `whole`, the other two for the kind `number`.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  double least_number = 0;
  double most_number = 0;
  /// True if the option only observes a run. The environment variable of such an option has an effect even in virtual
  /// time and with `deterministic`.
  bool watches = false;
  /// True if the option chooses accelerators: with any value but the default, the runtime has some.
  bool chooses_devices = false;
  /// The value that Troupe's own programs (`troupe run`, `troupe serve`) use in place of the default if the user gives
  /// no value; if empty, the programs use the default.
  std::string_view usual = {};

  [[nodiscard]] bool has(OptionDoor door) const { return (doors & static_cast<unsigned>(door)) != 0; }
  [[nodiscard]] std::vector<std::string> example_list() const;
  /// Returns the possible values, for people: "0 to 1024", "true or false", "2x10, socket or auto".
  [[nodiscard]] std::string values() const;

  /// The option's names: "TROUPE_LOOKAHEAD" in the environment, "--lookahead" in a command, "runtime.lookahead" in a
  /// service's configuration.
  [[nodiscard]] std::string variable() const;
  [[nodiscard]] std::string flag() const;
  [[nodiscard]] std::string key() const { return "runtime." + std::string(word); }
  /// Returns what Python accepts: "int", "float or str".
  [[nodiscard]] std::string_view python_type() const;
  /// Returns the help text: the meaning with a capital initial, then examples and the page of the manual.
  [[nodiscard]] std::string help() const;
};

/// An option whose field is in `Options` or in a struct inside `Options`. All doors except C++ give the option's value
/// as a text, which `read` checks.
template <class Options>
struct OptionOf : OptionRow {
  /// Sets the option from a text. Fails with a sentence that quotes the text and names the possible values. If the
  /// option's kind is `bytes`, `text`, `path` or `devices` and its default is empty, an empty text means the default.
  Result<void> (*read)(const OptionOf& option, Options& options, const std::string& text) = nullptr;
  /// Returns the option's value, as a text that `read` accepts.
  std::string (*text)(const Options& options) = nullptr;

  /// Returns the text of the default.
  [[nodiscard]] std::string default_text() const { return text(Options{}); }
  /// Returns true if the option has its default.
  [[nodiscard]] bool is_default(const Options& options) const { return text(options) == default_text(); }
  /// Sets the option. A failure's text begins with `name`, the option's name at the door: "--lookahead: '2000' is too
  /// large: …".
  [[nodiscard]] Result<void> set(Options& options, const std::string& given, const std::string& name) const {
    Result<void> set = read(*this, options, given);
    if (!set) return Failure{set.failure().code, name + ": " + set.failure().message};
    return set;
  }
};
using RuntimeOption = OptionOf<RuntimeOptions>;
/// An option of a run in virtual time. `troupe simulate`, C++ and Python set such options; C sets those that runtimes
/// have, too.
using SimulationOption = OptionOf<SimulationOptions>;

/// Returns all options, in the order in which all lists show them.
[[nodiscard]] std::span<const RuntimeOption> runtime_options();

/// Returns the option with this `word`, which may have `-` or `_` inside it; null if there is no such option.
[[nodiscard]] const RuntimeOption* option_of(std::string_view word);

/// Return the options of a run in virtual time: all, or the one with this word.
[[nodiscard]] std::span<const SimulationOption> simulation_options();
[[nodiscard]] const SimulationOption* simulation_option_of(std::string_view word);

/// Fails with `invalid_argument` if an option has a value that `OptionOf::set` would refuse. The message is that of
/// `set`, with the field as the name: "RuntimeOptions::accelerators.ahead.gpu: …". Fails too if a run in virtual time
/// is to take an option from `SimulationOptions`, and the program has set it in `RuntimeOptions`.
[[nodiscard]] Result<void> check_options(const RuntimeOptions& options);

}  // namespace troupe
