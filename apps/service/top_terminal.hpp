/// A terminal that shows whole screens of lines, by ncurses.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/service/top_screen.hpp"
#include "troupe/units.hpp"

namespace troupe::apps {

enum class TopKey { none, quit, order, up, down, page_up, page_down, first, last, resized };

/// The terminal; there may be one object at a time in a process. The destructor restores it, so a program that catches
/// signals must not end before that.
class TopTerminal {
 public:
  /// Takes over the terminal of standard input and output. Throws `Error` if there is no usable one.
  TopTerminal();
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;
  ~TopTerminal();

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t height() const;
  void show(const std::vector<TopLine>& lines);
  /// Waits for a key, at most for `most`, and no longer than until the descriptor `other` can be read.
  TopKey key(Duration most, int other);

 private:
  void* screen_;
};

}  // namespace troupe::apps
