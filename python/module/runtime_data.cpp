/// Members of `RuntimeState` for arrays: their registration, and the end of their registration.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "client/backend.hpp"
#include "client/embedded_backend.hpp"
#include "python/module/errors.hpp"
#include "python/module/runtime_state.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// Returns the range from the first byte of an array to the end of its last element.
std::pair<std::intptr_t, std::intptr_t> extent_of(const py::array& array) {
  auto begin = reinterpret_cast<std::intptr_t>(array.data());
  std::intptr_t end = begin + array.itemsize();
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    const std::intptr_t steps = (array.shape(i) - 1) * array.strides(i);
    (steps < 0 ? begin : end) += steps;
  }
  return {begin, array.size() == 0 ? begin : end};
}

/// Returns true if the address ranges of two arrays overlap. Ranges of arrays with gaps may overlap although the arrays
/// have no common byte.
bool share_memory(const py::array& one, const py::array& other) {
  const auto [begin, end] = extent_of(one);
  const auto [other_begin, other_end] = extent_of(other);
  return begin < other_end && other_begin < end;
}

/// Returns true if the two arrays, which have the same address, have the same elements, type, shape and strides.
bool alike(const py::array& one, const py::array& other) {
  return one.ndim() == other.ndim() && element_of(one.dtype()).tag == element_of(other.dtype()).tag &&
         std::equal(one.shape(), one.shape() + one.ndim(), other.shape()) &&
         std::equal(one.strides(), one.strides() + one.ndim(), other.strides());
}

/// Returns true if the data can be used for the array, which has their address.
bool serve(const ArrayData& data, const py::array& array) {
  if (data.released() || !data.unchanged()) return false;
  const auto other = py::reinterpret_borrow<py::array>(data.array(true));
  return alike(other, array) && (!array.writeable() || other.writeable());
}

}  // namespace

/// While an object of this class exists, other threads wait for the end of registrations that overlap with theirs.
class RuntimeState::EndsRegistrations {
 public:
  explicit EndsRegistrations(RuntimeState& state) : state_(state) {
    state_.ending_.push_back(PyThread_get_thread_ident());
  }
  ~EndsRegistrations() { state_.ending_.erase(std::ranges::find(state_.ending_, PyThread_get_thread_ident())); }
  EndsRegistrations(const EndsRegistrations&) = delete;
  EndsRegistrations& operator=(const EndsRegistrations&) = delete;

 private:
  RuntimeState& state_;
};

bool RuntimeState::others_end_registrations() const {
  const unsigned long here = PyThread_get_thread_ident();
  return std::ranges::any_of(ending_, [here](unsigned long thread) { return thread != here; });
}

void RuntimeState::remember(DataByAddress& all, const std::shared_ptr<ArrayData>& data) {
  all.data.emplace(data->address(), data);
  if (all.data.size() < all.look_through_at) return;
  std::erase_if(all.data, [](const auto& entry) { return entry.second.expired(); });
  all.look_through_at = std::max<std::size_t>(64, 2 * all.data.size());
}

std::shared_ptr<ArrayData> RuntimeState::known(const py::array& array) const {
  if (auto declared = declared_here(array)) return declared;
  const auto [begin, end] = known_.data.equal_range(array.data());
  for (auto at = begin; at != end; ++at) {
    auto data = at->second.lock();
    if (data != nullptr && serve(*data, array)) return data;
  }
  return nullptr;
}

std::shared_ptr<ArrayData> RuntimeState::declared_here(const py::array& array) const {
  // On a device with a memory of its own, a kernel in Python gets copies.
  if (const TaskCell* const task = task_here()) {
    for (std::size_t i = 0; i < task->parameters.size(); ++i) {
      const auto given = py::reinterpret_borrow<py::array>(KernelScope::argument(i));
      if (given && given.data() == array.data() && alike(given, array)) return task->parameters[i].data;
    }
  }
  return find_declared(
      [&array](const ArrayData& data) { return data.address() == array.data() && serve(data, array); });
}

bool RuntimeState::declares_here(const ArrayData& data) const {
  return find_declared([&data](const ArrayData& declared) {
           const ArrayData* at = &data;
           while (at != nullptr && at != &declared) at = at->whole.get();
           return at != nullptr;
         }) != nullptr;
}

std::shared_ptr<ArrayData> RuntimeState::find_declared(
    const std::function<bool(const ArrayData& data)>& is_wanted) const {
  for (const TaskCell* task = task_here(); task != nullptr; task = task->parent) {
    for (const TaskCell::Parameter& parameter : task->parameters) {
      if (parameter.data != nullptr && is_wanted(*parameter.data)) return parameter.data;
    }
    for (const std::shared_ptr<ArrayData>& data : task->weak) {
      if (is_wanted(*data)) return data;
    }
  }
  return nullptr;
}

std::shared_ptr<ArrayData> RuntimeState::add(const py::array& array, std::string name) {
  auto data = known(array);
  if (data != nullptr && data->name.empty() && !name.empty() && in_kernel() != this) {
    // The data belong to an array that was registered without a name. To add the name, register the array again, if no
    // other object refers to the data.
    data.reset();
    forget_bare(array);
    data = known(array);
  }
  if (data == nullptr) return register_array(array, std::move(name));
  if (data->name.empty()) data->name = std::move(name);
  return data;
}

std::shared_ptr<ArrayData> RuntimeState::register_array(const py::array& array, std::string name) {
  ArrayForm form = form_of(array, name);
  const bool may_wait = in_kernel() != this;
  const AsProgram as_program(*this);
  forget_dropped(false);
  const auto host = static_cast<std::byte*>(const_cast<void*>(array.data()));
  static std::byte nothing;
  const auto register_it = [&] {
    // `forget_dropped` releases the interpreter's lock, so the runtime may have ended meanwhile.
    return runtime()->backend().register_data({form.layout, host == nullptr ? &nothing : host, nullptr, name});
  };
  auto handle = register_it();
  std::shared_ptr<ArrayData> same;
  const auto overlaps = [&] {
    return same == nullptr && !handle && handle.failure().code == ErrorCode::overlapping_handles;
  };
  const auto try_again = [&] {
    // Another thread may have registered the same elements meanwhile.
    same = known(array);
    if (same == nullptr) handle = register_it();
  };
  if (overlaps()) {
    // The new array may overlap with an array that the program does not use any more, and whose last task is about to
    // end. So try again for a while, and longer if other threads end registrations, which may wait for their tasks: for
    // that of this kernel, too.
    constexpr int kTries = 20;
    constexpr int kTriesBesideOthers = 300'000;  // half a minute and more
    forget_unused_arrays();
    const auto tries = [&] { return may_wait && others_end_registrations() ? kTriesBesideOthers : kTries; };
    for (int attempt = 0; attempt < tries(); ++attempt) {
      forget_dropped(false);
      try_again();
      if (!overlaps() || (forgetting_.empty() && !others_end_registrations())) break;
      {
        const WithoutGil without;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }
  if (overlaps() && may_wait) {
    forget_bare(array);
    try_again();
  }
  if (same != nullptr) {
    if (same->name.empty()) same->name = std::move(name);
    return same;
  }
  if (!handle) raise(handle.failure().code, handle.failure().message);
  auto data = std::make_shared<ArrayData>(shared_from_this(), handle.value(), array, std::move(form));
  data->name = std::move(name);
  remember(known_, data);
  return data;
}

std::shared_ptr<ArrayData> RuntimeState::rebound(const void* address) const {
  const auto found = rebound_.data.find(address);
  return found == rebound_.data.end() ? nullptr : found->second.lock();
}

std::shared_ptr<ArrayData> RuntimeState::find_or_add(py::handle object) {
  const auto found = arrays_.find(object.ptr());
  if (found != arrays_.end()) {
    auto data = found->second;
    if (!data->released() && (data->moved() || !data->reshaped())) return data;
    if (!data->released()) forget_former(data);
    // Another thread may have registered the array again while this thread waited.
    const auto now = arrays_.find(object.ptr());
    if (now != arrays_.end() && now->second == data) arrays_.erase(now);
  }
  const py::array array = array_of(object);
  // Another array object with the same elements has the same data.
  if (auto data = known(array)) return data;
  if (arrays_.size() >= look_through_arrays_at_) {
    forget_unused_arrays();
    look_through_arrays_at_ = std::max<std::size_t>(64, 2 * arrays_.size());
  }
  auto data = register_array(array, "");
  arrays_.emplace(data->array(true).ptr(), data);
  return data;
}

void RuntimeState::forget_former(const std::shared_ptr<ArrayData>& data) {
  const auto refuse = [&data] {
    raise(ErrorCode::invalid_handle,
          data->description() +
              ": its shape, strides or dtype were changed while a kernel, a recording, or data that "
              "the program holds use it as it was: end that use first, or work on a copy");
  };
  if (in_kernel() == this) refuse();
  wait_for_tasks_on(*data);
  // The owners are the table of bare arrays and the caller.
  if (data.use_count() > 2) refuse();
  data->release();
}

void RuntimeState::wait_for_tasks_on(const ArrayData& data) {
  // Kernels in Python own the data until they have run. Their failures are reported elsewhere.
  const auto runtime = this->runtime();
  wait_without_lock([&] {
    const auto acquired = runtime->backend().acquire(data.handle(), AccessMode::read_write);
    if (acquired) runtime->backend().give_back(acquired.value().hold);
  });
}

void RuntimeState::forget_bare(const py::array& array) {
  std::vector<std::shared_ptr<ArrayData>> found;
  for (const auto& [object, data] : arrays_) {
    if (data.use_count() > 1 && share_memory(array, py::reinterpret_borrow<py::array>(data->array(true)))) {
      found.push_back(data);
    }
  }
  const EndsRegistrations ends(*this);
  for (const auto& data : found) wait_for_tasks_on(*data);
  found.clear();
  for (auto it = arrays_.begin(); it != arrays_.end();) {
    const bool shared =
        it->second.use_count() == 1 && share_memory(array, py::reinterpret_borrow<py::array>(it->second->array(true)));
    if (shared) found.push_back(std::move(it->second));
    it = shared ? arrays_.erase(it) : std::next(it);
  }
  for (const auto& data : found) data->release();
}

void RuntimeState::release(const Handle& handle) {
  if (!open()) return;
  const auto runtime = this->runtime();
  wait_without_lock([&] { runtime->release(handle); });
}

void RuntimeState::drop(const Handle& handle, KeptObject array) noexcept {
  if (foreign()) return;
  const std::lock_guard lock(dropped_mutex_);
  dropped_.push_back({handle, std::move(array)});
}

void RuntimeState::forget_dropped(bool waits) {
  if (!open()) return;
  const auto keep = runtime_;
  forget_dropped(*keep, graph_, waits);
}

void RuntimeState::forget_dropped(Runtime& runtime, graph::TaskGraph* graph, bool waits) {
  std::vector<Dropped> dropped;
  {
    const std::lock_guard lock(dropped_mutex_);
    dropped.swap(dropped_);
  }
  for (Dropped& one : dropped) {
    if (graph != nullptr && !waits) {
      one.unused = std::make_shared<std::atomic<bool>>(false);
      auto pending = graph->begin_change(one.handle, true, [unused = one.unused] { unused->store(true); });
      if (!pending) continue;
      one.pending = std::move(pending).value();
    }
    forgetting_.push_back(std::move(one));
  }
  const EndsRegistrations ends(*this);
  std::vector<Dropped> all = std::exchange(forgetting_, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    Dropped& one = all[i];
    // If another thread has ended the runtime meanwhile, this thread must end the registrations that it has taken from
    // the list.
    if (!waits && runtime_ != nullptr && one.unused != nullptr && !one.unused->load()) {
      forgetting_.push_back(std::move(one));
      continue;
    }
    // The outcome is not needed. The only possible failures are copies to the host that did not succeed, and the
    // program will not read these data through the runtime again.
    if (one.pending != nullptr || waits) {
      const WithoutGil without;
      [[maybe_unused]] const Result<void> outcome =
          one.pending != nullptr ? graph->finish_release(*one.pending) : runtime.backend().release(one.handle);
      continue;
    }
    try {
      // On a service this waits for the last use of the data.
      wait_without_lock([&] { [[maybe_unused]] const Result<void> outcome = runtime.backend().release(one.handle); });
    } catch (const py::error_already_set&) {
      std::move(all.begin() + static_cast<std::ptrdiff_t>(i), all.end(), std::back_inserter(forgetting_));
      throw;
    }
  }
}

void RuntimeState::forget_unused_arrays() {
  // End the registration of arrays without a name to which only the runtime still refers.
  for (auto it = arrays_.begin(); it != arrays_.end();) {
    const bool unused = it->second.use_count() == 1 && Py_REFCNT(it->first) == it->second->own_references();
    it = unused ? arrays_.erase(it) : std::next(it);
  }
}

}  // namespace troupe::python
