/// The configuration of a service, as its file and its command line give it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "service/configuration/event_log.hpp"
#include "service/server_options.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

enum class LogFormat { text, json };
[[nodiscard]] constexpr const char* to_string(LogFormat format) { return format == LogFormat::json ? "json" : "text"; }

struct LogConfiguration {
  LogFormat format = LogFormat::text;
  /// Events below this level are left out.
  LogLevel level = LogLevel::info;
  /// The log's file, to which lines are appended; empty means standard error.
  std::string file = {};
};

struct HttpConfiguration {
  bool enabled = false;
  /// A numeric address of this machine. An address other than loopback requires a token.
  std::string address = "127.0.0.1";
  /// The TCP port; 0 takes any free port.
  std::uint16_t port = 9477;
  /// A file with the token that HTTP clients must send; only its owner may read the file. If it is empty, no token is
  /// needed.
  std::string token_file = {};
};

/// The weights of users and groups, by name; weights decide the shares of the workers. A user without a weight gets the
/// largest weight of the named groups that the user is in. A user in none of these groups gets the weight `other`.
struct WeightConfiguration {
  double other = 1;
  std::map<std::string, double> users = {};
  std::map<std::string, double> groups = {};
};

struct PluginConfiguration {
  /// The folders with the administrator's codelets (docs/plugins.md), in the order of loading.
  std::vector<std::string> folders = {};
  /// True if a plug-in that cannot be used keeps the service from starting.
  bool strict = false;
};

struct StopConfiguration {
  /// After a request to stop, the service lets its clients finish for this time, then cancels their tasks. 0 means no
  /// limit.
  Duration cancel_after{};
};

struct Configuration {
  /// The sockets, limits and options of the runtime. Configuration files have no keys for the functions `log`,
  /// `weight`, `metrics_text` and `look_json`.
  ServerOptions server = {};
  WeightConfiguration weights = {};
  PluginConfiguration plugins = {};
  HttpConfiguration http = {};
  LogConfiguration log = {};
  StopConfiguration stop = {};
};

/// Returns the path of the configuration file that is used by default: `$XDG_CONFIG_HOME/troupe/service.toml`, or below
/// `~/.config` if that variable is no absolute path; for root `/etc/troupe/service.toml`. Empty if there is no home
/// folder either. Reads the environment.
[[nodiscard]] std::string default_configuration_file();

/// Sets the values that the file names, and leaves all others unchanged. Fails with `bad_input`: the message names the
/// file, the line and the key, and for an unknown key the nearest known key.
[[nodiscard]] Result<void> read_configuration(const std::string& path, Configuration& configuration);
/// Reads a configuration from text, like `read_configuration`; `source` is the text's name in messages.
[[nodiscard]] Result<void> read_configuration_text(std::string_view text, const std::string& source,
                                                   Configuration& configuration);

/// Returns all keys with their meanings and their values, as TOML that reads back to the same configuration.
[[nodiscard]] std::string to_toml(const Configuration& configuration);

/// Fails with `bad_input` for values that contradict one another.
[[nodiscard]] Result<void> check(const Configuration& configuration);

}  // namespace troupe::service
