#include "apps/reference/completion.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

namespace completion_cases {

using namespace tests;

/// A bash into which the completion script has been loaded.
class Bash {
 public:
  Bash() { std::ofstream(folder_.path("troupe")) << bash_completion(whole_command_line()); }

  /// Returns the words that bash offers to complete the last of `words`. The current folder has the files `matrix.mtx`
  /// and `a b*`.
  [[nodiscard]] std::set<std::string> offers(const Words& words) const {
    std::string script = "cd '" + folder_.path() + "' && : > matrix.mtx && : > 'a b*' && . ./troupe && COMP_WORDS=(";
    for (const std::string& word : words) script += " '" + word + "'";
    script +=
        ") && COMP_CWORD=" + std::to_string(words.size() - 1) + " && _troupe && printf '%s\\n' \"${COMPREPLY[@]}\"";
    auto ran = run_child({"bash", "--norc", "--noprofile", "-c", script}, "", std::chrono::seconds(60));
    const ChildOutput output = std::move(ran).value_or_throw();
    BOOST_TEST(output.exit_status == 0, output.errors);
    BOOST_TEST(output.errors == "");
    std::set<std::string> offered;
    std::istringstream lines(output.output);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) offered.insert(line);
    }
    return offered;
  }

 private:
  TemporaryFolder folder_;
};

using Offers = std::set<std::string>;

}  // namespace completion_cases

BOOST_AUTO_TEST_SUITE(completion_in_shells)

using namespace completion_cases;

BOOST_AUTO_TEST_CASE(bash_completes_commands_and_arguments) {
  const Bash bash;
  const Offers commands = bash.offers({"troupe", ""});
  for (const CommandPage& command : whole_command_line().commands) BOOST_TEST(commands.contains(command.last_name()));
  BOOST_TEST((bash.offers({"troupe", "so"}) == Offers{"solve"}));
  BOOST_TEST((bash.offers({"troupe", "run", "ch"}) == Offers{"cholesky"}));
  BOOST_TEST((bash.offers({"troupe", "model", "c"}) == Offers{"calibrate"}));
  BOOST_TEST(bash.offers({"troupe", "experiment", ""}).contains("scaling"));
  BOOST_TEST((bash.offers({"troupe", "help", "mod"}) == Offers{"model"}));
  BOOST_TEST((bash.offers({"troupe", "solve", "mat"}) == Offers{"matrix.mtx"}));
  BOOST_TEST((bash.offers({"troupe", "solve", "a"}) == Offers{"a b*"}));
  BOOST_TEST(bash.offers({"troupe", "run", "x"}).empty());
}

BOOST_AUTO_TEST_CASE(bash_completes_options_of_the_command_that_was_named) {
  const Bash bash;
  BOOST_TEST((bash.offers({"troupe", "run", "cholesky", "--che"}) == Offers{"--check"}));
  BOOST_TEST(bash.offers({"troupe", "info", "--che"}).empty());
  BOOST_TEST((bash.offers({"troupe", "model", "calibrate", "--sam"}) == Offers{"--samples"}));
  BOOST_TEST(bash.offers({"troupe", "model", "show", "--sam"}).empty());
  BOOST_TEST((bash.offers({"troupe", "--vers"}) == Offers{"--version"}));
  // `--emulated` is an option of a command in a group of commands.
  BOOST_TEST((bash.offers({"troupe", "experiment", "scaling", "--emu"}) == Offers{"--emulated"}));
}

BOOST_AUTO_TEST_CASE(bash_completes_values) {
  const Bash bash;
  BOOST_TEST((bash.offers({"troupe", "run", "lu", "--precision", ""}) == Offers{"float", "double"}));
  BOOST_TEST((bash.offers({"troupe", "run", "lu", "--precision", "=", "f"}) == Offers{"float"}));
  BOOST_TEST((bash.offers({"troupe", "run", "lu", "--precision", "="}) == Offers{"float", "double"}));
  BOOST_TEST(bash.offers({"troupe", "run", "lu", "--policy", "he"}).contains("heft-rank"));
  BOOST_TEST(bash.offers({"troupe", "info", "--platform", "idg"}).contains("idgraf-double"));
  BOOST_TEST(bash.offers({"troupe", "solve", "matrix.mtx", "--rhs", ""}).contains("matrix.mtx"));
  BOOST_TEST(bash.offers({"troupe", "run", "lu", "--n", ""}).empty());
  // The option `--check` takes no value, so the next word is the application.
  BOOST_TEST(bash.offers({"troupe", "run", "--check", "q"}) == Offers{"qr"});
}

BOOST_AUTO_TEST_CASE(every_option_is_completed) {
  const CommandPage whole = whole_command_line();
  const std::string zsh = zsh_completion(whole);
  const Bash bash;
  for_each_page(whole, [&](const CommandPage& page) {
    if (page.options.empty()) return;
    Words words;
    std::istringstream parts(page.name);
    for (std::string word; parts >> word;) words.push_back(word);
    words.emplace_back("-");
    const Offers offered = bash.offers(words);
    std::size_t names = 0;
    for (const OptionEntry& option : page.options) {
      for (const std::string& name : option.names) {
        ++names;
        BOOST_TEST(offered.contains(name), page.name << ": bash does not offer " << name);
        BOOST_TEST(contains(zsh, name + '['), page.name << ": zsh does not offer " << name);
      }
    }
    BOOST_TEST(offered.size() == names, page.name);
  });
}

BOOST_AUTO_TEST_CASE(zsh_understands_its_script) {
  const auto there = run_child({"zsh", "--version"}, "", std::chrono::seconds(60));
  if (!there) return tests::skip("zsh is not installed");
  const TemporaryFolder folder;
  std::ofstream(folder.path("_troupe")) << zsh_completion(whole_command_line());
  const auto ran =
      run_child({"zsh", "-f", "-n", folder.path("_troupe")}, "", std::chrono::seconds(60)).value_or_throw();
  BOOST_TEST(ran.exit_status == 0, ran.errors);
  BOOST_TEST(ran.errors == "");
  // The test replaces zsh's function `_arguments` by one that prints the number of its arguments.
  const std::string script = "compdef() { }; _describe() { }; _arguments() { print -r -- $# }; . '" +
                             folder.path("_troupe") + "'; _troupe_model_show";
  const auto called = run_child({"zsh", "-f", "-c", script}, "", std::chrono::seconds(60)).value_or_throw();
  BOOST_TEST(called.exit_status == 0, called.errors);
}

BOOST_AUTO_TEST_CASE(zsh_completes_what_follows_an_argument_in_place_of_a_command) {
  const auto there = run_child({"zsh", "--version"}, "", std::chrono::seconds(60));
  if (!there) return tests::skip("zsh is not installed");
  const TemporaryFolder folder;
  std::ofstream(folder.path("_troupe")) << zsh_completion(whole_command_line());
  // `behind` replaces zsh's function `_arguments`. The first call pretends that the user has typed `word`; later calls
  // print the arguments with which `_arguments` was called.
  const auto behind = [&](const std::string& word, const std::string& function) {
    const std::string script =
        "compdef() { }; _describe() { }; _arguments() { if [[ $1 == -C ]]; then state=rest; line=(" + word +
        "); else print -rl -- \"$@\"; fi }; . '" + folder.path("_troupe") + "'; " + function;
    const auto ran = run_child({"zsh", "-f", "-c", script}, "", std::chrono::seconds(60)).value_or_throw();
    BOOST_TEST(ran.exit_status == 0, ran.errors);
    return ran.output;
  };
  const std::string dada = behind("dada", "_troupe_experiment");
  BOOST_TEST(contains(dada, "--assumptions["), dada);
  BOOST_TEST(!contains(dada, "--emulated["), dada);
  const std::string scaling = behind("scaling", "_troupe_experiment");
  BOOST_TEST(contains(scaling, "--emulated["), scaling);
  BOOST_TEST(!contains(scaling, "--assumptions["), scaling);
  BOOST_TEST(contains(behind("", "_troupe_help"), "(solve run"), behind("", "_troupe_help"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
