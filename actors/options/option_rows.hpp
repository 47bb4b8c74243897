/// Rows of the table of options: each function makes a row for one kind of value.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"

namespace troupe::option_rows {

/// All doors (ways to set an option); most options can be set through all of them.
constexpr unsigned kEverywhere = static_cast<unsigned>(OptionDoor::environment) |
                                 static_cast<unsigned>(OptionDoor::command) |
                                 static_cast<unsigned>(OptionDoor::service) | static_cast<unsigned>(OptionDoor::c);
constexpr unsigned without(OptionDoor door, unsigned doors = kEverywhere) {
  return doors & ~static_cast<unsigned>(door);
}

/// The largest number that an option can have.
constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

/// The fields of a row that options of all kinds have.
struct Names {
  std::string_view field;
  std::string_view word;
  OptionGroup group;
  std::string_view meaning;
  unsigned doors = kEverywhere;
};

constexpr RuntimeOption row(OptionKind kind, const Names& names) {
  RuntimeOption option;
  option.field = names.field;
  option.word = names.word;
  option.kind = kind;
  option.group = names.group;
  option.meaning = names.meaning;
  option.doors = names.doors;
  return option;
}

/// Returns the nested field of the options to which `Members` lead: `at<&RuntimeOptions::threads,
/// &ThreadOptions::spin>(options)`.
template <auto Member, auto... Inner>
constexpr auto& at(auto& options) {
  if constexpr (sizeof...(Inner) == 0) {
    return options.*Member;
  } else {
    return at<Inner...>(options.*Member);
  }
}

/// Stores the value of `read`, or returns its failure.
template <class T, class Member>
Result<void> store(Result<T> read, Member& member) {
  if (!read) return read.failure();
  member = static_cast<Member>(std::move(read).value());
  return {};
}

/// A function that checks the text of an option's value. Its failure says what is wrong with the text.
using Check = Result<void> (*)(const std::string& text);

template <auto... Members>
constexpr RuntimeOption flag(const Names& names) {
  RuntimeOption option = row(OptionKind::flag, names);
  option.examples = "true false";
  option.read = [](const RuntimeOption&, RuntimeOptions& options, const std::string& text) {
    return store(read_switch(text), at<Members...>(options));
  };
  option.text = [](const RuntimeOptions& options) { return text_of(at<Members...>(options)); };
  return option;
}

template <auto... Members>
constexpr RuntimeOption whole(const Names& names, std::uint64_t least, std::uint64_t most) {
  RuntimeOption option = row(OptionKind::whole, names);
  option.least = least;
  option.most = most;
  option.read = [](const RuntimeOption& self, RuntimeOptions& options, const std::string& text) {
    return store(read_whole(text, self.least, self.most), at<Members...>(options));
  };
  option.text = [](const RuntimeOptions& options) { return std::to_string(at<Members...>(options)); };
  return option;
}

template <auto... Members>
constexpr RuntimeOption bytes(const Names& names, std::string_view examples) {
  RuntimeOption option = row(OptionKind::bytes, names);
  option.examples = examples;
  option.read = [](const RuntimeOption&, RuntimeOptions& options, const std::string& text) -> Result<void> {
    if (!text.empty()) return store(read_bytes(text), at<Members...>(options));
    at<Members...>(options).reset();
    return {};
  };
  option.text = [](const RuntimeOptions& options) {
    return at<Members...>(options) ? text_of(*at<Members...>(options)) : std::string();
  };
  return option;
}

template <auto... Members>
constexpr RuntimeOption time(const Names& names, std::string_view examples) {
  RuntimeOption option = row(OptionKind::time, names);
  option.examples = examples;
  option.read = [](const RuntimeOption&, RuntimeOptions& options, const std::string& text) {
    return store(read_time(text), at<Members...>(options));
  };
  option.text = [](const RuntimeOptions& options) { return text_of(at<Members...>(options)); };
  return option;
}

/// Makes an option that is a text. `check` is not called for an empty text if the default is empty.
template <Check check, auto... Members>
constexpr RuntimeOption text(const Names& names, std::string_view examples, OptionKind kind = OptionKind::text) {
  RuntimeOption option = row(kind, names);
  option.examples = examples;
  option.read = [](const RuntimeOption& self, RuntimeOptions& options, const std::string& given) -> Result<void> {
    if (!given.empty() || !self.default_text().empty()) {
      if (Result<void> usable = check(given); !usable) return usable;
    }
    at<Members...>(options) = given;
    return {};
  };
  option.text = [](const RuntimeOptions& options) { return at<Members...>(options); };
  return option;
}

/// Makes an option that is one of the words in `examples`.
template <auto... Members>
constexpr RuntimeOption word(const Names& names, std::string_view examples) {
  RuntimeOption option = row(OptionKind::word, names);
  option.examples = examples;
  option.read = [](const RuntimeOption& self, RuntimeOptions& options, const std::string& text) {
    return store(read_word(text, self.example_list()), at<Members...>(options));
  };
  option.text = [](const RuntimeOptions& options) { return at<Members...>(options); };
  return option;
}

/// These functions set fields that only few options use.
constexpr RuntimeOption on_page(RuntimeOption option, std::string_view page) {
  option.page = page;
  return option;
}
constexpr RuntimeOption watching(RuntimeOption option) {
  option.watches = true;
  return option;
}
constexpr RuntimeOption usually(RuntimeOption option, std::string_view usual) {
  option.usual = usual;
  return option;
}

}  // namespace troupe::option_rows
