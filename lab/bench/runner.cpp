#include "lab/bench/runner.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

int list_cases(const char* program, std::span<const Case> cases) {
  std::fprintf(stderr, "%s CASE key=value...\n", program);
  for (const Case& known : cases) std::fprintf(stderr, "  %-12s %s\n", known.name, known.help);
  return kBadWords;
}

int run_case(const Case& chosen, std::span<const char* const> words) {
  Parameters parameters(words);
  const Json figures = chosen.run(parameters);
  std::printf("%s\n", figures.dump().c_str());
  return std::fflush(stdout) == 0 ? kMeasured : kFailed;
}

}  // namespace

int run_cases(int argc, const char* const* argv, std::span<const Case> cases) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  if (argc < 2) return list_cases(argv[0], cases);
  const std::string name = words[1];
  const auto chosen = std::find_if(cases.begin(), cases.end(), [&](const Case& known) { return name == known.name; });
  try {
    if (chosen == cases.end()) throw Unsupported("there is no case '" + name + "'");
    return run_case(*chosen, words.subspan(2));
  } catch (const Unsupported& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kUnsupported;
  } catch (const BadParameter& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadWords;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kFailed;
  }
}

int cores_of(Parameters& parameters) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int all = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  return static_cast<int>(parameters.integer("cores", all, 1));
}

std::string mode_of(Parameters& parameters, std::span<const char* const> modes) {
  std::string mode = parameters.text("mode", modes.front());
  const bool known = std::any_of(modes.begin(), modes.end(), [&](const char* name) { return mode == name; });
  if (!known) throw Unsupported("the mode '" + mode + "' is not supported");
  return mode;
}

}  // namespace troupe::bench
