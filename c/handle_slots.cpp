#include "c/handle_slots.hpp"

#include <string>
#include <utility>

#include "c/values.hpp"
#include "troupe/errors.hpp"

namespace troupe::c {

HandleSlots& HandleSlots::get() {
  // The object is never destroyed, because global objects of the program may still use it in their destructors.
  static auto* const all = new HandleSlots;
  return *all;
}

troupe_handle HandleSlots::add_locked(const Meaning& meaning) {
  if (free_.empty()) {
    slots_.emplace_back();
    // Reserve room for all slots now: `remove` pushes to `free_` and must not allocate.
    free_.reserve(slots_.size());
    free_.push_back(slots_.size() - 1);
  }
  const std::uint64_t slot = free_.back();
  slots_[slot].meaning = meaning;
  slots_[slot].id = next_id_++;
  free_.pop_back();
  return {slot, slots_[slot].id};
}

troupe_handle HandleSlots::add(const Meaning& meaning) {
  const LockGuard lock(mutex_);
  return add_locked(meaning);
}

void HandleSlots::add_parts(troupe_handle whole, std::uint64_t runtime, const std::vector<Handle>& handles,
                            troupe_handle* parts) {
  const LockGuard lock(mutex_);
  Meaning meaning = find_locked(whole, runtime);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    meaning.handle = handles[i];
    parts[i] = add_locked(meaning);
    slots_[whole.slot].parts.push_back(parts[i]);
  }
}

const HandleSlots::Meaning& HandleSlots::find_locked(troupe_handle handle, std::uint64_t runtime) {
  if (handle.id == 0) {
    throw Error(ErrorCode::invalid_handle, "an empty handle was used: register data with the runtime first");
  }
  if (handle.slot >= slots_.size() || slots_[handle.slot].id != handle.id) {
    throw Error(ErrorCode::invalid_handle,
                "handle " + std::to_string(handle.id) + " was used after its data or their runtime were freed");
  }
  const Meaning& meaning = slots_[handle.slot].meaning;
  if (meaning.runtime == runtime) return meaning;
  throw Error(ErrorCode::invalid_handle,
              "handle " + std::to_string(handle.id) + " belongs to another runtime: register the data with this one");
}

HandleSlots::Meaning HandleSlots::find(troupe_handle handle, std::uint64_t runtime) {
  const LockGuard lock(mutex_);
  return find_locked(handle, runtime);
}

void HandleSlots::find_all(const troupe_access* accesses, std::size_t count, std::uint64_t runtime,
                           std::vector<Access>& found) {
  const LockGuard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) {
    const Handle& handle = find_locked(accesses[i].handle, runtime).handle;
    if (accesses[i].mode == TROUPE_DECLARED) {
      found.emplace_back(handle);
    } else {
      found.emplace_back(handle, mode_of(accesses[i].mode));
    }
  }
}

void HandleSlots::remove_locked(troupe_handle handle) noexcept {
  if (handle.slot >= slots_.size() || slots_[handle.slot].id != handle.id) return;
  Slot& slot = slots_[handle.slot];
  slot.id = 0;
  free_.push_back(handle.slot);
  for (const troupe_handle part : std::exchange(slot.parts, {})) remove_locked(part);
}

void HandleSlots::remove(troupe_handle handle) noexcept {
  const LockGuard lock(mutex_);
  remove_locked(handle);
}

void HandleSlots::remove_all(std::uint64_t runtime) noexcept {
  const LockGuard lock(mutex_);
  for (std::uint64_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].id != 0 && slots_[i].meaning.runtime == runtime) remove_locked({i, slots_[i].id});
  }
}

}  // namespace troupe::c
