#include <built_paths.hpp>  // written by the build

#include <poll.h>
#include <pty.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <latch>
#include <memory>
#include <string>

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.

#include "platform/files/file_descriptor.hpp"
#include "proto/json/json.hpp"
#include "service/views/prometheus_text.hpp"
#include "service/views/view_json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/client/remote/fake_service.hpp"
#include "tests/service/views/fake_view_source.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(command_top)

namespace {

using tests::contains;
using tests::fails;
using tests::FakeAnswers;
using tests::FakeService;
using tests::sample_view;
using tests::succeeds;
using tests::TemporaryFolder;
using tests::Words;

/// A service whose values change each time a client asks for its view.
struct ChangingAnswers final : public FakeAnswers {
  grpc::Status Look(grpc::ServerContext*, const v1::LookRequest*, v1::LookReply* reply) override {
    reply->set_json(service::view_to_text(sample_view(100 + 2 * looks++)));
    return grpc::Status::OK;
  }
  std::atomic<int> looks{0};
};

/// A service that gives its second reply only when the test allows it.
struct HeldAnswers final : public FakeAnswers {
  grpc::Status Look(grpc::ServerContext*, const v1::LookRequest*, v1::LookReply* reply) override {
    const int look = looks++;
    if (look == 1) {
      asked.count_down();
      may_answer.wait();
    }
    reply->set_json(service::view_to_text(sample_view(100 + 2 * look)));
    return grpc::Status::OK;
  }
  std::atomic<int> looks{0};
  std::latch asked{1};
  std::latch may_answer{1};
};

/// Runs the program in a pseudo-terminal of its own.
class Terminal {
 public:
  Terminal(const Words& words, unsigned short columns, unsigned short rows, const char* type = "xterm-256color") {
    Words all{"env", std::string("TERM=") + type, tests::program_path()};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int end = -1;
    process_ = ::forkpty(&end, nullptr, nullptr, &size);
    if (process_ == 0) {
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    BOOST_REQUIRE(process_ > 0);
    end_ = platform::FileDescriptor(end);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  /// Waits until the program has written this text. Text before an earlier match does not count. Returns false after a
  /// minute.
  bool writes(const std::string& part) {
    for (;;) {
      const std::size_t at = written_.find(part);
      if (at != std::string::npos) {
        written_.erase(0, at + part.size());
        return true;
      }
      if (!read_more()) return false;
    }
  }
  void press(const std::string& keys) { BOOST_REQUIRE(::write(end_.get(), keys.data(), keys.size()) > 0); }
  void resize(unsigned short columns, unsigned short rows) {
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    BOOST_REQUIRE(::ioctl(end_.get(), TIOCSWINSZ, &size) == 0);
  }
  /// Waits for the program's end. Returns its exit status.
  int exit_status() {
    while (read_more()) {
    }
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] const std::string& written() const { return written_; }

 private:
  bool read_more() {
    pollfd one{.fd = end_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&one, 1, 60'000) <= 0) return false;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(end_.get(), buffer.data(), buffer.size());
    if (got <= 0) return false;
    written_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }

  pid_t process_ = -1;
  platform::FileDescriptor end_;
  std::string written_;
};

BOOST_AUTO_TEST_CASE(once_prints_one_frame_and_json_the_view) {
  const TemporaryFolder folder;
  ChangingAnswers answers;
  const FakeService service(folder.path(), answers);
  const Words where{"--socket-folder", folder.path()};
  const auto with = [&](Words words) {
    words.insert(words.end(), where.begin(), where.end());
    return succeeds(words);
  };
  for (const std::string& text : {with({"top", "--once"}), with({"top"})}) {
    BOOST_TEST(contains(text, "WORKERS"));
    BOOST_TEST(contains(text, "solver"));
    BOOST_TEST(contains(text, "390 ended/s"));
    BOOST_TEST(!contains(text, "\x1B"));
    BOOST_TEST(!contains(text, "q quit"));
  }
  const auto json = Json::parse(with({"top", "--json"}));
  tests::conforms(json, "top");
  tests::conforms(Json::parse(with({"metrics", "--json"})), "top");
  BOOST_TEST(json["sessions"].size() == 3U);
  BOOST_TEST(json["workers"][7]["device"] == "GPU 1");
}

BOOST_AUTO_TEST_CASE(metrics_prints_what_the_service_says) {
  const TemporaryFolder folder;
  ChangingAnswers answers;
  answers.metrics_text = service::prometheus_text(sample_view(10));
  const FakeService service(folder.path(), answers);
  BOOST_TEST(succeeds({"metrics", "--socket-folder", folder.path()}) == answers.metrics_text);
}

BOOST_AUTO_TEST_CASE(without_a_service_it_says_how_to_start_one) {
  const TemporaryFolder folder;
  for (const char* command : {"top", "metrics"}) {
    fails(1, {command, "--socket-folder", folder.path()}, {"no service is running", "`troupe serve`"});
    fails(2, {command, "--socket-folder", "relative"}, {"'relative'", "absolute"});
  }
  fails(2, {"top", "--interval", "soon"}, {"--interval", "'soon'"});
  fails(2, {"top", "--interval", "1ms"}, {"--interval", "100ms or more"});
}

BOOST_AUTO_TEST_CASE(a_view_that_cannot_be_read_is_refused) {
  const TemporaryFolder folder;
  FakeAnswers answers;
  answers.look_json = R"({"version": "9", "workers": 3})";
  const FakeService service(folder.path(), answers);
  for (const Words& how : {Words{"--once"}, Words{"--json"}}) {
    Words words{"top", "--socket-folder", folder.path()};
    words.insert(words.end(), how.begin(), how.end());
    fails(2, words, {"the live view cannot be read"});
  }
}

BOOST_AUTO_TEST_CASE(in_a_terminal_it_refreshes_obeys_keys_and_sizes_and_leaves_it_as_it_was) {
  const TemporaryFolder folder;
  ChangingAnswers answers;
  const FakeService service(folder.path(), answers);
  Terminal terminal({"top", "--socket-folder", folder.path(), "--interval", "100ms"}, 110, 30);
  BOOST_TEST(terminal.writes("WORKERS"));
  BOOST_TEST(terminal.writes("order: number"));
  const int before = answers.looks;
  terminal.press("s");
  BOOST_TEST(terminal.writes("load"));
  terminal.resize(70, 12);
  BOOST_TEST(terminal.writes("lines 1-"));
  terminal.press("G");
  BOOST_TEST(terminal.writes("GPU 1"));
  for (int i = 0; i < 600 && answers.looks < before + 3; ++i) ::usleep(100'000);
  BOOST_TEST(answers.looks >= before + 3);
  terminal.press("q");
  BOOST_TEST(terminal.exit_status() == 0);
  BOOST_TEST(contains(terminal.written(), "\x1B[?1049l"));  // This control sequence restores the previous screen.
}

BOOST_AUTO_TEST_CASE(a_terminal_that_cannot_place_text_is_refused_at_once) {
  const TemporaryFolder folder;
  ChangingAnswers answers;
  const FakeService service(folder.path(), answers);
  Terminal terminal({"top", "--socket-folder", folder.path()}, 110, 30, "dumb");
  BOOST_TEST(terminal.exit_status() == 2);
  BOOST_TEST(terminal.written().starts_with("troupe: "), terminal.written());
  BOOST_TEST(contains(terminal.written(), "--once"), terminal.written());
}

BOOST_AUTO_TEST_CASE(in_a_terminal_it_says_that_the_service_has_gone_and_goes_on_with_the_next) {
  const TemporaryFolder folder;
  ChangingAnswers answers;
  auto service = std::make_unique<FakeService>(folder.path(), answers);
  Terminal terminal({"top", "--socket-folder", folder.path(), "--interval", "100ms"}, 160, 40);
  BOOST_TEST(terminal.writes("WORKERS"));
  service.reset();
  BOOST_TEST(terminal.writes("trying again"));
  const int before = answers.looks;
  const FakeService next(folder.path(), answers);
  for (int i = 0; i < 600 && answers.looks < before + 2; ++i) ::usleep(100'000);
  BOOST_TEST(answers.looks >= before + 2);
  terminal.press("q");
  BOOST_TEST(terminal.exit_status() == 0);
}

BOOST_AUTO_TEST_CASE(interrupted_it_gives_the_terminal_back_and_ends_by_the_signal) {
  const TemporaryFolder folder;
  ChangingAnswers answers;
  const FakeService service(folder.path(), answers);
  Terminal terminal({"top", "--socket-folder", folder.path(), "--interval", "1h"}, 80, 24);
  BOOST_TEST(terminal.writes("WORKERS"));
  // With an interval of an hour, the program only asks twice.
  for (int i = 0; i < 600 && answers.looks < 2; ++i) ::usleep(100'000);
  BOOST_TEST(answers.looks == 2);
  terminal.press("\x03");
  BOOST_TEST(terminal.exit_status() == 128 + SIGINT);
  BOOST_TEST(contains(terminal.written(), "\x1B[?1049l"));
}

BOOST_AUTO_TEST_CASE(interrupted_while_it_asks_the_service_it_ends_as_soon_as_that_has_answered) {
  const TemporaryFolder folder;
  HeldAnswers answers;
  const FakeService service(folder.path(), answers);
  Terminal terminal({"top", "--socket-folder", folder.path(), "--interval", "1h"}, 80, 24);
  answers.asked.wait();
  terminal.press("\x03");
  answers.may_answer.count_down();
  BOOST_TEST(terminal.exit_status() == 128 + SIGINT);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps

#endif
