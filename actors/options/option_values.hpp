/// Values of a runtime's options as people write them: on the command line, in the environment, in the service's
/// configuration. Each parser fails with `invalid_argument` and a sentence that quotes the wrong text, says what is
/// wrong and describes the possible texts: "'2000' is too large: give a whole number from 0 to 1024".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe {

/// Reads a whole number, written with digits or like 1e4 or 1.5e3.
[[nodiscard]] Result<std::uint64_t> read_whole(std::string_view text, std::uint64_t least, std::uint64_t most);
[[nodiscard]] Result<double> read_real(std::string_view text, double least, double most);
/// Reads the words true, yes, on and 1 as true, and false, no, off and 0 as false, in capital or small letters.
[[nodiscard]] Result<bool> read_switch(std::string_view text);
/// Reads one of `words`. The failure suggests the word that was probably meant.
[[nodiscard]] Result<std::string> read_word(std::string_view text, std::span<const std::string> words);
/// Reads an amount of memory above zero: "512MiB", "8GB".
[[nodiscard]] Result<Bytes> read_bytes(std::string_view text);
/// Reads a time of at most 1e9 seconds: "50us", "500ms", "0s".
[[nodiscard]] Result<Duration> read_time(std::string_view text);

/// Parses a number that is not negative, followed by a unit (ns, us, ms, s, m or h). Returns nothing for any other
/// text, and for more than 1e9 seconds.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// These functions return a text from which the functions above read the same value: "64GiB", "250ms".
[[nodiscard]] std::string text_of(bool on);
[[nodiscard]] std::string text_of(double number);
[[nodiscard]] std::string text_of(Bytes bytes);
[[nodiscard]] std::string text_of(Duration time);

/// Returns the folder that a value of `PlacementOptions::models` means: "default" is the folder in the user's cache
/// (empty if there is none), "none" and an empty text mean no folder; other words are paths.
[[nodiscard]] std::string model_folder_of(const std::string& word);

}  // namespace troupe
