#include "lab/bench/service/attacks.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "client/remote/connection/service_calls.hpp"
#include "client/remote/memory/memory_connection.hpp"
#include "kernels/element_codelets.hpp"
#include "lab/bench/service/products.hpp"
#include "lab/bench/service/raw_calls.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {

namespace {

using namespace std::chrono_literals;
using Connections = std::vector<std::unique_ptr<remote::MemoryConnection>>;

bool before(AttackTime until) { return std::chrono::steady_clock::now() < until; }

/// Calls `what` repeatedly until the time `until`. After a refusal it waits for one millisecond.
void repeat(AttackTime until, const std::function<void()>& what) {
  while (before(until)) {
    try {
      what();
    } catch (const std::exception&) {
      std::this_thread::sleep_for(1ms);
    }
  }
}

/// Returns an attack in which programs use the service, one after the other.
template <class Program>
auto as_program(Program program) {
  return [program](const std::string& folder, AttackTime until) {
    repeat(until, [&] {
      Runtime runtime = Runtime::connect({.folder = folder, .name = "attack"});
      program(runtime, until);
    });
  };
}

/// Returns an attack that allocates shared memory and keeps it.
auto take_segments(Bytes size) {
  return [size](const std::string& folder, AttackTime until) {
    Connections connections;
    repeat(until, [&] {
      connections.push_back(remote::MemoryConnection::open(folder).value_or_throw());
      while (before(until)) (void)connections.back()->allocate(size).value_or_throw();
    });
  };
}

void replay(Runtime& runtime, AttackTime until) {
  const RecordedGraph graph = runtime.record([&] {
    for (int i = 0; i < 100'000; ++i) runtime.submit(kernels::trial_codelets().nothing, {});
  });
  while (before(until)) graph.run();
}

void sleep_long(Runtime& runtime, AttackTime until) {
  for (int i = 0; i < 64; ++i) runtime.submit(kernels::trial_codelets().sleep, {}, args(std::int64_t{1'900'000'000}));
  std::this_thread::sleep_until(until);
  runtime.cancel();
}

void multiply_large(Runtime& runtime, AttackTime until) {
  (void)Products(runtime, 2000, 4).run_until(until);
  runtime.cancel();
}

void multiply_small(Runtime& runtime, AttackTime until) {
  (void)Products(runtime, kSmallOrder, kSmallIndependent).run_until(until);
}

void hold_data(Runtime& runtime, AttackTime until) {
  const Data data = runtime.allocate_vector<double>(1);
  runtime.submit(kernels::element_codelets<double>().fill, {data}, args(1.0));
  std::vector<HostAccess> held;
  while (before(until)) held.push_back(runtime.acquire(data, AccessMode::read));
}

void set_reuse(Runtime& runtime, AttackTime until) {
  const Data data = runtime.allocate_vector<double>(1);
  while (before(until)) runtime.set_reuse(data, 1);
}

/// Returns an attack with connections that make many calls and close before the answers arrive.
auto flood(const std::string& method) {
  return [calls = raw_calls(method, 60)](const std::string& folder, AttackTime until) {
    repeat(until, [&] {
      const platform::FileDescriptor socket = connect_raw(folder);
      send_raw(socket, calls);
      std::this_thread::sleep_for(3ms);
    });
  };
}

void flood_connections(const std::string& folder, AttackTime until) {
  repeat(until, [&] { const platform::FileDescriptor socket = connect_raw(folder); });
}

void call_on_one_connection(const std::string& folder, AttackTime until) {
  repeat(until, [&] {
    auto calls = remote::ServiceCalls::connect(folder).value_or_throw();
    while (before(until)) (void)calls.ping().value_or_throw();
  });
}

void leave_unread(const std::string& folder, AttackTime until) {
  const std::string calls = raw_calls("Metrics", 60);
  std::vector<platform::FileDescriptor> unread;
  repeat(until, [&] {
    unread.push_back(connect_raw(folder));
    send_raw(unread.back(), calls);
  });
}

}  // namespace

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all{
      {"one program", as_program(multiply_small), 1},
      {"8 programs", as_program(multiply_small), 8},
      {"mappings", take_segments({4096})},
      {"memory", take_segments({std::size_t{64} << 20U})},
      {"replays", as_program(replay)},
      {"long sleeps", as_program(sleep_long)},
      {"long products", as_program(multiply_large)},
      {"held requests", as_program(hold_data)},
      {"operations", as_program(set_reuse), 2},
      {"calls of Ping", flood("Ping"), 2},
      {"calls of Status", flood("Status"), 2},
      {"calls of Look", flood("Look"), 2},
      {"calls of Why", flood("Why"), 2},
      {"calls of Jobs", flood("Jobs"), 2},
      {"calls of Metrics", flood("Metrics"), 2},
      {"calls of CancelJob", flood("CancelJob"), 2},
      {"calls of nothing", flood("Nothing"), 2},
      {"connections", flood_connections, 2},
      {"one connection", call_on_one_connection, 2},
      {"unread answers", leave_unread},
  };
  return all;
}

const Attack* find_attack(std::string_view name) {
  const auto found = std::ranges::find(attacks(), name, &Attack::name);
  return found != attacks().end() ? &*found : nullptr;
}

}  // namespace troupe::bench
