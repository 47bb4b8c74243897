/// A headless Chromium that a test drives through its DevTools protocol, over a pipe: no driver program, no port.
#pragma once

#include <sys/types.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/files/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

/// One browser with one page. What fails throws std::runtime_error.
class Browser {
 public:
  /// Nothing where no Chromium is installed.
  static std::unique_ptr<Browser> start();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser();

  void open(const std::string& url);
  /// The size of what is shown, and the colours that the page is asked for.
  void show_as(int width, int height, bool dark);

  /// What a JavaScript expression gives; a promise is waited for.
  nlohmann::json evaluate(const std::string& expression);
  /// Waits until the expression is true; false after a minute.
  bool becomes(const std::string& expression);
  /// The text of the first element that the selector finds, as it is shown.
  std::string text(const std::string& selector);

  /// Presses the mouse's button in the middle of an element, where the user would.
  void click(const std::string& selector);
  void move_to(const std::string& selector, double x_share, double y_share);
  /// "ArrowRight", "Enter", "Tab".
  void press(const std::string& key);

  /// The whole page as a PNG file. Returns how many colours it has.
  int photograph(const std::string& path);

  /// What the page wrote to the console as an error, exceptions that nobody caught, and what it tried and may not do.
  std::vector<std::string> errors;
  /// Every address that it asked for.
  std::vector<std::string> requests;

 private:
  Browser() = default;
  bool launch(const std::string& program);
  nlohmann::json call(const std::string& method, nlohmann::json params = nlohmann::json::object());
  /// The next message; waits for a minute at most.
  nlohmann::json receive();
  void note(const nlohmann::json& event);
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
