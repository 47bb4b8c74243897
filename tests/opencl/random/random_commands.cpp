// The commands of random programs. Each command is executed and then applied to the model.
#include <algorithm>
#include <array>
#include <cstring>

#include "tests/opencl/random/random_world.hpp"

namespace troupe::tests {

namespace {

constexpr std::size_t kWord = sizeof(cl_uint);
constexpr std::size_t kGroup = 16;

cl_uint word(const std::byte* at, std::size_t index) {
  cl_uint value = 0;
  std::memcpy(&value, at + index * kWord, kWord);
  return value;
}

void put_word(std::byte* at, std::size_t index, cl_uint value) { std::memcpy(at + index * kWord, &value, kWord); }

}  // namespace

void RandomWorld::write() {
  const Object object = numbers_.of(objects_);
  if (locked(object, true)) return;
  const int block = static_cast<int>(numbers_.below(blocks_.size()));
  Block& from = blocks_[static_cast<std::size_t>(block)];
  const std::size_t most = std::min(object.size, from.real.size());
  const std::size_t size = numbers_.one_in(3) ? most : 1 + numbers_.below(most);
  const std::size_t to_offset = numbers_.below(object.size - size + 1);
  const std::size_t from_offset = numbers_.below(from.real.size() - size + 1);
  enqueue("clEnqueueWriteBuffer",
          {use_of(object, to_offset, size, true), use_of_block(block, from_offset, size, false)}, true,
          [&](cl_command_queue queue, cl_bool blocking, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueWriteBuffer(queue, object.memory, blocking, to_offset, size,
                                                from.real.data() + from_offset, number, events, event);
          });
  std::memcpy(model_of(object) + to_offset, from.model.data() + from_offset, size);
}

void RandomWorld::read() {
  const Object object = numbers_.of(objects_);
  if (locked(object, false)) return;
  const int block = static_cast<int>(numbers_.below(blocks_.size()));
  Block& to = blocks_[static_cast<std::size_t>(block)];
  const std::size_t size = 1 + numbers_.below(std::min(object.size, to.real.size()));
  const std::size_t from_offset = numbers_.below(object.size - size + 1);
  const std::size_t to_offset = numbers_.below(to.real.size() - size + 1);
  cl_bool blocked = CL_FALSE;
  enqueue("clEnqueueReadBuffer", {use_of(object, from_offset, size, false), use_of_block(block, to_offset, size, true)},
          true, [&](cl_command_queue queue, cl_bool blocking, cl_uint number, const cl_event* events, cl_event* event) {
            blocked = blocking;
            return table().clEnqueueReadBuffer(queue, object.memory, blocking, from_offset, size,
                                               to.real.data() + to_offset, number, events, event);
          });
  std::memcpy(to.model.data() + to_offset, model_of(object) + from_offset, size);
  if (blocked == CL_TRUE) compare("blocking read", to.real.data() + to_offset, to.model.data() + to_offset, size);
}

void RandomWorld::copy() {
  const Object from = numbers_.of(objects_);
  const Object to = numbers_.of(objects_);
  if (locked(from, false) || locked(to, true)) return;
  const std::size_t size = 1 + numbers_.below(std::min(from.size, to.size));
  const std::size_t from_offset = numbers_.below(from.size - size + 1);
  const std::size_t to_offset = numbers_.below(to.size - size + 1);
  const RandomUse read = use_of(from, from_offset, size, false);
  const RandomUse write = use_of(to, to_offset, size, true);
  if (read.conflicts(write)) return;
  enqueue("clEnqueueCopyBuffer", {read, write}, false,
          [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueCopyBuffer(queue, from.memory, to.memory, from_offset, to_offset, size, number,
                                               events, event);
          });
  std::memcpy(model_of(to) + to_offset, model_of(from) + from_offset, size);
}

void RandomWorld::fill() {
  const Object object = numbers_.of(objects_);
  if (locked(object, true)) return;
  const std::size_t width = std::size_t{1} << numbers_.below(7);
  const std::size_t count = 1 + numbers_.below(object.size / width);
  const std::size_t offset = numbers_.below(object.size / width - count + 1) * width;
  std::vector<std::byte> pattern(width);
  for (std::byte& byte : pattern) byte = static_cast<std::byte>(numbers_.below(256));
  enqueue("clEnqueueFillBuffer", {use_of(object, offset, count * width, true)}, false,
          [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueFillBuffer(queue, object.memory, pattern.data(), width, offset, count * width,
                                               number, events, event);
          });
  for (std::size_t i = 0; i < count * width; ++i) model_of(object)[offset + i] = pattern[i % width];
}

RandomWorld::Rectangle RandomWorld::rectangle(const std::size_t (&region)[3], std::size_t room) {
  Rectangle box{{0, 0, 0}, region[0] + numbers_.below(5), 0};
  box.slice_pitch = box.row_pitch * (region[1] + numbers_.below(3));
  while (box.at(region[0], region[1] - 1, region[2] - 1) > room) {
    // The box does not fit into `room` bytes with gaps. Without gaps it fits, because the region itself fits.
    box.row_pitch = region[0];
    box.slice_pitch = region[0] * region[1];
  }
  for (std::size_t& origin : box.origin) {
    origin = numbers_.below(4);
    if (box.at(region[0], region[1] - 1, region[2] - 1) > room) origin = 0;
  }
  return box;
}

std::pair<std::size_t, std::size_t> RandomWorld::bounds(const Rectangle& box, const std::size_t (&region)[3]) {
  const std::size_t begin = box.at(0, 0, 0);
  return {begin, box.at(region[0], region[1] - 1, region[2] - 1) - begin};
}

void RandomWorld::write_rectangle() {
  const Object object = numbers_.of(objects_);
  if (locked(object, true)) return;
  const int block = static_cast<int>(numbers_.below(blocks_.size()));
  Block& from = blocks_[static_cast<std::size_t>(block)];
  const std::size_t region[3] = {1 + numbers_.below(8), 1 + numbers_.below(4), 1 + numbers_.below(2)};
  const Rectangle to_box = rectangle(region, object.size);
  const Rectangle from_box = rectangle(region, from.real.size());
  const auto [to_begin, to_size] = bounds(to_box, region);
  const auto [from_begin, from_size] = bounds(from_box, region);
  enqueue("clEnqueueWriteBufferRect",
          {use_of(object, to_begin, to_size, true), use_of_block(block, from_begin, from_size, false)}, true,
          [&](cl_command_queue queue, cl_bool blocking, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueWriteBufferRect(queue, object.memory, blocking, to_box.origin, from_box.origin,
                                                    region, to_box.row_pitch, to_box.slice_pitch, from_box.row_pitch,
                                                    from_box.slice_pitch, from.real.data(), number, events, event);
          });
  for (std::size_t z = 0; z < region[2]; ++z) {
    for (std::size_t y = 0; y < region[1]; ++y) {
      for (std::size_t x = 0; x < region[0]; ++x) {
        model_of(object)[to_box.at(x, y, z)] = from.model[from_box.at(x, y, z)];
      }
    }
  }
}

void RandomWorld::read_rectangle() {
  const Object object = numbers_.of(objects_);
  if (locked(object, false)) return;
  const int block = static_cast<int>(numbers_.below(blocks_.size()));
  Block& to = blocks_[static_cast<std::size_t>(block)];
  const std::size_t region[3] = {1 + numbers_.below(8), 1 + numbers_.below(4), 1 + numbers_.below(2)};
  const Rectangle from_box = rectangle(region, object.size);
  const Rectangle to_box = rectangle(region, to.real.size());
  const auto [from_begin, from_size] = bounds(from_box, region);
  const auto [to_begin, to_size] = bounds(to_box, region);
  enqueue("clEnqueueReadBufferRect",
          {use_of(object, from_begin, from_size, false), use_of_block(block, to_begin, to_size, true)}, true,
          [&](cl_command_queue queue, cl_bool blocking, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueReadBufferRect(queue, object.memory, blocking, from_box.origin, to_box.origin,
                                                   region, from_box.row_pitch, from_box.slice_pitch, to_box.row_pitch,
                                                   to_box.slice_pitch, to.real.data(), number, events, event);
          });
  for (std::size_t z = 0; z < region[2]; ++z) {
    for (std::size_t y = 0; y < region[1]; ++y) {
      for (std::size_t x = 0; x < region[0]; ++x) {
        to.model[to_box.at(x, y, z)] = model_of(object)[from_box.at(x, y, z)];
      }
    }
  }
}

void RandomWorld::copy_rectangle() {
  const Object from = numbers_.of(objects_);
  const Object to = numbers_.of(objects_);
  // Within a single buffer, both pitches must be equal, and overlaps are refused. Another test covers this case.
  if (from.root == to.root || locked(from, false) || locked(to, true)) return;
  const std::size_t region[3] = {1 + numbers_.below(8), 1 + numbers_.below(4), 1 + numbers_.below(2)};
  const Rectangle from_box = rectangle(region, from.size);
  const Rectangle to_box = rectangle(region, to.size);
  const auto [from_begin, from_size] = bounds(from_box, region);
  const auto [to_begin, to_size] = bounds(to_box, region);
  enqueue("clEnqueueCopyBufferRect", {use_of(from, from_begin, from_size, false), use_of(to, to_begin, to_size, true)},
          false, [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueCopyBufferRect(queue, from.memory, to.memory, from_box.origin, to_box.origin,
                                                   region, from_box.row_pitch, from_box.slice_pitch, to_box.row_pitch,
                                                   to_box.slice_pitch, number, events, event);
          });
  for (std::size_t z = 0; z < region[2]; ++z) {
    for (std::size_t y = 0; y < region[1]; ++y) {
      for (std::size_t x = 0; x < region[0]; ++x) {
        model_of(to)[to_box.at(x, y, z)] = model_of(from)[from_box.at(x, y, z)];
      }
    }
  }
}

void RandomWorld::migrate() {
  const Object object = numbers_.of(objects_);
  if (locked(object, true)) return;
  const cl_mem_migration_flags flags = numbers_.one_in(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0;
  enqueue("clEnqueueMigrateMemObjects", {use_of(object, 0, object.size, false)}, false,
          [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueMigrateMemObjects(queue, 1, &object.memory, flags, number, events, event);
          });
}

void RandomWorld::map() {
  static constexpr std::array<cl_map_flags, 4> kFlags{CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                                      CL_MAP_WRITE_INVALIDATE_REGION};
  Map map;
  map.object = numbers_.of(objects_);
  map.flags = kFlags[numbers_.below(kFlags.size())];
  map.size = numbers_.one_in(3) ? map.object.size : 1 + numbers_.below(map.object.size);
  map.offset = numbers_.below(map.object.size - map.size + 1);
  const RandomUse use = use_of(map.object, map.offset, map.size, map.writes());
  for (const Map& other : maps_) {
    if (use.conflicts(use_of(other.object, other.offset, other.size, other.writes()))) return;
  }
  cl_int status = 1;
  cl_event own = nullptr;
  map.command =
      enqueue("clEnqueueMapBuffer", {use_of_map(map)}, true,
              [&](cl_command_queue queue, cl_bool blocking, cl_uint number, const cl_event* events, cl_event* event) {
                map.place = static_cast<std::byte*>(
                    table().clEnqueueMapBuffer(queue, map.object.memory, blocking, map.flags, map.offset, map.size,
                                               number, events, event != nullptr ? event : &own, &status));
                return status;
              });
  if (own != nullptr) keep_event(map.command, own);
  if (status == CL_SUCCESS) maps_.push_back(map);
}

const RandomWorld::Object* RandomWorld::object_for(bool reads, bool writes) {
  for (int tries = 0; tries < 4; ++tries) {
    const Object& object = numbers_.of(objects_);
    const Root& root = root_of(object);
    if ((reads && !root.device_reads) || (writes && !root.device_writes) || locked(object, writes)) continue;
    return &object;
  }
  return nullptr;
}

RandomWorld::Range RandomWorld::range_of(std::size_t words, bool from_first) {
  // Few sizes are used, because drivers compile a kernel again for each new size. A kernel is always or never launched
  // with an offset, because pocl 3.1 confuses the two variants if two devices launch both at the same time.
  Range range;
  range.local = kGroup;
  const std::size_t room = from_first ? words : words - 1;
  range.count = kGroup * (1 + numbers_.below(room / kGroup));
  if (room >= 4 * kGroup && numbers_.one_in(4)) {
    range.count = 4 * kGroup;
    range.local = 0;
  }
  if (!from_first) range.first = 1 + numbers_.below(words - range.count);
  return range;
}

OwnedKernel RandomWorld::kernel(const char* name) {
  cl_int status = 1;
  OwnedKernel made(table().clCreateKernel(context_.program, name, &status));
  check("clCreateKernel", status);
  return made;
}

void RandomWorld::launch(const char* name, const OwnedKernel& kernel, const Range& range,
                         const std::vector<RandomUse>& uses) {
  enqueue(name, uses, false,
          [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
            return table().clEnqueueNDRangeKernel(queue, kernel, 1, &range.first, &range.count,
                                                  range.local == 0 ? nullptr : &range.local, number, events, event);
          });
}

void RandomWorld::add() {
  const Object* const out = object_for(false, true);
  const Object* const a = object_for(true, false);
  const Object* const b = numbers_.one_in(4) ? nullptr : object_for(true, false);
  if (out == nullptr || a == nullptr) return;
  const std::size_t words = std::min({out->words(), a->words(), b != nullptr ? b->words() : a->words()});
  const Range range = range_of(words, true);
  const std::size_t begin = range.first * kWord;
  const std::size_t size = range.count * kWord;
  const RandomUse write = use_of(*out, begin, size, true);
  std::vector<RandomUse> uses{write};
  for (const Object* in : {a, b}) {
    if (in == nullptr) continue;
    const RandomUse read = use_of(*in, begin, size, false);
    // A work-item may read the word that it writes. It may not read other words that the launch writes.
    if (read.conflicts(write) && read.begin != write.begin) return;
    uses.push_back(read);
  }
  const OwnedKernel made = kernel("add");
  check("clSetKernelArg", table().clSetKernelArg(made, 0, sizeof(cl_mem), &out->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 1, sizeof(cl_mem), &a->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 2, sizeof(cl_mem), b != nullptr ? &b->memory : nullptr));
  launch("add", made, range, uses);
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    put_word(model_of(*out), i, word(model_of(*a), i) + (b != nullptr ? word(model_of(*b), i) : 7));
  }
}

void RandomWorld::scale() {
  const Object* const object = object_for(true, true);
  if (object == nullptr) return;
  const Range range = range_of(object->words(), true);
  const auto factor = static_cast<cl_uint>(numbers_.below(1000));
  const OwnedKernel made = kernel("scale");
  check("clSetKernelArg", table().clSetKernelArg(made, 0, sizeof(cl_mem), &object->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 1, sizeof factor, &factor));
  launch("scale", made, range, {use_of(*object, range.first * kWord, range.count * kWord, true)});
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    put_word(model_of(*object), i, word(model_of(*object), i) * factor + static_cast<cl_uint>(i));
  }
}

void RandomWorld::write_half() {
  const Object* const object = object_for(false, true);
  if (object == nullptr || object->words() <= kGroup) return;
  const Range range = range_of(object->words(), false);
  const auto lane = static_cast<cl_uint>(numbers_.below(2));
  const auto value = static_cast<cl_uint>(numbers_.below(1000));
  const OwnedKernel made = kernel("write_half");
  check("clSetKernelArg", table().clSetKernelArg(made, 0, sizeof(cl_mem), &object->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 1, sizeof lane, &lane));
  check("clSetKernelArg", table().clSetKernelArg(made, 2, sizeof value, &value));
  // The offset of a part is a multiple of two words, so the kernel and the model agree on which words are odd.
  const int kept = static_cast<int>(lane) + 1;
  launch("write_half", made, range, {use_of(*object, range.first * kWord, range.count * kWord, true, kept)});
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    if ((i & 1U) == lane) put_word(model_of(*object), i, value + static_cast<cl_uint>(i));
  }
}

void RandomWorld::reverse() {
  const Object* const out = object_for(false, true);
  const Object* const in = object_for(true, false);
  if (out == nullptr || in == nullptr) return;
  const std::size_t words = std::min(out->words(), in->words()) / kGroup * kGroup;
  const Range range{0, words, kGroup};
  const RandomUse write = use_of(*out, 0, words * kWord, true);
  const RandomUse read = use_of(*in, 0, words * kWord, false);
  if (write.conflicts(read)) return;
  const auto count = static_cast<cl_uint>(words);
  const OwnedKernel made = kernel("reverse");
  check("clSetKernelArg", table().clSetKernelArg(made, 0, sizeof(cl_mem), &out->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 1, sizeof(cl_mem), &in->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 2, sizeof count, &count));
  launch("reverse", made, range, {write, read});
  for (std::size_t i = 0; i < words; ++i) put_word(model_of(*out), words - 1 - i, word(model_of(*in), i));
}

void RandomWorld::turn_groups() {
  const Object* const object = object_for(true, true);
  if (object == nullptr || object->words() <= kGroup) return;
  Range range = range_of(object->words(), false);
  range.local = kGroup;
  const OwnedKernel made = kernel("turn_groups");
  check("clSetKernelArg", table().clSetKernelArg(made, 0, sizeof(cl_mem), &object->memory));
  check("clSetKernelArg", table().clSetKernelArg(made, 1, kGroup * kWord, nullptr));
  launch("turn_groups", made, range, {use_of(*object, range.first * kWord, range.count * kWord, true)});
  std::byte* const model = model_of(*object);
  for (std::size_t group = range.first; group < range.first + range.count; group += kGroup) {
    std::array<cl_uint, kGroup> words{};
    for (std::size_t i = 0; i < kGroup; ++i) words[i] = word(model, group + i);
    for (std::size_t i = 0; i < kGroup; ++i) put_word(model, group + i, words[kGroup - 1 - i]);
  }
}

}  // namespace troupe::tests
