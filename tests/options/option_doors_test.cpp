// Tests that every option of a runtime behaves equally at every door, that is, in every way to set the option: C++, the
// environment, the command line, the service's keys and the C interface. tests/python/test_options.py tests Python.
// These tests only use the table of options, so new options are tested without a change here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/options/option_table.hpp"
#include "actors/options/option_values.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/reference/command_pages.hpp"
#include "c/options.hpp"
#include "client/environment/environment.hpp"
#include "proto/tokens.hpp"
#include "tests/support/environment_variable.hpp"
#ifdef TROUPE_HAS_SERVICE
#include "service/configuration/configuration_keys.hpp"
#endif

namespace troupe {

namespace option_doors {

/// The result of setting an option at a door: the options, or the message with which the value is refused.
struct Outcome {
  RuntimeOptions options = {};
  std::string refusal = {};
};

Outcome by_environment(const RuntimeOption& option, const std::string& text) {
  const tests::EnvironmentVariable variable(option.variable(), text);
  auto merged = client::with_environment({});
  if (!merged) return {.refusal = merged.failure().message};
  return {.options = merged.value().settings.options};
}

Outcome by_command_line(const RuntimeOption& option, const std::string& text) {
  CLI::App command;
  Outcome outcome;
  apps::add_runtime_option(command, option.word, outcome.options);
  try {
    command.parse(std::vector<std::string>{text, option.flag()});
  } catch (const CLI::ParseError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

Outcome by_c(const RuntimeOption& option, const std::string& text) {
  const std::string named = std::string(option.word) + "=" + text;
  const char* const more[] = {named.c_str(), nullptr};
  troupe_options given{};
  given.more = more;
  try {
    return {.options = c::to_runtime_options(given)};
  } catch (const Error& error) {
    return {.refusal = error.what()};
  }
}

RuntimeOptions program_with(const RuntimeOptions& options) { return options; }
RuntimeOptions program_with(const SimulationOptions& options) {
  RuntimeOptions program;
  program.simulation = std::make_shared<const SimulationOptions>(options);
  return program;
}

/// Returns the message with which a runtime refuses a C++ program that sets the option's field to this value. The
/// table's row would refuse the value, so the function uses a copy of the row with a wider range. Returns nullopt if
/// the field cannot have the value.
template <class Options>
std::optional<std::string> refusal_of_program(const OptionOf<Options>& option, const std::string& text) {
  OptionOf<Options> wider = option;
  wider.least = 0;
  wider.most = std::numeric_limits<std::uint64_t>::max();
  wider.least_number = -1e300;
  wider.most_number = 1e300;
  const std::string examples = text;
  wider.examples = examples;
  Options options;
  if (!wider.read(wider, options, text) || option.text(options) != text) return std::nullopt;
  const Result<void> checked = check_options(program_with(options));
  return checked ? std::string() : checked.failure().message;
}

#ifdef TROUPE_HAS_SERVICE

std::string as_toml(const service::ConfigurationKey& key, const std::string& text) {
  const bool quoted = key.kind == service::ValueKind::text || text.size() > 18 || text == "maybe" || text == "much";
  return quoted ? "\"" + text + "\"" : text;
}

/// Sets a key in a file; returns the message if the value is refused.
std::string refusal_of_file(const service::ConfigurationKey& key, const std::string& text,
                            service::Configuration& configuration) {
  const std::string file =
      "[" + std::string(key.section()) + "]\n" + std::string(key.last_name()) + " = " + as_toml(key, text) + "\n";
  const auto read = service::read_configuration_text(file, "x.toml", configuration);
  return read ? std::string() : read.failure().message;
}

/// Does the same with the option of `troupe serve`.
std::string refusal_of_serve(const service::ConfigurationKey& key, const std::string& text,
                             service::Configuration& configuration) {
  const auto set = service::set_from_text(key, {text}, configuration);
  return set ? std::string() : set.failure().message;
}

Outcome by_file(const RuntimeOption& option, const std::string& text) {
  service::Configuration configuration;
  const std::string refusal = refusal_of_file(*service::find_key(option.key()), text, configuration);
  return {.options = configuration.server.runtime, .refusal = refusal};
}

Outcome by_serve(const RuntimeOption& option, const std::string& text) {
  service::Configuration configuration;
  const std::string refusal = refusal_of_serve(*service::find_key(option.key()), text, configuration);
  return {.options = configuration.server.runtime, .refusal = refusal};
}

#endif

struct Door {
  std::string name;
  OptionDoor door;
  /// The text that this door writes before a refusal. The sentence after this text is equal at all doors.
  std::function<std::string(const RuntimeOption&)> prefix;
  std::function<Outcome(const RuntimeOption&, const std::string&)> give;
};

const std::vector<Door>& doors() {
  using O = const RuntimeOption&;
  static const std::vector<Door> all{
      {"the environment", OptionDoor::environment,
       [](O option) { return "the environment variable " + option.variable() + ": "; }, by_environment},
      {"the command line", OptionDoor::command, [](O option) { return option.flag() + ": "; }, by_command_line},
#ifdef TROUPE_HAS_SERVICE
      {"the service's file", OptionDoor::service, [](O option) { return "x.toml, line 2: \"" + option.key() + "\": "; },
       by_file},
      {"troupe serve", OptionDoor::service, [](O option) { return "--" + option.key() + ": "; }, by_serve},
#endif
      {"C", OptionDoor::c, [](O option) { return "troupe_options.more: " + std::string(option.word) + ": "; }, by_c},
  };
  return all;
}

/// Returns valid values: the ends of the range, or the examples of the table.
std::vector<std::string> good_values(const OptionRow& option) {
  if (option.kind == OptionKind::number) return {text_of(option.least_number), text_of(option.most_number)};
  if (option.kind == OptionKind::whole) return {std::to_string(option.least), std::to_string(option.most)};
  return option.example_list();
}

/// Returns invalid values: just outside of the range, or of another kind.
std::vector<std::string> bad_values(const OptionRow& option) {
  switch (option.kind) {
    case OptionKind::whole: {
      std::vector<std::string> beyond{option.most == std::numeric_limits<std::uint64_t>::max()
                                          ? "18446744073709551616"
                                          : std::to_string(option.most + 1)};
      beyond.push_back(option.least > 0 ? std::to_string(option.least - 1) : "-1");
      return beyond;
    }
    case OptionKind::number: return {text_of(option.least_number - 1), text_of(option.most_number + 1), "much"};
    case OptionKind::flag: return {"maybe"};
    case OptionKind::bytes: return {"0B", "8"};
    case OptionKind::time: return {"-1s", "1000000001s", "5"};
    case OptionKind::devices: return {"65", "2:colour=red"};
    case OptionKind::text:
    case OptionKind::word: return {"?"};
    case OptionKind::path: break;
  }
  return {};
}

}  // namespace option_doors

using namespace option_doors;

BOOST_AUTO_TEST_SUITE(doors_of_options)

BOOST_AUTO_TEST_CASE(a_value_means_the_same_at_every_door) {
  const tests::EnvironmentVariable cache("XDG_CACHE_HOME", "/somewhere");
  std::size_t asked = 0;
  for (const RuntimeOption& option : runtime_options()) {
    for (const std::string& text : good_values(option)) {
      RuntimeOptions expected;
      BOOST_TEST_REQUIRE(option.set(expected, text, "").ok());
      for (const Door& door : doors()) {
        if (!option.has(door.door)) continue;
        ++asked;
        const Outcome outcome = door.give(option, text);
        BOOST_TEST(outcome.refusal == "", door.name << " refuses " << option.word << " = " << text);
        BOOST_TEST(option.text(outcome.options) == option.text(expected), door.name << ", " << option.word);
      }
    }
  }
  BOOST_TEST(asked > 100U);
}

BOOST_AUTO_TEST_CASE(a_value_that_cannot_be_used_is_refused_by_the_same_sentence_at_every_door) {
  std::size_t asked = 0;
  for (const RuntimeOption& option : runtime_options()) {
    for (const std::string& text : bad_values(option)) {
      RuntimeOptions unused;
      const Result<void> set = option.read(option, unused, text);
      BOOST_TEST_REQUIRE(!set.ok(), option.field << " = " << text);
      const std::string sentence = set.failure().message;
      BOOST_TEST(sentence.find(text) != std::string::npos, sentence);
      for (const Door& door : doors()) {
        if (!option.has(door.door)) continue;
        ++asked;
        BOOST_TEST(door.give(option, text).refusal == door.prefix(option) + sentence, door.name);
      }
      if (const auto refusal = refusal_of_program(option, text)) {
        ++asked;
        BOOST_TEST(*refusal == "RuntimeOptions::" + std::string(option.field) + ": " + sentence);
      }
    }
  }
  BOOST_TEST(asked > 150U);
}

BOOST_AUTO_TEST_CASE(ranges_of_numbers_are_checked_in_programs) {
  for (const RuntimeOption& option : runtime_options()) {
    if (option.kind != OptionKind::whole || option.most == std::numeric_limits<std::uint64_t>::max()) continue;
    const auto refusal = refusal_of_program(option, std::to_string(option.most + 1));
    BOOST_TEST_REQUIRE(refusal.has_value(), option.field);
    BOOST_TEST(refusal->find("is too large") != std::string::npos, option.field << ": " << *refusal);
  }
}

BOOST_AUTO_TEST_CASE(the_default_is_the_same_at_every_door) {
  const RuntimeOptions environment = client::with_environment({}).value_or_throw().settings.options;
  const RuntimeOptions c = c::to_runtime_options({});
  for (const RuntimeOption& option : runtime_options()) {
    BOOST_TEST_CONTEXT(option.field) {
      BOOST_TEST(option.text(environment) == option.default_text());
      BOOST_TEST(option.text(c) == option.default_text());
#ifdef TROUPE_HAS_SERVICE
      if (option.has(OptionDoor::service)) {
        BOOST_TEST(option.text(service::Configuration{}.server.runtime) == option.default_text());
        BOOST_TEST(option.text(by_file(option, good_values(option).front()).options) !=
                   (option.kind == OptionKind::flag || option.kind == OptionKind::whole ? "" : option.default_text()));
      }
#endif
    }
  }
}

BOOST_AUTO_TEST_CASE(help_and_defaults_of_commands_are_those_of_the_table) {
  const tests::EnvironmentVariable cache("XDG_CACHE_HOME", "/somewhere");
  apps::Command unused;
  const auto application = apps::make_application(unused);
  for (const char* name : {"run", "solve"}) {
    const CLI::App* const command = application->get_subcommand(name);
    for (const RuntimeOption& option : runtime_options()) {
      const CLI::Option* const found = command->get_option_no_throw(option.flag());
      // In the table `trace` is a flag, but on the command line `--trace` takes a file name, so it is not compared.
      if (option.word == "trace") continue;
      BOOST_TEST((found != nullptr) == option.has(OptionDoor::command), name << " " << option.flag());
      if (found == nullptr) continue;
      BOOST_TEST(found->get_description().starts_with(option.help()), name << ": " << found->get_description());
      const std::string usual =
          option.usual.empty() ? option.default_text() : model_folder_of(std::string(option.usual));
      const bool shown = !found->get_default_str().empty();
      BOOST_TEST((!shown || found->get_default_str() == usual), name << " " << option.flag());
      BOOST_TEST((shown || usual.empty() || option.word == "clusters" || option.word == "why_after"), option.flag());
    }
  }
}

BOOST_AUTO_TEST_CASE(commands_refuse_what_the_table_refuses) {
  for (const RuntimeOption& option : runtime_options()) {
    if (!option.has(OptionDoor::command) || bad_values(option).empty()) continue;
    const std::string text = bad_values(option).front();
    apps::Command unused;
    const auto application = apps::make_application(unused);
    std::vector<std::string> words{text, option.flag(), "cholesky", "run"};
    RuntimeOptions ignored;
    const std::string sentence = option.read(option, ignored, text).failure().message;
    BOOST_CHECK_EXCEPTION(application->parse(words), CLI::ParseError, [&](const CLI::ParseError& error) {
      BOOST_TEST_MESSAGE(error.what());
      return error.what() == option.flag() + ": " + sentence;
    });
  }
}

BOOST_AUTO_TEST_CASE(options_of_virtual_time_are_those_of_their_table) {
  std::size_t asked = 0;
  apps::Command unused;
  const auto application = apps::make_application(unused);
  const CLI::App* const simulate = application->get_subcommand("simulate");
  for (const SimulationOption& option : simulation_options()) {
    const CLI::Option* const found = simulate->get_option_no_throw(option.flag());
    // `--noise` is a flag on the command line.
    const bool valued = found != nullptr && option.kind != OptionKind::flag;
    if (valued) BOOST_TEST(found->get_description().starts_with(option.help()), option.flag());
    for (const std::string& text : bad_values(option)) {
      SimulationOptions ignored;
      const Result<void> set = option.read(option, ignored, text);
      BOOST_TEST_REQUIRE(!set.ok(), option.field << " = " << text);
      const std::string sentence = set.failure().message;
      if (const auto refusal = refusal_of_program(option, text)) {
        ++asked;
        BOOST_TEST(*refusal == "SimulationOptions::" + std::string(option.field) + ": " + sentence);
      }
      if (!valued) continue;
      ++asked;
      std::vector<std::string> words{text, option.flag(), "idgraf", "--platform", "cholesky", "simulate"};
      BOOST_CHECK_EXCEPTION(application->parse(words), CLI::ParseError, [&](const CLI::ParseError& error) {
        return error.what() == option.flag() + ": " + sentence;
      });
    }
  }
  BOOST_TEST(asked > 25U);
}

BOOST_AUTO_TEST_CASE(options_of_a_runtime_that_virtual_time_does_not_use_are_refused) {
  RuntimeOptions program = program_with(SimulationOptions());
  program.accelerators.ahead.gpu = 7;
  BOOST_TEST(check_options(program).failure().message ==
             "RuntimeOptions::accelerators.ahead.gpu has no effect in virtual time: set "
             "SimulationOptions::accelerators.ahead.gpu");
}

#ifdef TROUPE_HAS_SERVICE

BOOST_AUTO_TEST_CASE(texts_of_keys_are_those_of_the_table) {
  for (const RuntimeOption& option : runtime_options()) {
    const service::ConfigurationKey* const key = service::find_key(option.key());
    BOOST_TEST((key != nullptr) == option.has(OptionDoor::service), option.key());
    if (key != nullptr) BOOST_TEST(key->description == option.help());
  }
}

/// Returns the sentence that the reader of a row's kind has for a text. Checks of texts are the row's own.
std::string sentence_for(const OptionRow& row, const std::string& text) {
  switch (row.kind) {
    case OptionKind::flag: return read_switch(text).failure().message;
    case OptionKind::whole: return read_whole(text, row.least, row.most).failure().message;
    case OptionKind::number: return read_real(text, row.least_number, row.most_number).failure().message;
    case OptionKind::bytes: return read_bytes(text).failure().message;
    case OptionKind::word: return read_word(text, row.example_list()).failure().message;
    default: return fmt::format("{} is no absolute path: give one that begins with /", troupe::quoted(text));
  }
}

BOOST_AUTO_TEST_CASE(the_service_s_own_keys_are_read_and_refused_like_options) {
  std::size_t taken = 0, refused = 0;
  for (const service::ConfigurationKey& key : service::configuration_keys()) {
    if (key.row == nullptr || key.section() == "runtime") continue;
    for (const std::string& text : good_values(*key.row)) {
      service::Configuration of_file, of_serve;
      BOOST_TEST(refusal_of_file(key, text, of_file) == "", key.name << " = " << text);
      BOOST_TEST(refusal_of_serve(key, text, of_serve) == "", key.name << " = " << text);
      BOOST_TEST(key.get(of_file) == std::vector<std::string>{text}, key.name);
      BOOST_TEST(key.get(of_serve) == std::vector<std::string>{text}, key.name);
      ++taken;
    }
    std::vector<std::string> bad = bad_values(*key.row);
    if (key.row->kind == OptionKind::text) bad.clear();
    if (key.row->kind == OptionKind::path) bad = {"relative"};
    for (const std::string& text : bad) {
      service::Configuration unused;
      const std::string sentence = sentence_for(*key.row, text);
      BOOST_TEST(sentence.find(troupe::quoted(text)) != std::string::npos, sentence);
      BOOST_TEST(refusal_of_file(key, text, unused) == "x.toml, line 2: \"" + key.name + "\": " + sentence);
      BOOST_TEST(refusal_of_serve(key, text, unused) == "--" + key.name + ": " + sentence);
      ++refused;
    }
  }
  BOOST_TEST(taken > 40U);
  BOOST_TEST(refused > 35U);
}

#endif

BOOST_AUTO_TEST_CASE(texts_of_variables_are_those_of_the_table) {
  for (const RuntimeOption& option : runtime_options()) {
    if (option.word == "trace") continue;
    const auto variables = client::variables();
    const auto found = std::ranges::find(variables, option.variable(), &client::Variable::name);
    BOOST_TEST((found != variables.end()) == option.has(OptionDoor::environment), option.variable());
    if (found != variables.end()) BOOST_TEST(found->meaning.starts_with(option.meaning));
  }
}

BOOST_AUTO_TEST_CASE(fields_of_c_refuse_by_the_same_sentence) {
  const auto refusal = [](const std::function<void(troupe_options&)>& set) {
    troupe_options given{};
    set(given);
    try {
      (void)c::to_runtime_options(given);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BOOST_TEST(refusal([](troupe_options& o) { o.cores = -1; }) ==
             "troupe_options.cores: '-1' is negative: give a whole number from 0 to 1048576");
  BOOST_TEST(refusal([](troupe_options& o) { o.gpus = 1025; }) ==
             "troupe_options.gpus: '1025' is too large: give a whole number from 0 to 1024");
  BOOST_TEST(
      refusal([](troupe_options& o) { o.why_after = -1; }).starts_with("troupe_options.why_after: '-1s' is neg"));
  BOOST_TEST(refusal([](troupe_options& o) { o.policy = "hfet"; }).starts_with("troupe_options.policy: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
