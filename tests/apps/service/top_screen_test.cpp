#include <built_paths.hpp>  // written by the build

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.

#include "apps/service/top_screen.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/service/views/fake_view_source.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(top_screen_lines)

namespace {

using service::ServiceView;
using tests::contains;
using tests::sample_view;

/// Returns the lines of the screen as one text.
std::string shown(const TopViews& views, const TopLayout& layout) {
  std::string text;
  for (const TopLine& line : top_screen(views, layout)) text += line.text + '\n';
  return text;
}

TopLayout wide() {
  TopLayout layout;
  layout.width = 500;
  return layout;
}

/// Returns the first line that contains the part; an empty line if there is none.
TopLine line_with(const std::vector<TopLine>& lines, const std::string& part) {
  for (const TopLine& line : lines) {
    if (contains(line.text, part)) return line;
  }
  return {};
}

BOOST_AUTO_TEST_CASE(everything_that_a_view_has_is_there) {
  const ServiceView before = sample_view(100), now = sample_view(102);
  const std::string text = shown({&now, &before}, wide());
  for (const std::string part :
       {"Troupe 0.1.0  serving  up 102 s  policy dada:alpha=0.5,cp  process 4711", "of 8 run a task now; busy [",
        "290 ready, 1,100 in flight", "390 ended/s", "GiB/s", "JOBS", "solver", "ensemble", "3.0 GiB",
        "WORKERS, and 4 ready tasks", "cpu core 5", "GPU 1", "MAILBOXES", "memory manager", "85.0 us", "LINKS", "host",
        "MEMORIES", "16.0 GiB"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
}

BOOST_AUTO_TEST_CASE(rates_are_what_grew_between_two_views) {
  const ServiceView before = sample_view(100), now = sample_view(102);
  const auto lines = top_screen({&now, &before}, wide());
  BOOST_TEST(contains(line_with(lines, "GPU 1").text, "95 %"));
  BOOST_TEST(line_with(lines, "cpu core 2").text.ends_with(" 25"));
  // The clients used 4.4 and 2.1 seconds of worker time, which is 68 % and 32 %.
  BOOST_TEST(contains(line_with(lines, "solver").text, "68 %"));
  BOOST_TEST(contains(line_with(lines, "ensemble").text, "32 %"));
  BOOST_TEST(contains(line_with(lines, "scheduler").text, " 901 "));
}

BOOST_AUTO_TEST_CASE(clusters_show_their_cores_and_what_was_used_of_them) {
  const ServiceView before = tests::clustered_view(100, 0.5);
  ServiceView now = tests::clustered_view(102, 0.5);
  BOOST_TEST(
      contains(line_with(top_screen({&now, nullptr}, wide()), "cluster of 4 cores 8-11").text, "    4     50.0 %"));
  // Since the earlier view, the team has used all of its time.
  now.runtime.workers[0].team = before.runtime.workers[0].team;
  now.runtime.workers[0].team += {std::chrono::seconds(8), std::chrono::seconds(8), {}};
  const auto lines = top_screen({&now, &before}, wide());
  BOOST_TEST(contains(line_with(lines, "cluster of 4 cores 8-11").text, "100.0 %"));
  BOOST_TEST(!contains(line_with(lines, "cpu core 2").text, ".0 %"));
  // If no task has ended since the earlier view, the screen still shows the share of that view.
  now.runtime.workers[0].team = before.runtime.workers[0].team;
  BOOST_TEST(contains(line_with(top_screen({&now, &before}, wide()), "cluster of 4").text, "50.0 %"));
  // These kernels use their own threads, so the used time is unknown.
  now.runtime.workers[0].team = {{}, {}, std::chrono::seconds(8)};
  BOOST_TEST(contains(line_with(top_screen({&now, nullptr}, wide()), "cluster of 4").text, "unknown"));
  const ServiceView single = sample_view(100);
  BOOST_TEST(!contains(shown({&single, nullptr}, wide()), "team used"));
}

BOOST_AUTO_TEST_CASE(without_an_earlier_view_rates_are_left_open) {
  const ServiceView now = sample_view(100);
  const auto lines = top_screen({&now, nullptr}, wide());
  BOOST_TEST(contains(line_with(lines, "tasks    ").text, "- ended/s"));
  BOOST_TEST(line_with(lines, "cpu core 2").text.ends_with(" -"));
}

BOOST_AUTO_TEST_CASE(another_service_in_its_place_has_no_rates_with_it) {
  ServiceView before = sample_view(100);
  before.process = 1;
  const ServiceView now = sample_view(102), younger = sample_view(3);
  BOOST_TEST(contains(shown({&now, &before}, wide()), "- ended/s"));
  BOOST_TEST(contains(shown({&younger, &now}, wide()), "- ended/s"));
}

BOOST_AUTO_TEST_CASE(it_fits_every_size) {
  ServiceView now = sample_view(100);
  now.sessions[0].name = "größe";
  for (std::size_t width = 1; width < 140; width += 7) {
    for (std::size_t height = 1; height < 80; height += 3) {
      TopLayout layout;
      layout.width = width;
      layout.height = height;
      const auto lines = top_screen({&now, nullptr}, layout);
      BOOST_TEST_REQUIRE(lines.size() == height);
      for (const TopLine& line : lines) BOOST_TEST_REQUIRE(traces::display_width(line.text) <= width);
    }
  }
}

BOOST_AUTO_TEST_CASE(scrolling_shows_every_line_and_stops_at_the_end) {
  const ServiceView now = sample_view(100);
  const auto all = top_screen({&now, nullptr}, wide());
  TopLayout layout = wide();
  layout.height = 12;
  const std::size_t length = top_length({&now, nullptr}, layout);
  BOOST_TEST(length == all.size() - 3);
  std::vector<std::string> seen;
  for (layout.first = 0; layout.first < length + 20; ++layout.first) {
    const auto lines = top_screen({&now, nullptr}, layout);
    BOOST_TEST_REQUIRE(lines.size() == 12U);
    BOOST_TEST(lines[0].text == all[0].text);
    for (std::size_t i = 3; i + 1 < lines.size(); ++i) seen.push_back(lines[i].text);
    BOOST_TEST(contains(lines.back().text, "q quit"));
  }
  for (const TopLine& line : all) {
    if (&line - all.data() >= 3) BOOST_TEST(std::ranges::count(seen, line.text) > 0, line.text);
  }
  // A scroll position after the last line shows the last lines.
  BOOST_TEST(seen.back() == all.back().text);
}

BOOST_AUTO_TEST_CASE(by_load_the_busiest_come_first) {
  const ServiceView before = sample_view(100), now = sample_view(102);
  TopLayout layout = wide();
  const auto place = [&](const std::string& part) { return shown({&now, &before}, layout).find(part); };
  BOOST_TEST(place("cpu core 0") < place("GPU 1"));
  BOOST_TEST(place("worker 0 ") < place("scheduler "));
  layout.order = TopOrder::load;
  BOOST_TEST(place("GPU 1") < place("cpu core 0"));
  BOOST_TEST(place("scheduler ") < place("worker 0 "));
}

BOOST_AUTO_TEST_CASE(what_is_lost_or_failed_stands_out) {
  ServiceView now = sample_view(100);
  now.runtime.workers[3].lost = true;
  const auto lines = top_screen({&now, nullptr}, wide());
  BOOST_TEST((line_with(lines, "cpu core 3").style == TopStyle::bad));
  BOOST_TEST(contains(line_with(lines, "cpu core 3").text, "device lost"));
  BOOST_TEST((line_with(lines, "ensemble").style == TopStyle::bad));
  BOOST_TEST((line_with(lines, "notebook").style == TopStyle::quiet));
  BOOST_TEST(contains(lines[1].text, "1 lost"));
  TopLayout layout = wide();
  layout.trouble = "the service has gone";
  BOOST_TEST((top_screen({&now, nullptr}, layout)[1].style == TopStyle::bad));
}

BOOST_AUTO_TEST_CASE(users_have_names) {
  ServiceView now = sample_view(100);
  now.sessions[1].user_name = {};
  const std::vector<TopLine> lines = top_screen({&now, nullptr}, wide());
  BOOST_TEST(contains(line_with(lines, "solver").text, "anna"));
  BOOST_TEST(!contains(line_with(lines, "solver").text, " 1000 "));
  BOOST_TEST(contains(line_with(lines, "ensemble").text, "1001"));
}

BOOST_AUTO_TEST_CASE(names_cannot_command_the_terminal) {
  ServiceView now = sample_view(100);
  now.sessions[1].user_name = "\x1B[5m";
  now.sessions[0].name = "\x1B]0;taken\x07\x1B[2J";
  now.runtime.workers[0].task = now.runtime.workers[0].client = "\x1B[31mred\n";
  now.runtime.mailboxes.mailboxes[0].actor =
      "\x9B"
      "1m\r";
  const std::string text = shown({&now, nullptr}, wide());
  BOOST_TEST(!contains(text, "\x1B"));
  BOOST_TEST(!contains(text, "\x07"));
  BOOST_TEST(!contains(text, "\r"));
}

BOOST_AUTO_TEST_CASE(endless_names_leave_room_for_figures) {
  ServiceView now = sample_view(100);
  now.sessions[0].name = now.runtime.workers[0].task = std::string(5000, 'n');
  for (const TopLine& line : top_screen({&now, nullptr}, wide())) BOOST_TEST(line.text.size() < 200);
}

BOOST_AUTO_TEST_CASE(a_service_without_work_says_so) {
  ServiceView now;
  now.state = "serving";
  now.runtime.workers.resize(2);
  const std::string text = shown({&now, nullptr}, wide());
  BOOST_TEST(contains(text, "no program is connected"));
  BOOST_TEST(contains(text, "0 of 2 run a task now"));
  BOOST_TEST(!contains(text, "LINKS"));
  BOOST_TEST(!contains(text, "nan"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps

#endif
