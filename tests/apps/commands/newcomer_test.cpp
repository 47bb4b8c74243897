// Tests of mistakes that beginners make on the command line. Each mistake must give exit code 2 and one line that names
// the wrong part and a remedy.
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/troupe_program.hpp"

namespace troupe::apps {

namespace newcomer_commands {

using namespace tests;

struct Mistake {
  /// The command line. '@' stands for a temporary folder.
  std::string command;
  Words says;
};

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> kMistakes{
      // Mistakes in the names of commands.
      {"", {"no command was given", "run", "`troupe --help`"}},
      {"rnu cholesky", {"'rnu' is no command", "did you mean run?"}},
      {"Run cholesky", {"'Run'", "did you mean run?"}},
      {"cholesky", {"'cholesky' is no command", "`troupe run cholesky`"}},
      {"a.mtx", {"`troupe solve a.mtx`"}},
      {"calibrate", {"`troupe model calibrate`"}},
      {"dada", {"`troupe experiment dada`"}},
      {"nonsense", {"'nonsense' is no command", "there are", "simulate"}},
      {"foo", {"'foo' is no command", "there are", "simulate"}},
      {"rnu --help", {"did you mean run?"}},
      {"help rnu", {"help:", "did you mean run?"}},
      {"help model shwo", {"'shwo'", "`troupe model`", "did you mean show?"}},
      {"model", {"`troupe model` needs a command", "calibrate, show, plot"}},
      {"model shwo", {"'shwo' is no command of `troupe model`", "did you mean show?"}},
      {"experiment dadda", {"'dadda'", "did you mean dada?"}},
      {"experiment scalin", {"'scalin'", "did you mean scaling?"}},
      {"help experiment nope", {"'nope'", "dada, policies", "scaling"}},
      {"experiment scaling cholesky --policy heft", {"--real, --emulated, --platform: one of them is needed"}},
      {"--tile 4", {"--tile", "`troupe run`"}},
      // Mistakes in the names of options.
      {"run cholesky --tilee 4", {"--tilee", "no such option", "did you mean --tile?"}},
      {"run --tilee 40 cholesky", {"did you mean --tile?"}},
      {"run cholesky -n 5", {"-n", "did you mean --n?"}},
      {"run cholesky --N 5", {"--N", "did you mean --n?"}},
      {"run cholesky --tile_rows 4", {"did you mean --tile-rows?"}},
      {"solve a.mtx --picture x.svg", {"--picture", "it is one of `troupe run`"}},
      {"run cholesky --plot x.svg", {"--plot", "`troupe simulate`"}},
      {"run cholesky --verbose", {"--verbose", "no such option", "`troupe run --help`"}},
      {"run cholesky --check=maybe", {"--check", "takes no value", "'=maybe'"}},
      {"run cholesky --n", {"--n: a value is missing"}},
      {"run cholesky --n=", {"--n: a value is missing"}},
      {"run cholesky --n 1 --n 2", {"--n: given more than once"}},
      {"run cholesky 4096", {"'4096' is not expected by `troupe run`"}},
      {"run cholesky lu", {"'lu' is not expected"}},
      {"simulate cholesky --platform idgraf --n 960 1920", {"'1920' is not expected", "commas"}},
      {"run", {"application is missing", "cholesky, lu, qr or sparse-lu"}},
      {"run cholesy", {"'cholesy' is none of", "did you mean cholesky?"}},
      {"run potrf", {"did you mean cholesky?"}},
      {"simulate cholesky --n 960", {"--platform is missing", "idgraf"}},
      {"simulate cholesky --platform idgraf", {"--n is missing", "Orders"}},
      {"solve", {"matrix is missing", "Matrix Market"}},
      // Mistakes in numbers, units and names.
      {"run cholesky --n abc", {"--n: 'abc' is no whole number", "from 1 to 2147483647"}},
      {"run cholesky --n 1.5", {"'1.5' is no whole number"}},
      {"run cholesky --n 4k", {"'4k' is no whole number"}},
      {"run cholesky --n 0x10", {"'0x10' is no whole number"}},
      {"run cholesky --n 0", {"'0' is too small"}},
      {"run cholesky --n -4", {"'-4' is negative"}},
      {"run cholesky --n 1e10", {"'1e10' is too large"}},
      {"run cholesky --n 99999999999999999999", {"is too large"}},
      {"run cholesky --n 100,200", {"'100,200' is no whole number"}},
      {"run cholesky --seed -1", {"--seed", "'-1' is negative"}},
      {"simulate cholesky --platform idgraf --n 960 --memory-fraction nan", {"'nan' is no number"}},
      {"simulate cholesky --platform idgraf --n 960 --memory-fraction 90", {"'90' is too large", "to 1"}},
      {"run cholesky --precision flaot", {"'flaot' is none of float, double", "did you mean float?"}},
      {"run cholesky --precision Double", {"did you mean double?"}},
      {"run cholesky --policy heftt", {"unknown policy 'heftt'", "did you mean heft?"}},
      {"simulate cholesky --platform idgraf --n 960 --policy lws,hefft", {"'hefft'", "did you mean heft?"}},
      {"run cholesky --policy dada:alpa=1", {"'alpa'", "alpha"}},
      {"run cholesky --clusters 2by2", {"'2by2' describes no clusters", "2x10"}},
      {"run cholesky --restrict potfr:cores", {"'potfr'", "known are"}},
      {"run cholesky --restrict potrf", {"--restrict", "potrf"}},
      {"run cholesky --gpus 2,4", {"--gpus", "'2,4' is no whole number"}},
      {"run cholesky --gpu-memory 8", {"'8' is no amount of memory", "8GiB"}},
      {"run cholesky --emulated-gpus two", {"'two'", "2:memory=256MiB"}},
      {"run cholesky --why-after 5", {"'5' is no time", "5s"}},
      {"run cholesky --cores 100000", {"100000", "core"}},
      {"simulate cholesky --platform idgraff --n 960", {"no machine 'idgraff'", "idgraf-double"}},
      {"simulate cholesky --platform idgraf --n 960 --gpus 9", {"--gpus: machine 'idgraf' has 8 GPUs, not 9"}},
      {"simulate cholesky --platform idgraf --n 960 --gpus 4-2", {"--gpus", "1-8 or 0,2,4"}},
      // Options that have no effect.
      {"run cholesky --inner 4", {"--inner", "no effect", "qr"}},
      {"run cholesky --lookahead 4", {"--lookahead", "no effect", "--gpus"}},
      {"run cholesky --trace-limit 4", {"--trace-limit", "no effect", "--trace"}},
      {"run cholesky --models @/m", {"--models", "no effect", "heft"}},
      {"simulate cholesky --platform idgraf --n 960 --gpus 0 --eviction lru", {"--eviction", "no effect", "--gpus"}},
      {"simulate cholesky --platform idgraf --n 960 --gpus 1 --no-peer-copies", {"--no-peer-copies", "several GPUs"}},
      {"simulate cholesky --platform idgraf --n 960 --policy lws --model learned", {"--model", "no effect", "heft"}},
      {"experiment dada --n 5000", {"--n", "no effect", "clusters"}},
      // Mistakes in files.
      {"solve @/none.mtx", {"none.mtx", "No such file"}},
      {"solve @", {"Is a directory"}},
      {"solve @/text.mtx", {"text.mtx", "%%MatrixMarket"}},
      {"solve @/wide.mtx", {"wide.mtx", "2 x 3", "square"}},
      {"solve @/a.mtx --output @/a.mtx", {"--output", "overwrite"}},
      {"solve @/a.mtx --output @/no/x.mtx", {"no/x.mtx", "No such file"}},
      {"solve @/a.mtx --rhs @/long.mtx", {"long.mtx", "3 rows", "has 2"}},
      {"run cholesky --n 40 --trace t.txt", {"'t.txt'", "'.json'", "'.paje'"}},
      {"run cholesky --n 40 --picture t.txt", {"'t.txt'", "'.svg'"}},
      {"simulate cholesky --platform idgraf --n 960 --plot t.pdf", {"'t.pdf'", "'.svg'"}},
      {"model show --models none", {"--models none", "folder"}},
      {"model show --models @ --kernel gemn", {"'gemn'", "`troupe model show`"}}};
  return kMistakes;
}

}  // namespace newcomer_commands

BOOST_AUTO_TEST_SUITE(newcomer_commands)

BOOST_AUTO_TEST_CASE(mistakes_name_the_thing_and_the_remedy) {
  const TemporaryFolder folder;
  folder.write("text.mtx", "1 2\n3 4\n");
  folder.write("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n4\n1\n1\n3\n");
  folder.write("wide.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
  folder.write("long.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  for (const Mistake& mistake : mistakes()) {
    Words words;
    std::istringstream stream(mistake.command);
    for (std::string word; stream >> word;) {
      words.push_back(word.starts_with('@') ? folder.path() + word.substr(1) : word);
    }
    fails(2, words, mistake.says);
  }
}

BOOST_AUTO_TEST_CASE(what_is_meant_by_many_is_taken) {
  const auto n_of = [](const std::string& text) {
    const std::string output = succeeds({"run", "cholesky", "--n", text, "--json"});
    return contains(output, "\"n\": 100,");
  };
  for (const char* hundred : {"100", "1e2", "1E2", "0100", "1.0e2", "100.0"}) BOOST_TEST(n_of(hundred), hundred);
  const Words simulate{"simulate", "cholesky", "--platform", "idgraf", "--json"};
  const auto results = [&](Words more) {
    more.insert(more.begin(), simulate.begin(), simulate.end());
    return succeeds(more);
  };
  BOOST_TEST(results({"--n", "960,1920", "--gpus", "1,2", "--policy", "heft,dada:alpha=0.5,cp"}) ==
             results({"--n", "960", "--n", "1920", "--gpus", "1", "--gpus", "2", "--policy", "heft", "--policy",
                      "dada:alpha=0.5,cp"}));
}

BOOST_AUTO_TEST_CASE(help_prints_what_the_option_does) {
  for (const Words& command :
       {Words{}, Words{"run"}, Words{"model", "show"}, Words{"experiment"}, Words{"experiment", "scaling"}}) {
    Words help{"help"};
    help.insert(help.end(), command.begin(), command.end());
    Words option = command;
    option.emplace_back("--help");
    BOOST_TEST(succeeds(help) == succeeds(option));
  }
  // Words after the name of a command do not change the help text.
  BOOST_TEST(succeeds({"help", "run", "cholesky"}) == succeeds({"run", "--help"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
