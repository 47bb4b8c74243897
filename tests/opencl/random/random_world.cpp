#include "tests/opencl/random/random_world.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace troupe::tests {

namespace {

/// Buffers are numbered from 0 and blocks from this number.
constexpr int kFirstBlock = 100;
constexpr std::size_t kBlockSize = 2048;

bool overlap(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) { return a < b_end && b < a_end; }

}  // namespace

RandomWorld::RandomWorld(const RandomContext& context, RandomNumbers& numbers, std::vector<std::string>& problems)
    : context_(context), numbers_(numbers), problems_(problems) {
  make_queues();
  make_buffers();
  for (int i = 0; i < 4; ++i) {
    Block& block = blocks_.emplace_back();
    for (std::size_t k = 0; k < kBlockSize; ++k) block.real.push_back(static_cast<std::byte>(numbers_.below(256)));
    block.model = block.real;
  }
}

void RandomWorld::make_queues() {
  const std::size_t count = 1 + numbers_.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_order = numbers_.below(2) == 0;
    cl_command_queue_properties properties = in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (numbers_.one_in(4)) properties |= CL_QUEUE_PROFILING_ENABLE;
    const std::size_t device = numbers_.below(context_.devices.size() + 1);
    cl_int status = 1;
    Queue& made = queues_.emplace_back();
    made.in_order = in_order;
    made.queue = OwnedQueue(table().clCreateCommandQueue(
        context_.context, device == context_.devices.size() ? nullptr : context_.devices[device], properties, &status));
    check("clCreateCommandQueue", status);
    (void)order_.add_queue(in_order);
  }
}

void RandomWorld::make_buffers() {
  static constexpr std::array<std::size_t, 5> kSizes{256, 1024, 1283, 2048, 4096};
  const std::size_t count = 3 + numbers_.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = kSizes[numbers_.below(kSizes.size())];
    Root& root = roots_.emplace_back();
    for (std::size_t k = 0; k < size; ++k) root.model.push_back(static_cast<std::byte>(numbers_.below(256)));
    cl_mem_flags flags = 0;
    void* pointer = nullptr;
    if (numbers_.one_in(8)) flags |= CL_MEM_WRITE_ONLY;
    if (flags == 0 && numbers_.one_in(8)) flags |= CL_MEM_READ_ONLY;
    root.device_reads = (flags & CL_MEM_WRITE_ONLY) == 0;
    root.device_writes = (flags & CL_MEM_READ_ONLY) == 0;
    const std::size_t how = numbers_.below(4);
    if (how == 0) {
      root.program_memory = std::make_unique<std::vector<std::byte>>(root.model);
      flags |= CL_MEM_USE_HOST_PTR;
      pointer = root.program_memory->data();
    } else if (how == 1) {
      flags |= CL_MEM_COPY_HOST_PTR;
      pointer = root.model.data();
    } else if (numbers_.one_in(3)) {
      flags |= CL_MEM_ALLOC_HOST_PTR;
    }
    cl_int status = 1;
    root.memory = OwnedMemory(table().clCreateBuffer(context_.context, flags, size, pointer, &status));
    check("clCreateBuffer", status);
    objects_.push_back({root.memory, static_cast<int>(i), 0, size});
    if (how > 1) {
      // The first command fills the whole buffer, because its content is undefined before.
      const cl_uchar pattern = static_cast<cl_uchar>(numbers_.below(256));
      const Object whole = objects_.back();
      enqueue("first fill", {use_of(whole, 0, size, true)}, false,
              [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
                return table().clEnqueueFillBuffer(queue, whole.memory, &pattern, 1, 0, size, number, events, event);
              });
      std::ranges::fill(root.model, std::byte{pattern});
    }
    make_parts(static_cast<int>(i));
  }
}

void RandomWorld::make_parts(int root) {
  const std::size_t size = roots_[static_cast<std::size_t>(root)].model.size();
  for (std::size_t parts = numbers_.below(4); parts > 0; --parts) {
    const std::size_t offset = numbers_.below(size / context_.alignment) * context_.alignment;
    const std::size_t room = (size - offset) / 64;
    if (room == 0) continue;
    const cl_buffer_region region{offset, (1 + numbers_.below(room)) * 64};
    cl_int status = 1;
    OwnedMemory& part = parts_.emplace_back(table().clCreateSubBuffer(roots_[static_cast<std::size_t>(root)].memory, 0,
                                                                      CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check("clCreateSubBuffer", status);
    objects_.push_back({part, root, region.origin, region.size});
  }
}

void RandomWorld::step() {
  using Step = void (RandomWorld::*)();
  static constexpr std::array<Step, 26> kSteps{&RandomWorld::write,
                                               &RandomWorld::read,
                                               &RandomWorld::copy,
                                               &RandomWorld::fill,
                                               &RandomWorld::write_rectangle,
                                               &RandomWorld::read_rectangle,
                                               &RandomWorld::copy_rectangle,
                                               &RandomWorld::add,
                                               &RandomWorld::add,
                                               &RandomWorld::scale,
                                               &RandomWorld::scale,
                                               &RandomWorld::write_half,
                                               &RandomWorld::write_half,
                                               &RandomWorld::reverse,
                                               &RandomWorld::reverse,
                                               &RandomWorld::turn_groups,
                                               &RandomWorld::migrate,
                                               &RandomWorld::map,
                                               &RandomWorld::map,
                                               &RandomWorld::end_map,
                                               &RandomWorld::end_map,
                                               &RandomWorld::mark,
                                               &RandomWorld::barrier,
                                               &RandomWorld::make_user_event,
                                               &RandomWorld::set_user_event,
                                               &RandomWorld::wait_for_something};
  (this->*kSteps[numbers_.below(kSteps.size())])();
}

int RandomWorld::enqueue(const char* what, const std::vector<RandomUse>& uses, bool may_block, const Enqueue& call) {
  return enqueue_on(static_cast<int>(numbers_.below(queues_.size())), what, uses, may_block, call);
}

int RandomWorld::enqueue_on(int queue, const char* what, const std::vector<RandomUse>& uses, bool may_block,
                            const Enqueue& call) {
  RandomOrder::Plan plan = order_.plan(queue, uses);
  // In some cases the command also waits for commands for which it need not wait.
  if (order_.size() > 0 && numbers_.one_in(4)) {
    const int command = static_cast<int>(numbers_.below(static_cast<std::size_t>(order_.size())));
    order_.wait_for_command(plan, command);
  }
  std::vector<cl_event> list;
  for (const int command : std::vector<int>(plan.waits)) list.push_back(wait_by_event(plan, command));
  if (!user_events_.empty() && numbers_.one_in(5)) {
    const std::size_t user_event = numbers_.below(user_events_.size());
    order_.wait_for_user_event(plan, static_cast<int>(user_event));
    list.push_back(user_events_[user_event]);
  }
  numbers_.shuffle(list);
  const bool blocks = may_block && !order_.held(plan.before) && numbers_.one_in(2);
  cl_event event = nullptr;
  const bool wants_event = !numbers_.one_in(6);
  check(what,
        call(queues_[static_cast<std::size_t>(queue)].queue, blocks ? CL_TRUE : CL_FALSE,
             static_cast<cl_uint>(list.size()), list.empty() ? nullptr : list.data(), wants_event ? &event : nullptr));
  const int number = order_.add(queue, std::move(plan), uses);
  keep_event(number, event);
  if (blocks) order_.finished(number);
  return number;
}

int RandomWorld::with_event(int command) {
  if (events_[static_cast<std::size_t>(command)].get() != nullptr) return command;
  const int queue = order_.queue_of(command);
  RandomOrder::Plan plan = order_.plan(queue, {});
  order_.wait_for_queue(plan, queue);
  cl_event marker = nullptr;
  check("clEnqueueMarkerWithWaitList",
        table().clEnqueueMarkerWithWaitList(queues_[static_cast<std::size_t>(queue)].queue, 0, nullptr, &marker));
  const int number = order_.add(queue, std::move(plan), {});
  keep_event(number, marker);
  return number;
}

cl_event RandomWorld::wait_by_event(RandomOrder::Plan& plan, int command) {
  const int seen = with_event(command);
  if (seen != command) order_.wait_for_command(plan, seen);
  return events_[static_cast<std::size_t>(seen)];
}

void RandomWorld::keep_event(int command, cl_event event) {
  events_.resize(static_cast<std::size_t>(command) + 1);
  events_[static_cast<std::size_t>(command)] = OwnedEvent(event);
}

void RandomWorld::mark() {
  enqueue_in_order("clEnqueueMarkerWithWaitList", table().clEnqueueMarkerWithWaitList, false);
}

void RandomWorld::barrier() {
  enqueue_in_order("clEnqueueBarrierWithWaitList", table().clEnqueueBarrierWithWaitList, true);
}

void RandomWorld::enqueue_in_order(const char* what, OrderEntry entry, bool holds_later) {
  const int queue = static_cast<int>(numbers_.below(queues_.size()));
  RandomOrder::Plan plan = order_.plan(queue, {});
  std::vector<cl_event> list;
  if (numbers_.one_in(2) && order_.size() > 0) {
    const int command = static_cast<int>(numbers_.below(static_cast<std::size_t>(order_.size())));
    order_.wait_for_command(plan, command);
    list.push_back(wait_by_event(plan, command));
  } else {
    order_.wait_for_queue(plan, queue);
  }
  cl_event event = nullptr;
  check(what, entry(queues_[static_cast<std::size_t>(queue)].queue, static_cast<cl_uint>(list.size()),
                    list.empty() ? nullptr : list.data(), &event));
  keep_event(order_.add(queue, std::move(plan), {}, holds_later), event);
}

void RandomWorld::make_user_event() {
  if (user_events_.size() >= 4) return;
  cl_int status = 1;
  user_events_.emplace_back(table().clCreateUserEvent(context_.context, &status));
  check("clCreateUserEvent", status);
  (void)order_.add_user_event();
}

void RandomWorld::set_user_event() {
  if (user_events_.empty()) return;
  const std::size_t number = numbers_.below(user_events_.size());
  if (order_.is_set(static_cast<int>(number))) return;
  check("clSetUserEventStatus", table().clSetUserEventStatus(user_events_[number], CL_COMPLETE));
  order_.set(static_cast<int>(number));
}

std::vector<cl_event> RandomWorld::take_unset_events() {
  std::vector<cl_event> unset;
  for (std::size_t i = 0; i < user_events_.size(); ++i) {
    if (order_.is_set(static_cast<int>(i))) continue;
    order_.set(static_cast<int>(i));
    unset.push_back(user_events_[i]);
  }
  return unset;
}

void RandomWorld::wait_for_something() {
  if (numbers_.one_in(3)) {
    const int queue = static_cast<int>(numbers_.below(queues_.size()));
    if (order_.held_queue(queue)) return;
    check("clFinish", table().clFinish(queues_[static_cast<std::size_t>(queue)].queue));
    order_.finished_queue(queue);
    return;
  }
  if (order_.size() == 0) return;
  const int command = static_cast<int>(numbers_.below(static_cast<std::size_t>(order_.size())));
  if (order_.held(command)) return;
  const cl_event event = events_[static_cast<std::size_t>(command)];
  if (event == nullptr) return;
  check("clWaitForEvents", table().clWaitForEvents(1, &event));
  order_.finished(command);
}

void RandomWorld::end_map() {
  const auto found = std::ranges::find_if(maps_, [this](const Map& map) { return !order_.held(map.command); });
  if (found == maps_.end()) return;
  const Map map = *found;
  maps_.erase(found);
  const cl_event event = events_[static_cast<std::size_t>(map.command)];
  check("clWaitForEvents of a map", table().clWaitForEvents(1, &event));
  order_.finished(map.command);
  std::byte* const model = model_of(map.object) + map.offset;
  if (map.flags != CL_MAP_WRITE_INVALIDATE_REGION) compare("map", map.place, model, map.size);
  for (std::size_t i = 0; map.writes() && i < map.size; ++i) {
    if (map.flags == CL_MAP_WRITE_INVALIDATE_REGION || numbers_.one_in(3)) {
      map.place[i] = model[i] = static_cast<std::byte>(numbers_.below(256));
    }
  }
  enqueue("clEnqueueUnmapMemObject", {use_of_map(map)}, false,
          [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event_of_unmap) {
            return table().clEnqueueUnmapMemObject(queue, map.object.memory, map.place, number, events, event_of_unmap);
          });
}

void RandomWorld::end() {
  while (!maps_.empty()) end_map();
  if (numbers_.one_in(2)) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      check("clFinish", table().clFinish(queues_[i].queue));
      order_.finished_queue(static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i < roots_.size(); ++i) compare(static_cast<int>(i));
  for (const Queue& queue : queues_) check("clFinish", table().clFinish(queue.queue));
  for (const Block& block : blocks_)
    compare("memory of the program", block.real.data(), block.model.data(), kBlockSize);
  numbers_.shuffle(queues_);
  numbers_.shuffle(parts_);
}

void RandomWorld::compare(int root) {
  Root& from = roots_[static_cast<std::size_t>(root)];
  const Object whole{from.memory, root, 0, from.model.size()};
  std::vector<std::byte> content(from.model.size());
  const int command =
      enqueue("last read", {use_of(whole, 0, whole.size, false)}, false,
              [&](cl_command_queue queue, cl_bool, cl_uint number, const cl_event* events, cl_event* event) {
                return table().clEnqueueReadBuffer(queue, whole.memory, CL_TRUE, 0, whole.size, content.data(), number,
                                                   events, event);
              });
  order_.finished(command);
  compare("buffer at the end", content.data(), from.model.data(), content.size());
}

void RandomWorld::check(const char* what, cl_int status) {
  if (status != CL_SUCCESS) problems_.push_back(std::string(what) + ": " + std::to_string(status));
}

void RandomWorld::compare(const char* what, const std::byte* real, const std::byte* model, std::size_t size) {
  if (std::memcmp(real, model, size) == 0) return;
  const auto at = static_cast<std::size_t>(std::mismatch(real, real + size, model).first - real);
  problems_.push_back(std::string(what) + ": byte " + std::to_string(at) + " of " + std::to_string(size) + " is " +
                      std::to_string(static_cast<int>(real[at])) + ", not " +
                      std::to_string(static_cast<int>(model[at])));
}

bool RandomWorld::locked(const Object& object, bool writes) const {
  return std::ranges::any_of(maps_, [&](const Map& map) {
    if (map.object.root != object.root) return false;
    // If the buffer uses the program's own memory, a map may move the content of the whole buffer.
    if (map.writes() && root_of(object).program_memory != nullptr) return true;
    return (writes || map.writes()) &&
           overlap(map.object.offset, map.object.offset + map.object.size, object.offset, object.offset + object.size);
  });
}

RandomUse RandomWorld::use_of(const Object& object, std::size_t offset, std::size_t size, bool writes, int lane) {
  return {object.root, object.offset + offset, object.offset + offset + size, writes, lane};
}

RandomUse RandomWorld::use_of_map(const Map& map) const {
  const Root& root = root_of(map.object);
  if (map.writes() && root.program_memory != nullptr) return {map.object.root, 0, root.model.size(), true};
  return use_of(map.object, 0, map.object.size, map.writes());
}

RandomUse RandomWorld::use_of_block(int block, std::size_t offset, std::size_t size, bool writes) {
  return {kFirstBlock + block, offset, offset + size, writes, 0};
}

}  // namespace troupe::tests
