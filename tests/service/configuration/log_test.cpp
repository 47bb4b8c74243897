#include "service/configuration/log.hpp"
#include "proto/json/json.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "platform/files/file_descriptor.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

namespace log {

using tests::contains;

struct Fixture {
  Log open(LogFormat format, LogLevel level = LogLevel::info) {
    return Log::open({.format = format, .level = level, .file = folder.path("log")}).value_or_throw();
  }
  tests::TemporaryFolder folder;
};

}  // namespace log

BOOST_FIXTURE_TEST_SUITE(log, Fixture)

BOOST_AUTO_TEST_CASE(text_lines_have_time_level_event_and_fields) {
  const std::array fields{LogField{"session", "12"}, LogField{"name", "my job\nnext line"}};
  open(LogFormat::text).write(LogLevel::warning, "session opened", fields);
  const std::string text = folder.read("log");
  BOOST_TEST(contains(text, " warning session opened session=12 name=\"my job\\nnext line\"\n"), text);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 1);
}

BOOST_AUTO_TEST_CASE(json_lines_can_be_read_whatever_they_hold) {
  const std::array fields{LogField{"session", "12"}, LogField{"name", "a \"b\" \\ \n \xff %v {}"}};
  {
    const LogSink sink = open(LogFormat::json).sink();
    sink(LogLevel::info, "session opened", fields);
    sink(LogLevel::error, "%n {} told", {});
  }
  std::istringstream lines(folder.read("log"));
  std::string line;
  BOOST_REQUIRE(std::getline(lines, line));
  const auto first = Json::parse(line);
  BOOST_TEST(first.at("level") == "info");
  BOOST_TEST(first.at("event") == "session opened");
  BOOST_TEST(first.at("session") == "12");
  BOOST_TEST(contains(first.at("name").get<std::string>(), "a \"b\" \\ \n "));
  BOOST_TEST(first.at("time").get<std::string>().ends_with("Z"));
  BOOST_REQUIRE(std::getline(lines, line));
  BOOST_TEST(Json::parse(line).at("event") == "%n {} told");
}

BOOST_AUTO_TEST_CASE(names_control_no_terminal_and_turn_nothing_round) {
  const std::string name =
      "a\xc2\x9b"
      "31mb\xe2\x80\xae"
      "c\x7f"
      "d\xc3\xbc";
  const std::array fields{LogField{"name", name}};
  for (const LogFormat format : {LogFormat::text, LogFormat::json})
    open(format).write(LogLevel::info, "opened", fields);
  std::istringstream lines(folder.read("log"));
  std::string line;
  for (int i = 0; i < 2; ++i) {
    BOOST_REQUIRE(std::getline(lines, line));
    BOOST_TEST(contains(line, "\"a\\u009b31mb\\u202ec\\u007fd\xc3\xbc\""), line);
  }
  BOOST_TEST(Json::parse(line).at("name") == name);
}

BOOST_AUTO_TEST_CASE(what_is_less_than_the_level_is_left_out) {
  const Log quiet = open(LogFormat::text, LogLevel::warning);
  quiet.write(LogLevel::debug, "one");
  quiet.write(LogLevel::info, "two");
  BOOST_TEST(quiet.flush(std::chrono::minutes(1)));
  BOOST_TEST(folder.read("log").empty());
  quiet.write(LogLevel::error, "three");
  BOOST_TEST(quiet.flush(std::chrono::minutes(1)));
  BOOST_TEST(contains(folder.read("log"), "three"));
}

BOOST_AUTO_TEST_CASE(a_log_is_appended_to) {
  open(LogFormat::text).write(LogLevel::info, "first");
  open(LogFormat::text).write(LogLevel::info, "second");
  BOOST_TEST(contains(folder.read("log"), "first"));
  BOOST_TEST(contains(folder.read("log"), "second"));
}

BOOST_AUTO_TEST_CASE(a_log_that_nobody_reads_is_not_waited_for) {
  const std::string pipe = folder.path("log");
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const platform::FileDescriptor reader(::open(pipe.c_str(), O_RDWR | O_NONBLOCK));
  BOOST_REQUIRE(reader.valid());
  std::string text;
  const auto read = [&] {
    std::array<char, 65536> bytes{};
    for (ssize_t size = 0; (size = ::read(reader.get(), bytes.data(), bytes.size())) > 0;) {
      text.append(bytes.data(), static_cast<std::size_t>(size));
    }
  };
  {
    const Log log = open(LogFormat::text);
    // This is more than the pipe and two queues can hold. The writer thread may be writing one queue while the other
    // fills.
    for (int i = 0; i < 4000; ++i) log.write(LogLevel::info, std::string(1000, 'x'));
    BOOST_TEST(!log.flush(std::chrono::milliseconds(1)));
    BOOST_TEST(tests::eventually([&] {
      read();
      return contains(text, "warning log lines lost lines=");
    }));
    for (int i = 0; i < 100; ++i) log.write(LogLevel::info, std::string(1000, 'y'));
  }
  // The log has been destroyed, but its last lines can still be read from the pipe.
  BOOST_TEST(tests::eventually([&] {
    read();
    return contains(text, "yyyy");
  }));
}

BOOST_AUTO_TEST_CASE(a_log_that_was_renamed_is_opened_anew) {
  const Log log = open(LogFormat::text);
  log.write(LogLevel::info, "first");
  BOOST_TEST(log.flush(std::chrono::minutes(1)));
  std::filesystem::rename(folder.path("log"), folder.path("log.1"));
  log.write(LogLevel::info, "second");
  BOOST_TEST(log.flush(std::chrono::minutes(1)));
  log.reopen();
  log.write(LogLevel::info, "third");
  BOOST_TEST(log.flush(std::chrono::minutes(1)));
  BOOST_TEST(contains(folder.read("log.1"), "second"));
  BOOST_TEST(contains(folder.read("log"), "third"));
  BOOST_TEST(!contains(folder.read("log.1"), "third"));
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_loses_lines_and_nothing_else) {
  const Log log = Log::open({.format = LogFormat::text, .file = "/dev/full"}).value_or_throw();
  log.write(LogLevel::info, "lost");
  BOOST_TEST(log.flush(std::chrono::minutes(1)));
}

BOOST_AUTO_TEST_CASE(a_log_does_not_follow_a_link_to_where_others_may_put_another) {
  std::filesystem::create_directory(folder.path("anybodys"));
  std::filesystem::permissions(folder.path("anybodys"), std::filesystem::perms(0777));
  std::filesystem::create_symlink("anybodys/log", folder.path("link"));
  const auto log = Log::open({.format = LogFormat::text, .level = LogLevel::info, .file = folder.path("link")});
  BOOST_REQUIRE(!log.ok());
  BOOST_TEST(contains(log.failure().message, "can be written by others"), log.failure().message);
  BOOST_TEST(!std::filesystem::exists(folder.path("anybodys/log")));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_an_error) {
  const auto folder_as_file = Log::open({.format = LogFormat::text, .level = LogLevel::info, .file = folder.path()});
  BOOST_REQUIRE(!folder_as_file.ok());
  BOOST_TEST(contains(folder_as_file.failure().message, folder.path()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
