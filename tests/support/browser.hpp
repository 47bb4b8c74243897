/// A headless Chromium that a test controls through its DevTools protocol, over a pipe. No driver program or port is
/// needed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "proto/json/json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

/// One browser with one page. Every failure throws std::runtime_error.
class Browser {
 public:
  /// Returns null if no Chromium is installed.
  static std::unique_ptr<Browser> start();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser();

  void open(const std::string& url);
  /// Sets the size of the viewport in pixels, and whether the page is told that the user prefers dark colours.
  void show_as(int width, int height, bool dark);

  /// Returns the value of a JavaScript expression. If the value is a promise, waits for it.
  Json evaluate(const std::string& expression);
  /// Waits until the JavaScript expression is true. Returns false after a minute.
  bool becomes(const std::string& expression);
  /// Returns the visible text of the first element that the CSS selector finds.
  std::string text(const std::string& selector);

  /// Presses the mouse's button in the middle of an element.
  void click(const std::string& selector);
  void move_to(const std::string& selector, double x_share, double y_share);
  /// Presses a key, such as "ArrowRight", "Enter" or "Tab".
  void press(const std::string& key);

  /// Writes the whole page as a PNG file. Returns the number of colours in it.
  int photograph(const std::string& path);

  /// The errors of the page: error messages on the console, uncaught exceptions, and actions that the browser refused.
  std::vector<std::string> errors;
  /// Every address that the page requested.
  std::vector<std::string> requests;

 private:
  Browser() = default;
  bool launch(const std::string& program);
  Json call(const std::string& method, Json params = Json::object());
  /// Returns the next message from the browser. Waits for at most a minute.
  Json receive();
  void note(const Json& event);
  void mouse(const std::string& type, double x, double y);
  std::pair<double, double> place_in(const std::string& selector, double x_share, double y_share);

  TemporaryFolder folder_;
  pid_t process_ = -1;
  platform::FileDescriptor commands_;
  platform::FileDescriptor answers_;
  std::string received_;
  int next_ = 1;
  std::string session_;
};

}  // namespace troupe::tests
