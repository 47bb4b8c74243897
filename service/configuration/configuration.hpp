/// All that can be chosen when a service starts, as its file and its command line say it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/errors.hpp"
#include "service/configuration/event_log.hpp"
#include "service/server_options.hpp"

namespace troupe::service {

enum class LogFormat { text, json };

struct LogConfiguration {
  LogFormat format = LogFormat::text;
  /// What is less than this is left out.
  LogLevel level = LogLevel::info;
  /// Appended to; empty: standard error.
  std::string file = {};
};

struct HttpConfiguration {
  bool enabled = false;
  /// An address of this machine, in numbers. Other than loopback only with a token.
  std::string address = "127.0.0.1";
  /// 0: one that is free.
  std::uint16_t port = 9477;
  /// A file that only its owner can read: whoever asks over HTTP must show what it holds. Empty: nobody is asked.
  std::string token_file = {};
};

/// Shares of the workers, by name. A user who is not named has the largest weight of those of his groups that are, and
/// without any, `other`.
struct WeightConfiguration {
  double other = 1;
  std::map<std::string, double> users = {};
  std::map<std::string, double> groups = {};
};

struct PluginConfiguration {
  /// Where codelets of the administrator are (docs/plugins.md), in this order.
  std::vector<std::string> folders = {};
  /// A plug-in that cannot be used keeps the service from starting.
  bool strict = false;
};

struct StopConfiguration {
  /// A service that is told to stop lets its clients finish for so long, then cancels what they have. 0: for as long as
  /// they take.
  Duration cancel_after{};
};

struct Configuration {
  /// Sockets, limits and the runtime. `log`, `weight` and the texts are not set by what is read here.
  ServerOptions server = {};
  /// As it was given: "2:memory=256MiB". `server.runtime.emulated_gpus` is what it says.
  std::string emulated_gpus = {};
  WeightConfiguration weights = {};
  PluginConfiguration plugins = {};
  HttpConfiguration http = {};
  LogConfiguration log = {};
  StopConfiguration stop = {};
};

/// Where the file is looked for when none is named: `$XDG_CONFIG_HOME/troupe/service.toml` (else below `~/.config`),
/// for root `/etc/troupe/service.toml`. Empty where the user has no such place. Reads the environment.
[[nodiscard]] std::string default_configuration_file();

/// Changes what the file names, and nothing else. Fails with `bad_input`: the message names the file, the line, the
/// key, and for one that is unknown the nearest that is known.
[[nodiscard]] Result<void> read_configuration(const std::string& path, Configuration& configuration);
/// The same with text; `source` is its name in messages.
[[nodiscard]] Result<void> read_configuration_text(std::string_view text, const std::string& source,
                                                   Configuration& configuration);

/// All keys with what they mean and the values that they have, as TOML that reads back to the same.
[[nodiscard]] std::string to_toml(const Configuration& configuration);

/// Fails with `bad_input` for values that contradict one another.
[[nodiscard]] Result<void> check(const Configuration& configuration);

}  // namespace troupe::service
