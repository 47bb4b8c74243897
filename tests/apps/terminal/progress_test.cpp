#include "apps/terminal/progress.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): posix_openpt is POSIX
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>

#include "platform/files/file_descriptor.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(progress)

namespace {

using namespace std::chrono_literals;
using tests::contains;

/// A pseudo-terminal. The test reads what the program writes to it.
class Terminal {
 public:
  explicit Terminal(unsigned short columns)
      : screen_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)), line_(open_other_side()) {
    const winsize size{24, columns, 0, 0};
    ::ioctl(line_.get(), TIOCSWINSZ, &size);
  }

  [[nodiscard]] int file() const { return line_.get(); }

  /// Returns false, and says so, if the system has no pseudo-terminals (for example a chroot without /dev/pts).
  [[nodiscard]] bool available() const {
    if (line_.get() >= 0) return true;
    tests::skip("this system has no pseudo-terminals");
    return false;
  }

  /// Returns the text that is written until `part` has been written. A busy machine may need some seconds.
  std::string written_until(const std::string& part) {
    std::string text;
    for (int i = 0; i < 2000 && !tests::contains(text, part); ++i) text += written(5ms);
    return text;
  }

  /// Returns the text that has already been written or is written within `wait`.
  std::string written(std::chrono::milliseconds wait = 0ms) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    std::string text;
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd polled{screen_.get(), POLLIN, 0};
      if (::poll(&polled, 1, std::max(0, static_cast<int>(left.count()))) <= 0) return text;
      std::array<char, 4096> buffer{};
      const auto received = ::read(screen_.get(), buffer.data(), buffer.size());
      if (received <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(received));
    }
  }

 private:
  int open_other_side() const {
    if (::grantpt(screen_.get()) != 0 || ::unlockpt(screen_.get()) != 0) return -1;
    std::array<char, 128> name{};
    if (::ptsname_r(screen_.get(), name.data(), name.size()) != 0) return -1;
    return ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  }

  platform::FileDescriptor screen_;
  platform::FileDescriptor line_;
};

/// Returns the content of a line of the screen after the output of `text`, which may only contain printable characters
/// and carriage returns.
std::string screen_line(std::string_view text) {
  std::string line;
  std::size_t at = 0;
  for (const char c : text) {
    if (c == '\r') {
      at = 0;
      continue;
    }
    if (at == line.size()) line += ' ';
    line[at++] = c;
  }
  return line;
}

BOOST_AUTO_TEST_CASE(line_shows_bar_percentage_counts_and_time_left) {
  ProgressOptions options;
  options.label = "factorize";
  BOOST_TEST(progress_line(options, {5000, 20000}, 2.0, 73) ==
             "factorize [#####...............]  25 %  5,000 / 20,000 tasks, 6.00 s left");
  BOOST_TEST(progress_line(options, {0, 20}, 2.0, 45) == "factorize [.............]   0 %  0 / 20 tasks");
  BOOST_TEST(progress_line(options, {1234, 0}, 2.0, 80) == "factorize 1,234 tasks");
}

BOOST_AUTO_TEST_CASE(line_never_exceeds_the_width_nor_a_hundred_percent) {
  for (std::size_t width = 0; width < 100; ++width) {
    BOOST_TEST(progress_line({}, {30, 20}, 1e9, width).size() <= width);
  }
  BOOST_TEST(contains(progress_line({}, {30, 20}, 1, 80), "100 %"));
  BOOST_TEST(contains(progress_line({}, {1999, 2000}, 1, 80), " 99 %"));
}

BOOST_AUTO_TEST_CASE(bar_appears_and_is_erased) {
  Terminal terminal(60);
  if (!terminal.available()) return;
  std::atomic<std::uint64_t> done{0};
  ProgressOptions options;
  options.terminal = terminal.file();
  options.delay = 1ms;
  options.interval = 5ms;
  std::string text;
  {
    ProgressBar bar([&] { return Progress{done.fetch_add(1), 1'000'000}; }, options);
    text = terminal.written_until("1,000,000 tasks");
    BOOST_TEST(contains(text, "1,000,000 tasks"));
    for (int i = 0; i < 2000 && done <= 1; ++i) text += terminal.written(5ms);
  }
  text += terminal.written();
  BOOST_TEST(done.load() > 1U);
  BOOST_TEST(screen_line(text).find_first_not_of(' ') == std::string::npos);
  BOOST_TEST(screen_line(text).size() < 60U);
  BOOST_TEST(text.back() == '\r');
}

BOOST_AUTO_TEST_CASE(message_takes_the_place_of_the_bar) {
  Terminal terminal(60);
  if (!terminal.available()) return;
  ProgressOptions options;
  options.terminal = terminal.file();
  options.delay = 1ms;
  options.interval = 1h;
  ProgressBar bar([] { return Progress{1, 2}; }, options);
  BOOST_TEST(contains(terminal.written_until("50 %"), "50 %"));
  bar.print("a warning\n");
  const auto text = terminal.written_until("a warning\r\n");
  BOOST_TEST(contains(text, " \ra warning\r\n"));
}

BOOST_AUTO_TEST_CASE(what_is_quick_shows_no_bar) {
  Terminal terminal(60);
  if (!terminal.available()) return;
  ProgressOptions options;
  options.terminal = terminal.file();
  {
    ProgressBar bar([] { return Progress{1, 2}; }, options);
  }
  BOOST_TEST(terminal.written().empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_polled_or_shown_when_disabled_or_without_a_terminal) {
  std::atomic<int> polls{0};
  const auto poll = [&] {
    ++polls;
    return Progress{1, 2};
  };
  Terminal terminal(60);
  if (!terminal.available()) return;
  ProgressOptions options;
  options.delay = 1ms;
  options.interval = 1ms;
  options.terminal = terminal.file();
  options.enabled = false;
  {
    ProgressBar bar(poll, options);
    std::this_thread::sleep_for(20ms);
  }
  const tests::TemporaryFolder folder;
  const platform::FileDescriptor file(::open(folder.write("log", "").c_str(), O_WRONLY | O_CLOEXEC));
  options.enabled = true;
  options.terminal = file.get();
  {
    ProgressBar bar(poll, options);
    std::this_thread::sleep_for(20ms);
  }
  BOOST_TEST(polls.load() == 0);
  BOOST_TEST(terminal.written().empty());
  BOOST_TEST(folder.read("log").empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
