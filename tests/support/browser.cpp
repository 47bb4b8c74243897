#include "tests/support/browser.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "proto/json/json.hpp"

extern char** environ;  // NOLINT: POSIX

namespace troupe::tests {

namespace {

using platform::FileDescriptor;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};

/// Returns the two ends of a pipe. Their descriptors are 20 or higher, because the browser's pipes need lower numbers.
std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const FileDescriptor low_read(ends[0]), low_write(ends[1]);
  constexpr int kAway = 20;
  return {FileDescriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, kAway)),
          FileDescriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, kAway))};
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0, have = 0;
  for (const char c : text) {
    static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6U | static_cast<unsigned>(digit);
    have += 6;
    if (have >= 8) bytes += static_cast<char>(bits >> (have -= 8) & 0xFFU);
  }
  return bytes;
}

}  // namespace

std::unique_ptr<Browser> Browser::start() {
  for (const char* program : {"chromium-headless-shell", "chromium", "chromium-browser"}) {
    std::unique_ptr<Browser> browser(new Browser());
    if (!browser->launch(program)) continue;
    const Json target = browser->call("Target.createTarget", {{"url", "about:blank"}});
    const Json attached =
        browser->call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}});
    browser->session_ = attached.at("sessionId").get<std::string>();
    for (const char* domain : {"Page", "Runtime", "Log", "Network"}) browser->call(std::string(domain) + ".enable");
    return browser;
  }
  return nullptr;
}

bool Browser::launch(const std::string& program) {
  auto [their_commands, our_commands] = make_pipe();
  auto [our_answers, their_answers] = make_pipe();
  std::vector<std::string> words{program,
                                 "--headless",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + folder_.path("profile"),
                                 "--disable-gpu",
                                 "--disable-dev-shm-usage",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-extensions",
                                 "--no-first-run",
                                 "--no-proxy-server",
                                 "--hide-scrollbars"};
  // Chromium's sandbox refuses to work for root.
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");
  words.emplace_back("about:blank");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const std::string log = folder_.path("log");
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, their_commands.get(), 3);
  ::posix_spawn_file_actions_adddup2(&actions, their_answers.get(), 4);
  const int error = ::posix_spawnp(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    process_ = -1;
    return false;
  }
  commands_ = std::move(our_commands);
  answers_ = std::move(our_answers);
  return true;
}

Browser::~Browser() {
  if (process_ < 0) return;
  ::kill(process_, SIGTERM);
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  while (::waitpid(process_, nullptr, WNOHANG) == 0) {
    if (Clock::now() > deadline) ::kill(process_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Json Browser::call(const std::string& method, Json params) {
  const int id = next_++;
  Json message{{"id", id}, {"method", method}, {"params", std::move(params)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t now = ::write(commands_.get(), text.data() + sent, text.size() - sent);
    if (now < 0 && errno != EINTR) throw std::runtime_error("the browser has gone: " + folder_.read("log"));
    sent += static_cast<std::size_t>(std::max<ssize_t>(now, 0));
  }
  for (;;) {
    Json answer = receive();
    if (answer.value("id", 0) != id) {
      note(answer);
    } else if (answer.contains("error")) {
      throw std::runtime_error(method + ": " + answer["error"].dump());
    } else {
      return answer["result"];
    }
  }
}

Json Browser::receive() {
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    const std::size_t end = received_.find('\0');
    if (end != std::string::npos) {
      Json message = Json::parse(received_.substr(0, end));
      received_.erase(0, end + 1);
      return message;
    }
    pollfd one{.fd = answers_.get(), .events = POLLIN, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) throw std::runtime_error("the browser does not answer: " + folder_.read("log"));
    if (::poll(&one, 1, static_cast<int>(left.count())) <= 0) continue;
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(answers_.get(), buffer.data(), buffer.size());
    if (got <= 0) throw std::runtime_error("the browser has gone: " + folder_.read("log"));
    received_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void Browser::note(const Json& event) {
  const std::string method = event.value("method", "");
  const Json& params = event.contains("params") ? event["params"] : event;
  if (method == "Network.requestWillBeSent") {
    requests.push_back(params["request"]["url"].get<std::string>());
  } else if (method == "Runtime.exceptionThrown") {
    errors.push_back(params["exceptionDetails"].dump());
  } else if (method == "Runtime.consoleAPICalled") {
    const std::string type = params["type"].get<std::string>();
    if (type == "error" || type == "warning" || type == "assert") errors.push_back(params["args"].dump());
  } else if (method == "Log.entryAdded") {
    if (params["entry"]["level"] == "error") errors.push_back(params["entry"].dump());
  }
}

void Browser::open(const std::string& url) {
  const Json result = call("Page.navigate", {{"url", url}});
  if (result.contains("errorText")) throw std::runtime_error(url + ": " + result["errorText"].get<std::string>());
  if (!becomes("document.readyState === 'complete'")) throw std::runtime_error(url + " does not load");
}

void Browser::show_as(int width, int height, bool dark) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  const Json scheme{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
  call("Emulation.setEmulatedMedia", {{"features", Json::array({scheme})}});
}

Json Browser::evaluate(const std::string& expression) {
  const Json result =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (result.contains("exceptionDetails")) {
    throw std::runtime_error(expression + ": " + result["exceptionDetails"].dump());
  }
  return result["result"].value("value", Json());
}

bool Browser::becomes(const std::string& expression) {
  for (const auto deadline = Clock::now() + kPatience; Clock::now() < deadline;) {
    if (evaluate("Boolean(" + expression + ")") == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

std::string Browser::text(const std::string& selector) {
  return evaluate("document.querySelector(" + Json(selector).dump() + ")?.innerText ?? ''").get<std::string>();
}

std::pair<double, double> Browser::place_in(const std::string& selector, double x_share, double y_share) {
  const Json box = evaluate("(() => { const found = document.querySelector(" + Json(selector).dump() +
                            "); found.scrollIntoView({block: 'nearest', inline: 'nearest'}); const box = "
                            "found.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()");
  return {box[0].get<double>() + box[2].get<double>() * x_share, box[1].get<double>() + box[3].get<double>() * y_share};
}

void Browser::mouse(const std::string& type, double x, double y) {
  Json params{{"type", type}, {"x", x}, {"y", y}};
  if (type != "mouseMoved") params.update({{"button", "left"}, {"clickCount", 1}});
  call("Input.dispatchMouseEvent", std::move(params));
}

void Browser::move_to(const std::string& selector, double x_share, double y_share) {
  const auto [x, y] = place_in(selector, x_share, y_share);
  mouse("mouseMoved", x, y);
}

void Browser::click(const std::string& selector) {
  const auto [x, y] = place_in(selector, 0.5, 0.5);
  mouse("mouseMoved", x, y);
  mouse("mousePressed", x, y);
  mouse("mouseReleased", x, y);
}

void Browser::press(const std::string& key) {
  const bool enter = key == "Enter";
  Json params{{"type", enter ? "keyDown" : "rawKeyDown"}, {"key", key}, {"code", key}};
  if (enter) params["text"] = "\r";
  if (enter) params["windowsVirtualKeyCode"] = 13;
  call("Input.dispatchKeyEvent", params);
  call("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", key}, {"code", key}});
}

int Browser::photograph(const std::string& path) {
  const Json shot = call("Page.captureScreenshot", {{"format", "png"}, {"captureBeyondViewport", true}});
  const std::string data = shot["data"].get<std::string>();
  std::ofstream(path, std::ios::binary) << from_base64(data);
  return evaluate("(async () => { const picture = new Image(); picture.src = 'data:image/png;base64," + data +
                  "'; await picture.decode(); const canvas = document.createElement('canvas'); canvas.width = "
                  "picture.width; canvas.height = picture.height; const context = canvas.getContext('2d'); "
                  "context.drawImage(picture, 0, 0); const pixels = new Uint32Array(context.getImageData(0, 0, "
                  "canvas.width, canvas.height).data.buffer); return new Set(pixels).size; })()")
      .get<int>();
}

}  // namespace troupe::tests
