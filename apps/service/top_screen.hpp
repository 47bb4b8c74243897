/// The screen of `troupe top` as lines of text, so that it can be made and tested without a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "service/views/service_view.hpp"

namespace troupe::apps {

enum class TopStyle { plain, title, quiet, good, bad };

/// A line of the screen, at most as long as the terminal is wide. It contains no control sequences, not even in names
/// from clients.
struct TopLine {
  std::string text;
  TopStyle style = TopStyle::plain;
};

/// The order of workers, mailboxes and jobs on the screen.
enum class TopOrder {
  /// Sorted by number: the service numbers its workers, mailboxes and jobs.
  number,
  /// Sorted by load: the busiest workers, the mailboxes with the longest waits and the largest jobs come first.
  load,
};

struct TopLayout {
  std::size_t width = 80;
  /// The height of the terminal. Without a value, all lines are shown, and there are no keys and no scrolling.
  std::optional<std::size_t> height{};
  TopOrder order = TopOrder::number;
  /// The number of lines below the summary that are scrolled out of view. If it is too large, the last lines are shown.
  std::size_t first = 0;
  /// The problem to show in the second line; empty if there is none.
  std::string trouble{};
};

/// Two views of one service. If `before` is null, rates are not known.
struct TopViews {
  const service::ServiceView* now = nullptr;
  const service::ServiceView* before = nullptr;
};

/// Returns the lines of the summary, then jobs, workers, mailboxes, links and memories.
[[nodiscard]] std::vector<TopLine> top_screen(const TopViews& views, const TopLayout& layout);

/// Returns the number of lines below the summary through which the user can scroll.
[[nodiscard]] std::size_t top_length(const TopViews& views, const TopLayout& layout);

}  // namespace troupe::apps
