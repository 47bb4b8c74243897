/// One context's part of a random program: its queues, buffers and events, and a model of the memory's content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/opencl/random/random_machine.hpp"
#include "tests/opencl/random/random_order.hpp"

namespace troupe::tests {

using OwnedEvent = Owned<cl_event, &cl_icd_dispatch::clReleaseEvent>;

/// Random numbers drawn from a seed.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}
  /// Returns a number below `count`.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  T& of(std::vector<T>& all) {
    return all[below(all.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// Executes commands and a model of them, one after the other. Adds problems to `problems`.
class RandomWorld {
 public:
  RandomWorld(const RandomContext& context, RandomNumbers& numbers, std::vector<std::string>& problems);
  RandomWorld(const RandomWorld&) = delete;
  RandomWorld& operator=(const RandomWorld&) = delete;

  /// Performs one random action that a program may perform.
  void step();
  /// Ends everything that is open: ends maps, finishes all queues, sometimes before the last reads, and compares all
  /// memory. Meanwhile the caller sets the user events.
  void end();
  /// Returns the user events that the program has not set. From here on they count as set, and the caller has to set
  /// them.
  [[nodiscard]] std::vector<cl_event> take_unset_events();

 private:
  struct Queue {
    OwnedQueue queue;
    bool in_order = true;
  };
  /// A buffer and its expected content.
  struct Root {
    std::unique_ptr<std::vector<std::byte>> program_memory;
    OwnedMemory memory;
    std::vector<std::byte> model;
    bool device_reads = true;
    bool device_writes = true;
  };
  /// A buffer or part of one.
  struct Object {
    cl_mem memory = nullptr;
    int root = 0;
    std::size_t offset = 0;
    std::size_t size = 0;

    [[nodiscard]] std::size_t words() const { return size / sizeof(cl_uint); }
  };
  /// The program's memory, which commands read and write.
  struct Block {
    std::vector<std::byte> real;
    std::vector<std::byte> model;
  };
  struct Map {
    Object object;
    std::size_t offset = 0;
    std::size_t size = 0;
    cl_map_flags flags = 0;
    std::byte* place = nullptr;
    int command = 0;

    [[nodiscard]] bool writes() const { return flags != CL_MAP_READ; }
  };
  /// A box in a buffer or block, with the arguments that the functions for rectangles take.
  struct Rectangle {
    std::size_t origin[3];
    std::size_t row_pitch;
    std::size_t slice_pitch;

    [[nodiscard]] std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
      return (origin[2] + z) * slice_pitch + (origin[1] + y) * row_pitch + origin[0] + x;
    }
  };
  /// Enqueues a command on this queue, with this list and event, blocking or not.
  using Enqueue = std::function<cl_int(cl_command_queue, cl_bool, cl_uint, const cl_event*, cl_event*)>;

  void make_queues();
  void make_buffers();
  void make_parts(int root);

  // These are in random_commands.cpp. Each enqueues one command, or nothing if a map forbids it.
  void write();
  void read();
  void copy();
  void fill();
  void write_rectangle();
  void read_rectangle();
  void copy_rectangle();
  void add();
  void scale();
  void write_half();
  void reverse();
  void turn_groups();
  void migrate();
  void map();

  // These are in random_world.cpp.
  void mark();
  void barrier();
  using OrderEntry = decltype(cl_icd_dispatch::clEnqueueMarkerWithWaitList);
  void enqueue_in_order(const char* what, OrderEntry entry, bool holds_later);
  void make_user_event();
  void set_user_event();
  void wait_for_something();
  void end_map();
  void compare(int root);

  /// Enqueues a command with these uses. The command waits for all commands that it must wait for, and for some others.
  /// Returns its number.
  int enqueue(const char* what, const std::vector<RandomUse>& uses, bool may_block, const Enqueue& call);
  int enqueue_on(int queue, const char* what, const std::vector<RandomUse>& uses, bool may_block, const Enqueue& call);
  /// Returns the command, or a marker behind it if it has no event.
  int with_event(int command);
  /// Returns an event by which the plan waits for the command.
  cl_event wait_by_event(RandomOrder::Plan& plan, int command);
  void keep_event(int command, cl_event event);
  void check(const char* what, cl_int status);
  void compare(const char* what, const std::byte* real, const std::byte* model, std::size_t size);

  [[nodiscard]] Root& root_of(const Object& object) { return roots_[static_cast<std::size_t>(object.root)]; }
  [[nodiscard]] const Root& root_of(const Object& object) const {
    return roots_[static_cast<std::size_t>(object.root)];
  }
  [[nodiscard]] std::byte* model_of(const Object& object) { return root_of(object).model.data() + object.offset; }
  [[nodiscard]] bool locked(const Object& object, bool writes) const;
  [[nodiscard]] static RandomUse use_of(const Object& object, std::size_t offset, std::size_t size, bool writes,
                                        int lane = 0);
  /// The use that must have ended before the map begins.
  [[nodiscard]] RandomUse use_of_map(const Map& map) const;
  [[nodiscard]] static RandomUse use_of_block(int block, std::size_t offset, std::size_t size, bool writes);
  /// Returns an object that devices may use in this way; null if none was found.
  [[nodiscard]] const Object* object_for(bool reads, bool writes);
  [[nodiscard]] Rectangle rectangle(const std::size_t (&region)[3], std::size_t room);
  /// Returns the first byte of a box, and its number of bytes.
  [[nodiscard]] static std::pair<std::size_t, std::size_t> bounds(const Rectangle& box, const std::size_t (&region)[3]);
  /// The words of an object that a launch covers: the first, and their number.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
    /// The size of a group; 0 if it is left to the implementation.
    std::size_t local = 0;
  };
  /// Draws a range. If `from_first`, it has no offset; otherwise it always has one, for which there must be more words
  /// than a group has.
  [[nodiscard]] Range range_of(std::size_t words, bool from_first);
  [[nodiscard]] OwnedKernel kernel(const char* name);
  void launch(const char* name, const OwnedKernel& kernel, const Range& range, const std::vector<RandomUse>& uses);

  const RandomContext& context_;
  RandomNumbers& numbers_;
  std::vector<std::string>& problems_;
  RandomOrder order_;
  std::vector<Queue> queues_;
  std::vector<Root> roots_;
  std::vector<OwnedMemory> parts_;
  std::vector<Object> objects_;
  std::vector<Block> blocks_;
  std::vector<OwnedEvent> events_;
  std::vector<OwnedEvent> user_events_;
  std::vector<Map> maps_;
};

}  // namespace troupe::tests
