/// What `troupe top` shows, as lines of text: no terminal is needed to make or to test it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "service/views/service_view.hpp"

namespace troupe::apps {

enum class TopStyle { plain, title, quiet, good, bad };

/// At most as long as the terminal is wide. Clients' names cannot hold anything that a terminal would obey.
struct TopLine {
  std::string text;
  TopStyle style = TopStyle::plain;
};

/// In which order workers, mailboxes and jobs are shown.
enum class TopOrder {
  /// As the service numbers them.
  number,
  /// Busiest, longest waiting and largest first.
  load,
};

struct TopLayout {
  std::size_t width = 80;
  /// Nothing: as many lines as there are, and neither keys nor scrolling.
  std::optional<std::size_t> height{};
  TopOrder order = TopOrder::number;
  /// Lines below the summary that are scrolled away; more than there are show the last ones.
  std::size_t first = 0;
  /// What is wrong, in the second line; empty: nothing.
  std::string trouble{};
};

/// Two views of one service, the earlier one perhaps missing: then rates are.
struct TopViews {
  const service::ServiceView* now = nullptr;
  const service::ServiceView* before = nullptr;
};

/// The summary, then jobs, workers, mailboxes, links and memories.
[[nodiscard]] std::vector<TopLine> top_screen(const TopViews& views, const TopLayout& layout);

/// How many lines below the summary there are to scroll through.
[[nodiscard]] std::size_t top_length(const TopViews& views, const TopLayout& layout);

}  // namespace troupe::apps
