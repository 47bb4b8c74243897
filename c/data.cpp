/// Data of the C interface.
#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "c/element_types.hpp"
#include "c/guard.hpp"
#include "c/objects.hpp"
#include "c/values.hpp"
#include "client/backend.hpp"
#include "client/matrix_shape.hpp"

namespace troupe::c {

namespace {

troupe_view view_of(const DataView& view) {
  const Layout& layout = view.layout;
  return {view.data, layout.rows, layout.cols, layout.ld, layout.element_size, layout.planes, layout.plane_stride};
}

void give_data(const GivingCall& call, troupe_type type, graph::DataDescription description, troupe_data** data) {
  auto made = std::make_unique<troupe_data>();
  made->state = call.state();
  const Handle handle = call.runtime().backend().register_data(std::move(description)).value_or_throw();
  made->handle = HandleSlots::get().add({handle, type, call.state()->number()});
  *data = made.release();
}

Layout layout_of_matrix(troupe_type type, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  const ElementType element = element_type(type);
  client::check_matrix_shape(rows, cols, ld, element.size);
  return {rows, cols, ld, static_cast<std::uint32_t>(element.size), element.tag};
}

Layout layout_of_volume(troupe_type type, const troupe_shape* shape) {
  require(shape, "shape");
  const VolumeShape volume{shape->rows, shape->cols, shape->planes, shape->ld, shape->plane_stride};
  const ElementType element = element_type(type);
  client::check_volume_shape(volume, element.size);
  Layout layout = layout_of<std::byte>(volume);
  layout.element_size = static_cast<std::uint32_t>(element.size);
  layout.element_tag = element.tag;
  return layout;
}

/// Registers memory of the program, in the layout that `make_layout` returns.
template <class MakeLayout>
troupe_error register_memory(troupe_runtime* runtime, troupe_type type, void* memory, const char* name,
                             troupe_data** data, const MakeLayout& make_layout) {
  return guarded([&] {
    require(runtime, "runtime");
    require(data, "data");
    const Layout layout = make_layout();
    const GivingCall call(runtime->state);
    if (layout.elements() != 0 && call.state()->has_memory()) require(memory, "memory");
    give_data(call, type, {layout, static_cast<std::byte*>(memory), nullptr, text_of(name)}, data);
  });
}

/// Allocates memory of the runtime, in the layout that `make_layout` returns.
template <class MakeLayout>
troupe_error allocate_memory(troupe_runtime* runtime, troupe_type type, const char* name, troupe_data** data,
                             const MakeLayout& make_layout) {
  return guarded([&] {
    require(runtime, "runtime");
    require(data, "data");
    const Layout layout = make_layout();
    const GivingCall call(runtime->state);
    graph::DataDescription description{layout, nullptr, nullptr, text_of(name), true, true};
    if (call.state()->has_memory()) {
      const Bytes size{static_cast<std::uint64_t>(layout.extent()) * layout.element_size};
      client::Memory memory = call.runtime().allocate_bytes(size);
      description.host = memory.data.get();
      description.owned = std::move(memory.data);
    }
    give_data(call, type, std::move(description), data);
  });
}

Block block_of(const troupe_block& block) { return {block.row, block.col, block.rows, block.cols}; }

Block block_of(const troupe_box& box) {
  const auto step = [](std::int64_t given) { return given == 0 ? 1 : given; };
  if (box.planes == 0 && box.rows != 0 && box.cols != 0) {
    throw Error(ErrorCode::invalid_argument, "a box has no planes: set planes, to 1 for a box of one plane");
  }
  return {box.row, box.col, box.rows, box.cols, box.plane, box.planes, step(box.col_step), step(box.plane_step)};
}

/// Returns the methods of the reduction that sums up numbers. TROUPE_BOOL has no sum, because in C++ true + true,
/// stored as a bool, is true.
template <class T>
ReductionMethods sum_of() {
  if constexpr (std::is_same_v<T, bool>) {
    throw Error(ErrorCode::invalid_argument, "there is no sum of TROUPE_BOOL: use troupe_set_reduction");
  } else {
    return sum_reduction<T>();
  }
}

/// Makes handles of the blocks by calling `make`, and stores these handles.
template <class CBlock, class Make>
troupe_error add_blocks(troupe_runtime* runtime, troupe_handle whole, const CBlock* blocks, size_t count,
                        troupe_handle* handles, const Make& make) {
  return guarded([&] {
    require(runtime, "runtime");
    const GivingCall call(runtime->state);
    const HandleSlots::Meaning meaning = HandleSlots::get().find(whole, call.state()->number());
    if (count == 0) return;
    require(blocks, "blocks");
    require(handles, "parts");
    std::vector<Block> cut;
    for (size_t i = 0; i < count; ++i) cut.push_back(block_of(blocks[i]));
    HandleSlots::get().add_parts(whole, call.state()->number(), make(call.runtime(), meaning.handle, cut), handles);
  });
}

using BlockSpan = std::span<const Block>;

std::vector<Handle> divide(Runtime& runtime, const Handle& whole, BlockSpan blocks) {
  return runtime.partition(whole, blocks);
}

std::vector<Handle> divide_anew(Runtime& runtime, const Handle& whole, BlockSpan blocks) {
  return runtime.repartition(whole, blocks);
}

/// Returns a function that makes halo parts: blocks with a rim of this width, which tasks only read.
auto with_halos(const Rim& rim) {
  return [rim](Runtime& runtime, const Handle& whole, BlockSpan blocks) {
    const std::vector<Halo> made = runtime.halos(whole, blocks, rim);
    return std::vector<Handle>(made.begin(), made.end());
  };
}

/// Calls `take` with the layout of the data that are held, and returns their memory; null if the hold has ended, or if
/// `take` throws.
template <class Take>
void* look_at(const troupe_hold* hold, const Take& take) {
  void* memory = nullptr;
  static_cast<void>(guarded([&] {
    require(hold, "hold");
    const std::shared_ptr<RuntimeState> state = living(hold->state);
    const auto access = hold->content->get();
    const DataView& view = (*access)->view();
    take(view.layout);
    memory = view.data;
  }));
  return memory;
}

}  // namespace
}  // namespace troupe::c

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

troupe_error troupe_register(troupe_runtime* runtime, troupe_type type, void* memory, int64_t rows, int64_t cols,
                             int64_t ld, const char* name, troupe_data** data) {
  return register_memory(runtime, type, memory, name, data, [=] { return layout_of_matrix(type, rows, cols, ld); });
}

troupe_error troupe_allocate(troupe_runtime* runtime, troupe_type type, int64_t rows, int64_t cols, const char* name,
                             troupe_data** data) {
  return allocate_memory(runtime, type, name, data,
                         [=] { return layout_of_matrix(type, rows, cols, std::max<std::int64_t>(rows, 1)); });
}

troupe_error troupe_register_volume(troupe_runtime* runtime, troupe_type type, void* memory, const troupe_shape* shape,
                                    const char* name, troupe_data** data) {
  return register_memory(runtime, type, memory, name, data, [=] { return layout_of_volume(type, shape); });
}

troupe_error troupe_allocate_volume(troupe_runtime* runtime, troupe_type type, const troupe_shape* shape,
                                    const char* name, troupe_data** data) {
  return allocate_memory(runtime, type, name, data, [=] { return layout_of_volume(type, shape); });
}

troupe_error troupe_data_free(troupe_data* data) {
  return guarded([&] {
    if (data == nullptr) return;
    if (const auto state = data->state.lock()) {
      try {
        const HandleSlots::Meaning meaning = HandleSlots::get().find(data->handle, state->number());
        state->runtime().release(meaning.handle);
        HandleSlots::get().remove(data->handle);
      } catch (const Error& error) {
        // Ignore this error: another thread is freeing the runtime and with it the data.
        if (error.code() != ErrorCode::invalid_handle) throw;
      }
    }
    delete data;
  });
}

troupe_handle troupe_data_handle(const troupe_data* data) { return data == nullptr ? troupe_handle{} : data->handle; }

troupe_error troupe_partition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                              troupe_handle* parts) {
  return add_blocks(runtime, whole, blocks, count, parts, divide);
}

troupe_error troupe_repartition(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                                troupe_handle* parts) {
  return add_blocks(runtime, whole, blocks, count, parts, divide_anew);
}

troupe_error troupe_halos(troupe_runtime* runtime, troupe_handle whole, const troupe_block* blocks, size_t count,
                          int64_t rim_rows, int64_t rim_cols, troupe_handle* halos) {
  return add_blocks(runtime, whole, blocks, count, halos, with_halos(Rim(rim_rows, rim_cols)));
}

troupe_error troupe_partition_volume(troupe_runtime* runtime, troupe_handle whole, const troupe_box* boxes,
                                     size_t count, troupe_handle* parts) {
  return add_blocks(runtime, whole, boxes, count, parts, divide);
}

troupe_error troupe_repartition_volume(troupe_runtime* runtime, troupe_handle whole, const troupe_box* boxes,
                                       size_t count, troupe_handle* parts) {
  return add_blocks(runtime, whole, boxes, count, parts, divide_anew);
}

troupe_error troupe_halos_volume(troupe_runtime* runtime, troupe_handle whole, const troupe_box* boxes, size_t count,
                                 int64_t rim_rows, int64_t rim_cols, int64_t rim_planes, troupe_handle* halos) {
  return add_blocks(runtime, whole, boxes, count, halos, with_halos(Rim(rim_rows, rim_cols, rim_planes)));
}

troupe_error troupe_discard(troupe_runtime* runtime, troupe_handle handle) {
  return guarded([&] {
    require(runtime, "runtime");
    const GivingCall call(runtime->state);
    call.runtime().discard(HandleSlots::get().find(handle, call.state()->number()).handle);
  });
}

troupe_error troupe_set_sum(troupe_runtime* runtime, troupe_handle handle, troupe_type type) {
  return guarded([&] {
    require(runtime, "runtime");
    const GivingCall call(runtime->state);
    const HandleSlots::Meaning meaning = HandleSlots::get().find(handle, call.state()->number());
    if (meaning.type != type) {
      throw Error(ErrorCode::signature_mismatch, "troupe_set_sum for elements of troupe_type " + std::to_string(type) +
                                                     ", and the data have elements of troupe_type " +
                                                     std::to_string(meaning.type));
    }
    if (type >= kFirstOwnType) {
      throw Error(ErrorCode::invalid_argument,
                  "nobody knows how to add elements of a type of the program's own: use troupe_set_reduction");
    }
    call.runtime().set_reduction(meaning.handle, with_type(type, []<class T>() { return sum_of<T>(); }));
  });
}

troupe_error troupe_set_reduction(troupe_runtime* runtime, troupe_handle handle, troupe_initialize initialize,
                                  troupe_combine combine, void* user, void (*destroy)(void* user)) {
  return guarded([&] {
    require(runtime, "runtime");
    require(reinterpret_cast<const void*>(initialize), "initialize");
    require(reinterpret_cast<const void*>(combine), "combine");
    const GivingCall call(runtime->state);
    const HandleSlots::Meaning meaning = HandleSlots::get().find(handle, call.state()->number());
    // If `troupe_set_reduction` fails, the caller keeps `user`, and `destroy` is not called.
    const auto keeps = std::make_shared<bool>(true);
    const std::shared_ptr<void> owner(user, [keeps, destroy](void* last) {
      if (!*keeps && destroy != nullptr) destroy(last);
    });
    ReductionMethods methods;
    methods.initialize = [initialize, owner](const DataView& partial) {
      const troupe_view seen = view_of(partial);
      initialize(&seen, owner.get());
    };
    methods.combine = [combine, owner](const DataView& into, const DataView& from) {
      const troupe_view target = view_of(into);
      const troupe_view source = view_of(from);
      combine(&target, &source, owner.get());
    };
    call.runtime().set_reduction(meaning.handle, std::move(methods));
    *keeps = false;
  });
}

troupe_error troupe_acquire(troupe_runtime* runtime, troupe_handle handle, troupe_mode mode, troupe_hold** hold) {
  return guarded([&] {
    require(runtime, "runtime");
    require(hold, "hold");
    const GivingCall call(runtime->state);
    const HandleSlots::Meaning meaning = HandleSlots::get().find(handle, call.state()->number());
    // The kernel of a nested task gives back its holds itself. If another thread closes the runtime meanwhile, such a
    // hold must last, because the kernel uses the memory.
    const bool first = !call.state()->in_kernel();
    // `std::make_unique` would move the access, which must not be moved (see `troupe_hold`).
    const AccessMode asked = mode_of(mode);
    std::unique_ptr<HostAccess> access(new HostAccess(call.runtime().acquire(meaning.handle, asked)));  // NOLINT
    *hold = new troupe_hold(call.state(), troupe_hold::on(*call.state(), std::move(access), first));
  });
}

void* troupe_hold_memory(const troupe_hold* hold, int64_t* rows, int64_t* cols, int64_t* ld) {
  return look_at(hold, [=](const Layout& layout) {
    if (layout.planes != 1) {
      throw Error(ErrorCode::signature_mismatch,
                  "the data have " + std::to_string(layout.planes) + " planes: use troupe_hold_volume");
    }
    if (rows != nullptr) *rows = layout.rows;
    if (cols != nullptr) *cols = layout.cols;
    if (ld != nullptr) *ld = layout.ld;
  });
}

void* troupe_hold_volume(const troupe_hold* hold, troupe_shape* shape) {
  return look_at(hold, [=](const Layout& layout) {
    if (shape != nullptr) *shape = shape_of(layout);
  });
}

void troupe_hold_free(troupe_hold* hold) { delete hold; }
}
