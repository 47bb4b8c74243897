/// The part of a random program in one context: its queues, buffers and events, and a model of the memory's content.
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

/// A generator of random numbers with a seed.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}
  /// Returns a random number below `count`.
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

/// Executes random commands and applies each of them to a model. Appends problems to `problems`.
class RandomWorld {
 public:
  RandomWorld(const RandomContext& context, RandomNumbers& numbers, std::vector<std::string>& problems);
  RandomWorld(const RandomWorld&) = delete;
  RandomWorld& operator=(const RandomWorld&) = delete;

  /// Performs one random action that a program may perform now.
  void step();
  /// Unmaps all maps, finishes all queues (sometimes before the last reads), and compares all memory with the model.
  /// Meanwhile the caller must set the user events.
  void end();
  /// Returns the user events that the program has not set. They count as set from now on, so the caller must set them.
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
  /// A buffer or a sub-buffer.
  struct Object {
    cl_mem memory = nullptr;
    int root = 0;
    std::size_t offset = 0;
    std::size_t size = 0;

    [[nodiscard]] std::size_t words() const { return size / sizeof(cl_uint); }
  };
  /// Host memory of the program that commands read and write.
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
  /// A box in a buffer or block, with the arguments of the functions for rectangles.
  struct Rectangle {
    std::size_t origin[3];
    std::size_t row_pitch;
    std::size_t slice_pitch;

    [[nodiscard]] std::size_t at(std::size_t x, std::size_t y, std::size_t z) const {
      return (origin[2] + z) * slice_pitch + (origin[1] + y) * row_pitch + origin[0] + x;
    }
  };
  /// Enqueues a command on a queue. The arguments are the queue, whether to block, the list of events, and the new
  /// event.
  using Enqueue = std::function<cl_int(cl_command_queue, cl_bool, cl_uint, const cl_event*, cl_event*)>;

  void make_queues();
  void make_buffers();
  void make_parts(int root);

  // The functions below are in random_commands.cpp. Each enqueues one command; if a map forbids the command, it does
  // nothing.
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

  // The functions below are in random_world.cpp.
  void mark();
  void barrier();
  using OrderEntry = decltype(cl_icd_dispatch::clEnqueueMarkerWithWaitList);
  void enqueue_in_order(const char* what, OrderEntry entry, bool holds_later);
  void make_user_event();
  void set_user_event();
  void wait_for_something();
  void end_map();
  void compare(int root);

  /// Enqueues a command that uses these ranges. The command waits for all commands for which it must wait, and for some
  /// others. Returns its number.
  int enqueue(const char* what, const std::vector<RandomUse>& uses, bool may_block, const Enqueue& call);
  int enqueue_on(int queue, const char* what, const std::vector<RandomUse>& uses, bool may_block, const Enqueue& call);
  /// Returns the command if it has an event. Otherwise enqueues a marker after the command and returns the marker.
  int with_event(int command);
  /// Returns an event by which the planned command waits for `command`.
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
  /// Returns the range that other commands must no longer use when the map begins.
  [[nodiscard]] RandomUse use_of_map(const Map& map) const;
  [[nodiscard]] static RandomUse use_of_block(int block, std::size_t offset, std::size_t size, bool writes);
  /// Returns an object that devices may read (if `reads`) and write (if `writes`); null if none was found.
  [[nodiscard]] const Object* object_for(bool reads, bool writes);
  [[nodiscard]] Rectangle rectangle(const std::size_t (&region)[3], std::size_t room);
  /// Returns the position of the first byte of a box, and the number of bytes from there to the last byte.
  [[nodiscard]] static std::pair<std::size_t, std::size_t> bounds(const Rectangle& box, const std::size_t (&region)[3]);
  /// The words of an object that a launch uses.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
    /// The size of a work-group; 0 lets the implementation choose it.
    std::size_t local = 0;
  };
  /// Draws a range. If `from_first`, it begins at word 0. Otherwise it has an offset, so there must be more words than
  /// a work-group has items.
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
