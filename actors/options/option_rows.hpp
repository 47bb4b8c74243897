/// Rows of the table of options: each function makes a row for one kind of value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"

namespace troupe::option_rows {

/// The doors of most options: all doors. A door is a way to set an option.
constexpr unsigned kEverywhere = static_cast<unsigned>(OptionDoor::environment) |
                                 static_cast<unsigned>(OptionDoor::command) |
                                 static_cast<unsigned>(OptionDoor::service) | static_cast<unsigned>(OptionDoor::c);
constexpr unsigned without(OptionDoor door, unsigned doors = kEverywhere) {
  return doors & ~static_cast<unsigned>(door);
}

/// The largest number that an option can have.
constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

/// The fields that a row has for every kind of option.
struct Names {
  std::string_view field = {};
  std::string_view word = {};
  OptionGroup group = OptionGroup::machine;
  std::string_view meaning = {};
  unsigned doors = kEverywhere;
};

/// Has `Options`, the struct in which the chain of member pointers `Members` begins.
template <auto... Members>
struct FieldAt;
template <class Struct, class Field, Field Struct::*member, auto... inner>
struct FieldAt<member, inner...> {
  using Options = Struct;
};

/// The type of an option's row. `Members` is the chain of member pointers that leads to the option's field.
template <auto... Members>
using RowAt = OptionOf<typename FieldAt<Members...>::Options>;

template <class Row>
constexpr Row row(OptionKind kind, const Names& names) {
  Row option;
  option.field = names.field;
  option.word = names.word;
  option.kind = kind;
  option.group = names.group;
  option.meaning = names.meaning;
  option.doors = names.doors;
  return option;
}

/// Returns the field to which the chain of member pointers leads: `at<&RuntimeOptions::threads,
/// &ThreadOptions::spin>(options)` returns `options.threads.spin`.
template <auto Member, auto... Inner>
constexpr auto& at(auto& options) {
  if constexpr (sizeof...(Inner) == 0) {
    return options.*Member;
  } else {
    return at<Inner...>(options.*Member);
  }
}

/// Stores the value of `read` in `member`, or returns the failure of `read`.
template <class T, class Member>
Result<void> store(Result<T> read, Member& member) {
  if (!read) return read.failure();
  member = static_cast<Member>(std::move(read).value());
  return {};
}

/// A function that checks the text of an option's value. The failure that it returns says what is wrong with the text.
using Check = Result<void> (*)(const std::string& text);

template <auto... Members>
constexpr auto flag(const Names& names) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(OptionKind::flag, names);
  option.examples = "true false";
  option.read = [](const Row&, auto& options, const std::string& text) {
    return store(read_switch(text), at<Members...>(options));
  };
  option.text = [](const auto& options) { return text_of(at<Members...>(options)); };
  return option;
}

template <auto... Members>
constexpr auto whole(const Names& names, std::uint64_t least, std::uint64_t most) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(OptionKind::whole, names);
  option.least = least;
  option.most = most;
  option.read = [](const Row& self, auto& options, const std::string& text) {
    return store(read_whole(text, self.least, self.most), at<Members...>(options));
  };
  option.text = [](const auto& options) { return std::to_string(at<Members...>(options)); };
  return option;
}

template <auto... Members>
constexpr auto number(const Names& names, double least, double most) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(OptionKind::number, names);
  option.least_number = least;
  option.most_number = most;
  option.read = [](const Row& self, auto& options, const std::string& text) {
    return store(read_real(text, self.least_number, self.most_number), at<Members...>(options));
  };
  option.text = [](const auto& options) { return text_of(at<Members...>(options)); };
  return option;
}

/// Makes an option that is an amount of memory. If the field is optional, an empty text means no amount.
template <auto... Members>
constexpr auto bytes(const Names& names, std::string_view examples) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(OptionKind::bytes, names);
  option.examples = examples;
  option.read = [](const Row&, auto& options, const std::string& text) -> Result<void> {
    auto& field = at<Members...>(options);
    if constexpr (!std::is_same_v<std::remove_reference_t<decltype(field)>, Bytes>) {
      if (text.empty()) {
        field.reset();
        return {};
      }
    }
    return store(read_bytes(text), field);
  };
  option.text = [](const auto& options) {
    const std::optional<Bytes> amount = at<Members...>(options);
    return amount ? text_of(*amount) : std::string();
  };
  return option;
}

template <auto... Members>
constexpr auto time(const Names& names, std::string_view examples) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(OptionKind::time, names);
  option.examples = examples;
  option.read = [](const Row&, auto& options, const std::string& text) {
    return store(read_time(text), at<Members...>(options));
  };
  option.text = [](const auto& options) { return text_of(at<Members...>(options)); };
  return option;
}

/// Makes an option that is a text. `check` is not called for an empty text if the default is empty.
template <Check check, auto... Members>
constexpr auto text(const Names& names, std::string_view examples, OptionKind kind = OptionKind::text) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(kind, names);
  option.examples = examples;
  option.read = [](const Row& self, auto& options, const std::string& given) -> Result<void> {
    if (!given.empty() || !self.default_text().empty()) {
      if (Result<void> usable = check(given); !usable) return usable;
    }
    at<Members...>(options) = given;
    return {};
  };
  option.text = [](const auto& options) { return at<Members...>(options); };
  return option;
}

/// Makes an option that is one of the words in `examples`. The field is a text or an enumeration. An enumeration's
/// values count from 0 in the order of the words, and `to_string` returns a value's word.
template <auto... Members>
constexpr auto word(const Names& names, std::string_view examples) {
  using Row = RowAt<Members...>;
  Row option = row<Row>(OptionKind::word, names);
  option.examples = examples;
  option.read = [](const Row& self, auto& options, const std::string& text) -> Result<void> {
    auto& field = at<Members...>(options);
    const std::vector<std::string> words = self.example_list();
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, std::string>) {
      return store(read_word(text, words), field);
    } else {
      const auto known = read_word(text, words);
      return known ? store(Result<std::ptrdiff_t>(std::ranges::find(words, text) - words.begin()), field)
                   : known.failure();
    }
  };
  option.text = [](const auto& options) -> std::string {
    const auto& field = at<Members...>(options);
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(field)>>) {
      return to_string(field);
    } else {
      return field;
    }
  };
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
constexpr RuntimeOption choosing_devices(RuntimeOption option) {
  option.chooses_devices = true;
  return option;
}
constexpr RuntimeOption usually(RuntimeOption option, std::string_view usual) {
  option.usual = usual;
  return option;
}

}  // namespace troupe::option_rows
