#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/reference/completion.hpp"

namespace troupe::apps {

namespace {

/// Returns the words to offer at a place where no value of an option is expected: commands, choices of arguments,
/// options.
std::string words_of(const CommandPage& page) {
  std::vector<std::string> words;
  for (const CommandPage& command : page.commands) words.push_back(command.last_name());
  for (const OptionEntry& argument : page.arguments) {
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string option_names(const CommandPage& page) {
  std::vector<std::string> names;
  for (const OptionEntry& option : page.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

bool takes_paths(const CommandPage& page) {
  for (const OptionEntry& argument : page.arguments) {
    if (argument.path) return true;
  }
  return false;
}

/// Returns the branches of the shell's `case` for one command's options that take values.
std::string value_cases(const CommandPage& page) {
  std::string text;
  for (const OptionEntry& option : page.options) {
    if (option.value.empty()) continue;
    std::string patterns;
    for (const std::string& name : option.names) {
      patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", page.name, name);
    }
    text += fmt::format("    {}) values='{}'; files={} ;;\n", patterns, fmt::join(option.choices, " "),
                        option.path ? 1 : 0);
  }
  return text;
}

constexpr const char* kHead =
    R"(# Completion of troupe's command line in bash. Written by the build from the options of the program.
# Adds the paths that begin so, which may have spaces.
_troupe_paths() {
  local found
  compopt -o filenames 2>/dev/null
  mapfile -t found < <(compgen -f -- "$1")
  COMPREPLY+=("${found[@]}")
}

_troupe() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev='' path=troupe words='' options='' values='' files=0 takes_files=0 i word
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}
  # --option=value comes as three words.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case "$path $word" in
)";

constexpr const char* kMiddle = R"(    esac
  done
  case "$path $prev" in
)";

constexpr const char* kAfterValues = R"(    *) prev='' ;;
  esac
  if [[ -n $prev ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
    if ((files)); then
      _troupe_paths "$cur"
    fi
    return 0
  fi
  case "$path" in
)";

constexpr const char* kEnd = R"(  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return 0
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if ((takes_files)); then
    _troupe_paths "$cur"
  fi
  return 0
}
complete -F _troupe troupe
)";

}  // namespace

std::string bash_completion(const CommandPage& whole) {
  std::string commands;
  std::string values;
  std::string words;
  for_each_page(whole, [&](const CommandPage& page) {
    for (const CommandPage& command : page.commands)
      commands += fmt::format("      '{0}') path='{0}' ;;\n", command.name);
    values += value_cases(page);
    words += fmt::format("    '{}') words='{}'; takes_files={}\n      options='{}' ;;\n", page.name, words_of(page),
                         takes_paths(page) ? 1 : 0, option_names(page));
  });
  return kHead + commands + kMiddle + values + kAfterValues + words + kEnd;
}

}  // namespace troupe::apps
