#include "tests/opencl/random/random_program.hpp"

#include <memory>
#include <thread>

#include "tests/opencl/random/random_world.hpp"

namespace troupe::tests {

std::vector<std::string> run_random_program(const RandomMachine& machine, std::uint64_t seed) {
  std::vector<std::string> problems;
  RandomNumbers numbers(seed);
  std::vector<std::unique_ptr<RandomWorld>> worlds;
  for (std::size_t count = 1 + numbers.below(2); count > 0; --count) {
    const RandomContext& context = machine.contexts()[numbers.below(machine.contexts().size())];
    worlds.push_back(std::make_unique<RandomWorld>(context, numbers, problems));
  }
  for (std::size_t steps = 20 + numbers.below(61); steps > 0; --steps) numbers.of(worlds)->step();
  std::vector<cl_event> unset;
  for (const auto& world : worlds) {
    for (cl_event event : world->take_unset_events()) unset.push_back(event);
  }
  numbers.shuffle(unset);
  // Either another thread sets the user events while this thread waits, or this thread sets them before.
  std::vector<cl_int> statuses(unset.size(), 1);
  const auto set_all = [&] {
    for (std::size_t i = 0; i < unset.size(); ++i) {
      statuses[i] = table().clSetUserEventStatus(unset[i], CL_COMPLETE);
    }
  };
  std::thread setter;
  if (numbers.one_in(2)) {
    setter = std::thread(set_all);
  } else {
    set_all();
  }
  for (const auto& world : worlds) world->end();
  if (setter.joinable()) setter.join();
  for (const cl_int status : statuses) {
    if (status != CL_SUCCESS) problems.push_back("clSetUserEventStatus: " + std::to_string(status));
  }
  return problems;
}

}  // namespace troupe::tests
