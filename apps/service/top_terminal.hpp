/// A terminal that shows whole screens of lines, using ncurses.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/service/top_screen.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

enum class TopKey { none, quit, order, up, down, page_up, page_down, first, last, resized };

/// The terminal; a process may have only one object at a time. The destructor restores the terminal. A program that
/// catches signals must therefore not end before the destructor has run.
class TopTerminal {
 public:
  /// Takes control of the terminal of standard input and output. Throws `Error` if there is no usable terminal.
  TopTerminal();
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;
  ~TopTerminal();

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t height() const;
  void show(const std::vector<TopLine>& lines);
  /// Waits for a key, but not longer than `most`, and not after the descriptor `other` has become readable.
  TopKey key(Duration most, int other);

 private:
  void* screen_;
};

}  // namespace troupe::apps
