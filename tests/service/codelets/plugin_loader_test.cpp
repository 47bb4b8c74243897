#include "service/codelets/plugin_loader.hpp"

#include <unistd.h>
#include <built_paths.hpp>  // written by the build

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <numeric>
#include <vector>

#include "service/codelets/codelet_library.hpp"
#include "service/codelets/reductions.hpp"
#include "service/server.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/runtime.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(plugin_loader)

namespace {

using tests::contains;

std::string built(const std::string& name) { return std::string(TROUPE_PLUGIN_FOLDER) + "/" + name + ".so"; }

std::string refusal(const std::string& name) {
  const auto plugin = load_plugin(built(name));
  BOOST_REQUIRE_MESSAGE(!plugin.ok(), name);
  BOOST_TEST((plugin.failure().code == ErrorCode::bad_input));
  BOOST_TEST(contains(plugin.failure().message, built(name)), plugin.failure().message);
  return plugin.failure().message;
}

/// A folder with some of the plug-ins, as an administrator would install them.
struct Installed {
  explicit Installed(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      std::filesystem::copy_file(built(name), folder.path(name + ".so"));
      std::filesystem::permissions(folder.path(name + ".so"), std::filesystem::perms(0755));
    }
  }
  tests::TemporaryFolder folder;
};

struct Told {
  std::vector<std::pair<LogLevel, std::string>> lines;
  LogSink sink() {
    return [this](LogLevel level, std::string_view event, LogFields fields) {
      std::string line(event);
      for (const auto& [name, value] : fields) line += " " + value;
      lines.emplace_back(level, line);
    };
  }
};

BOOST_AUTO_TEST_CASE(the_manuals_example_loads_and_its_codelets_run) {
  const auto plugin = load_plugin(built("plugin"));
  BOOST_REQUIRE_MESSAGE(plugin.ok(), (plugin ? "" : plugin.failure().message));
  BOOST_TEST(plugin.value().name == "example");
  CodeletLibrary library;
  BOOST_TEST(library.add(plugin.value()).ok());
  const ServiceCodelet* const halve = library.find("halve");
  const ServiceCodelet* const take_from = library.find("take_from");
  BOOST_REQUIRE(halve != nullptr);
  BOOST_REQUIRE(take_from != nullptr);

  RuntimeOptions options;
  options.cores = 1;
  options.threads.bind = false;
  Runtime runtime(options);
  std::vector<double> x(10), y(3);
  std::iota(x.begin(), x.end(), 0.0);
  {
    const Data a = runtime.vector(x), b = runtime.vector(y);
    runtime.submit(halve->codelet, {a});
    runtime.submit(take_from->codelet, {a, b}, args(std::int64_t{4}));
    runtime.wait();
  }
  BOOST_TEST(y == (std::vector<double>{2, 2.5, 3}), boost::test_tools::per_element());

  const std::vector<Layout> layouts{layout_of<double>(10, 1, 10), layout_of<double>(3, 1, 3)};
  BOOST_TEST(take_from->check(layouts, args(std::int64_t{7})).ok());
  BOOST_TEST(!take_from->check(layouts, args(std::int64_t{8})).ok());
  BOOST_TEST(!take_from->check(layouts, args(std::int64_t{-1})).ok());
}

BOOST_AUTO_TEST_CASE(the_manuals_example_submits_children_embedded_and_on_a_service) {
  const auto plugin = load_plugin(built("nested_plugin"));
  BOOST_REQUIRE_MESSAGE(plugin.ok(), (plugin ? "" : plugin.failure().message));
  CodeletLibrary library;
  BOOST_TEST(library.add(plugin.value()).ok());
  const ServiceCodelet* const add = library.find("add_by_halves");
  BOOST_REQUIRE(add != nullptr);
  const auto run = [&](Runtime& runtime) {
    std::vector<double> x(10'000, 1.0);
    const auto data = runtime.vector(x);
    runtime.submit(add->codelet, {data}, args(2.0), {.nested = true});
    runtime.wait();
    BOOST_TEST((x == std::vector<double>(10'000, 3.0)));
    return runtime.progress().submitted;
  };
  tests::TemporaryFolder folder;
  ServerOptions options;
  options.folder = folder.path("sockets");
  options.inherit_sockets = false;
  options.runtime.cores = 2;
  options.runtime.threads.oversubscribe = true;
  options.runtime.threads.bind = false;
  {
    Runtime embedded(options.runtime);
    BOOST_TEST(run(embedded) == 31U);
  }
  const auto server = Server::start(options, library).value_or_throw();
  Runtime remote = Runtime::connect({folder.path("sockets"), "test"});
  BOOST_TEST(run(remote) == 1U);
  BOOST_TEST(server->look().runtime.clients.front().submitted == 31U);
}

BOOST_AUTO_TEST_CASE(reductions_of_plugins_are_found_by_name) {
  CodeletLibrary library;
  const auto plugin = load_plugin(built("reduction"));
  BOOST_REQUIRE(plugin.ok());
  BOOST_TEST(library.add(plugin.value()).ok());
  BOOST_TEST(library.find_reduction("plus", type_tag<double>()) != nullptr);
  BOOST_TEST(library.find_reduction("plus", type_tag<float>()) == nullptr);
  BOOST_TEST(library.find_reduction("minus", type_tag<double>()) == nullptr);
  const Layout right = layout_of<double>(2, 2, 2);
  Layout made_up = right;
  made_up.element_size = 1;
  BOOST_TEST(find_reduction("plus", right, library).ok());
  BOOST_TEST(find_reduction("sum", right, library).ok());
  BOOST_TEST(!find_reduction("plus", made_up, library).ok());
  BOOST_TEST(!find_reduction("sum", made_up, library).ok());
  BOOST_TEST(!find_reduction("plus", layout_of<float>(2, 2, 2), library).ok());
  BOOST_TEST(!library.add(plugin.value()).ok());
}

BOOST_AUTO_TEST_CASE(what_was_built_for_something_else_is_refused_with_what_to_do) {
  BOOST_TEST(contains(refusal("old_interface"), "plug-in interface 2, this service has 1"));
  BOOST_TEST(contains(refusal("old_version"), "built for Troupe 0.0.1"));
  BOOST_TEST(contains(refusal("other_compiler"), "built with cfront 3"));
  BOOST_TEST(contains(refusal("other_compiler"), "build it again"));
  BOOST_TEST(contains(refusal("wrong_magic"), "TROUPE_PLUGIN"));
  BOOST_TEST(contains(refusal("no_plugin"), "no plug-in of Troupe"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_loaded_is_refused_with_what_is_missing) {
  BOOST_TEST(contains(refusal("missing_symbol"), "troupe_test_nobody_has_this"));
  const tests::TemporaryFolder folder;
  BOOST_TEST(!load_plugin(folder.write("text.so", "no shared object")).ok());
  BOOST_TEST(!load_plugin(folder.path("missing.so")).ok());
}

BOOST_AUTO_TEST_CASE(register_functions_that_throw_or_add_what_cannot_be_are_refused) {
  BOOST_TEST(contains(refusal("throwing"), "no licence was found"));
  BOOST_TEST(contains(refusal("untyped"), "of_untyped"));
  BOOST_TEST(contains(refusal("twice"), "of_twice"));
}

BOOST_AUTO_TEST_CASE(a_plugin_with_a_name_that_is_taken_adds_nothing) {
  CodeletLibrary library;
  const std::size_t before = library.size();
  const auto plugin = load_plugin(built("duplicate"));
  BOOST_REQUIRE(plugin.ok());
  const auto added = library.add(plugin.value());
  BOOST_REQUIRE(!added.ok());
  BOOST_TEST(contains(added.failure().message, "'potrf/double'"));
  BOOST_TEST(library.size() == before);
  BOOST_TEST(library.find("of_duplicate") == nullptr);
}

BOOST_AUTO_TEST_CASE(the_service_goes_on_without_what_it_cannot_use_and_says_so) {
  const Installed installed({"plugin", "throwing", "old_version", "duplicate"});
  CodeletLibrary library;
  Told told;
  BOOST_TEST(
      load_plugins({.folders = {installed.folder.path()}, .strict = false}, ::geteuid(), library, told.sink()).ok());
  BOOST_TEST(library.find("halve") != nullptr);
  BOOST_TEST(library.find("of_throwing") == nullptr);
  int refused = 0;
  for (const auto& [level, line] : told.lines) refused += level == LogLevel::error ? 1 : 0;
  BOOST_TEST(refused == 3);
}

BOOST_AUTO_TEST_CASE(a_strict_service_refuses_to_start) {
  const Installed installed({"plugin", "throwing"});
  CodeletLibrary library;
  Told told;
  const auto outcome =
      load_plugins({.folders = {installed.folder.path()}, .strict = true}, ::geteuid(), library, told.sink());
  BOOST_REQUIRE(!outcome.ok());
  BOOST_TEST(contains(outcome.failure().message, "no licence was found"));
}

BOOST_AUTO_TEST_CASE(files_that_others_can_write_are_not_even_loaded) {
  const Installed installed({"plugin"});
  std::filesystem::permissions(installed.folder.path("plugin.so"), std::filesystem::perms(0777));
  CodeletLibrary library;
  Told told;
  BOOST_TEST(
      load_plugins({.folders = {installed.folder.path()}, .strict = false}, ::geteuid(), library, told.sink()).ok());
  BOOST_TEST(library.find("halve") == nullptr);
  BOOST_REQUIRE(told.lines.size() == 1U);
  BOOST_TEST(contains(told.lines[0].second, "can be written by others"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
