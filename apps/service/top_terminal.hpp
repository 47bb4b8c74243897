/// A terminal that shows whole screens of lines, by ncurses.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/service/top_screen.hpp"
#include "proto/units.hpp"

namespace troupe::apps {

enum class TopKey { none, quit, order, up, down, page_up, page_down, first, last, resized };

/// One at a time in a process. The terminal is as it was when the object is gone; who catches signals sees to it that
/// they end the program only then.
class TopTerminal {
 public:
  /// Takes over the terminal of standard input and output. Throws `Error` where there is none that could be used.
  TopTerminal();
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;
  ~TopTerminal();

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t height() const;
  void show(const std::vector<TopLine>& lines);
  /// Waits for a key, for so long at most, and no longer than until `other`, a descriptor, can be read.
  TopKey key(Duration most, int other);

 private:
  void* screen_;
};

}  // namespace troupe::apps
