#include "apps/service/top_terminal.hpp"

#define NCURSES_NOMACROS 1  // NOLINT: functions, so that names of ours stay ours
#include <curses.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstring>

#include "troupe/errors.hpp"

namespace troupe::apps {

namespace {

/// Selects a UTF-8 locale, because otherwise ncurses does not write characters of several bytes.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
}

attr_t attributes(TopStyle style) {
  switch (style) {
    case TopStyle::plain: return A_NORMAL;
    case TopStyle::title: return A_BOLD;
    case TopStyle::quiet: return A_DIM;
    case TopStyle::good: return has_colors() ? COLOR_PAIR(1) : A_NORMAL;
    case TopStyle::bad: return A_BOLD | (has_colors() ? COLOR_PAIR(2) : A_NORMAL);
  }
  return A_NORMAL;
}

}  // namespace

TopTerminal::TopTerminal() {
  use_utf8();
  screen_ = ::newterm(nullptr, stdout, stdin);
  if (screen_ == nullptr) {
    throw Error(ErrorCode::invalid_argument,
                "the terminal (environment variable TERM) is not known: use `troupe top --once`");
  }
  if (::tigetstr("cup") == nullptr) {
    // This terminal, for example "dumb", cannot move the cursor, so ncurses would write one screen below the other.
    ::delscreen(static_cast<SCREEN*>(screen_));
    throw Error(ErrorCode::invalid_argument,
                "the terminal (environment variable TERM) cannot put text where it belongs on the screen: use `troupe "
                "top --once`");
  }
  ::cbreak();
  ::noecho();
  ::nonl();
  ::curs_set(0);
  ::keypad(stdscr, TRUE);
  ::timeout(0);
  ::set_escdelay(25);
  if (::has_colors()) {
    ::start_color();
    ::use_default_colors();
    ::init_pair(1, COLOR_GREEN, -1);
    ::init_pair(2, COLOR_RED, -1);
  }
}

TopTerminal::~TopTerminal() {
  ::endwin();
  ::delscreen(static_cast<SCREEN*>(screen_));
}

std::size_t TopTerminal::width() const { return static_cast<std::size_t>(std::max(1, getmaxx(stdscr))); }
std::size_t TopTerminal::height() const { return static_cast<std::size_t>(std::max(1, getmaxy(stdscr))); }

void TopTerminal::show(const std::vector<TopLine>& lines) {
  ::erase();
  for (std::size_t i = 0; i < std::min(lines.size(), height()); ++i) {
    ::attrset(static_cast<int>(attributes(lines[i].style)));
    ::mvaddstr(static_cast<int>(i), 0, lines[i].text.c_str());
  }
  ::attrset(A_NORMAL);
  ::refresh();
}

TopKey TopTerminal::key(Duration most, int other) {
  int read = ::getch();  // A previous call may have read several keys.
  if (read == ERR) {
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(std::max(most, Duration{}));
    std::array<pollfd, 2> readable{{{STDIN_FILENO, POLLIN, 0}, {other, POLLIN, 0}}};
    ::poll(readable.data(), readable.size(),
           static_cast<int>(std::min<std::chrono::milliseconds::rep>(wait.count(), 3'600'000)));
    read = ::getch();
  }
  switch (read) {
    case 'q':
    case 'Q': return TopKey::quit;
    case 's': return TopKey::order;
    case KEY_UP:
    case 'k': return TopKey::up;
    case KEY_DOWN:
    case 'j': return TopKey::down;
    case KEY_PPAGE: return TopKey::page_up;
    case KEY_NPAGE:
    case ' ': return TopKey::page_down;
    case KEY_HOME:
    case 'g': return TopKey::first;
    case KEY_END:
    case 'G': return TopKey::last;
    case KEY_RESIZE: return TopKey::resized;
    default: return TopKey::none;
  }
}

}  // namespace troupe::apps
