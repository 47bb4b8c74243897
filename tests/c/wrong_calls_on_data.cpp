#include <limits>
#include <tuple>

#include "tests/c/wrong_calls.hpp"

namespace troupe::tests {

namespace {

/// Calls a function that makes handles of blocks, each time with one wrong argument.
template <class BlockType = troupe_block, class Function>
Calls calls_for_blocks(Objects& o, const Function& function) {
  BlockType outside{};
  outside.rows = outside.cols = 5;
  troupe_handle part;
  return {function(nullptr, o.handle, &outside, 1, &part), function(o.runtime, kGarbage, &outside, 1, &part),
          function(o.runtime, o.handle, nullptr, 1, &part), function(o.runtime, o.handle, &outside, 1, nullptr),
          function(o.runtime, o.handle, &outside, 1, &part)};
}

}  // namespace

Table calls_on_data() {
  return {
      {"troupe_type_define",
       [](Objects&) {
         troupe_type type = 0;
         return Calls{troupe_type_define(nullptr, 8, 8, &type), troupe_type_define("", 8, 8, &type),
                      troupe_type_define("t", 0, 8, &type),     troupe_type_define("t", 8, 3, &type),
                      troupe_type_define("t", 8, 0, &type),     troupe_type_define("t", 12, 8, &type),
                      troupe_type_define("t", 8, 8, nullptr)};
       }},
      {"troupe_type_size",
       [](Objects&) {
         size_t size = 0;
         return Calls{troupe_type_size(TROUPE_DOUBLE, nullptr), troupe_type_size(-1, &size),
                      troupe_type_size(999, &size), troupe_type_size(1000000, &size)};
       }},
      {"troupe_register_volume",
       [](Objects& o) {
         troupe_data* d = nullptr;
         const troupe_shape shape{1, 1, 1, 0, 0}, negative{1, -1, 1, 0, 0}, tight{4, 4, 4, 4, 15};
         return Calls{troupe_register_volume(nullptr, TROUPE_DOUBLE, &o.x, &shape, nullptr, &d),
                      troupe_register_volume(o.runtime, -1, &o.x, &shape, nullptr, &d),
                      troupe_register_volume(o.runtime, TROUPE_DOUBLE, nullptr, &shape, nullptr, &d),
                      troupe_register_volume(o.runtime, TROUPE_DOUBLE, &o.x, nullptr, nullptr, &d),
                      troupe_register_volume(o.runtime, TROUPE_DOUBLE, &o.x, &negative, nullptr, &d),
                      troupe_register_volume(o.runtime, TROUPE_DOUBLE, &o.x, &tight, nullptr, &d),
                      troupe_register_volume(o.runtime, TROUPE_DOUBLE, &o.x, &shape, nullptr, nullptr)};
       }},
      {"troupe_allocate_volume",
       [](Objects& o) {
         troupe_data* d = nullptr;
         const troupe_shape shape{1, 1, 1, 0, 0}, negative{1, 1, -1, 0, 0};
         return Calls{troupe_allocate_volume(nullptr, TROUPE_DOUBLE, &shape, nullptr, &d),
                      troupe_allocate_volume(o.runtime, 999, &shape, nullptr, &d),
                      troupe_allocate_volume(o.runtime, TROUPE_DOUBLE, nullptr, nullptr, &d),
                      troupe_allocate_volume(o.runtime, TROUPE_DOUBLE, &negative, nullptr, &d),
                      troupe_allocate_volume(o.runtime, TROUPE_DOUBLE, &shape, nullptr, nullptr)};
       }},
      {"troupe_register",
       [](Objects& o) {
         troupe_data* d = nullptr;
         constexpr auto kMost = std::numeric_limits<int64_t>::max();
         return Calls{troupe_register(nullptr, TROUPE_DOUBLE, &o.x, 1, 1, 1, nullptr, &d),
                      troupe_register(o.runtime, TROUPE_DOUBLE, nullptr, 1, 1, 1, nullptr, &d),
                      troupe_register(o.runtime, 77, &o.x, 1, 1, 1, nullptr, &d),
                      troupe_register(o.runtime, TROUPE_DOUBLE, &o.x, -1, 1, 1, nullptr, &d),
                      troupe_register(o.runtime, TROUPE_DOUBLE, &o.x, 2, 1, 1, nullptr, &d),
                      troupe_register(o.runtime, TROUPE_DOUBLE, &o.x, kMost, kMost, kMost, nullptr, &d),
                      troupe_register(o.runtime, TROUPE_DOUBLE, &o.x, 1, 1, 1, nullptr, nullptr)};
       }},
      {"troupe_allocate",
       [](Objects& o) {
         troupe_data* d = nullptr;
         return Calls{troupe_allocate(nullptr, TROUPE_DOUBLE, 1, 1, nullptr, &d),
                      troupe_allocate(o.runtime, -3, 1, 1, nullptr, &d),
                      troupe_allocate(o.runtime, TROUPE_DOUBLE, 1, -1, nullptr, &d),
                      troupe_allocate(o.runtime, TROUPE_DOUBLE, 1, 1, nullptr, nullptr)};
       }},
      {"troupe_data_free", [](Objects&) { return troupe_data_free(nullptr), Calls{}; }},
      {"troupe_data_handle", [](Objects& o) { return Calls{troupe_wait_for(o.runtime, troupe_data_handle(nullptr))}; }},
      {"troupe_partition", [](Objects& o) { return calls_for_blocks(o, troupe_partition); }},
      {"troupe_repartition", [](Objects& o) { return calls_for_blocks(o, troupe_repartition); }},
      {"troupe_halos",
       [](Objects& o) {
         const troupe_block inside{0, 0, 1, 1};
         troupe_handle halo;
         Calls calls = calls_for_blocks(o, [](auto... given) {
           const auto [runtime, whole, blocks, count, halos] = std::tuple(given...);
           return troupe_halos(runtime, whole, blocks, count, 1, 1, halos);
         });
         calls.push_back(troupe_halos(o.runtime, o.handle, &inside, 1, -1, 1, &halo));
         return calls;
       }},
      {"troupe_partition_volume", [](Objects& o) { return calls_for_blocks<troupe_box>(o, troupe_partition_volume); }},
      {"troupe_repartition_volume",
       [](Objects& o) { return calls_for_blocks<troupe_box>(o, troupe_repartition_volume); }},
      {"troupe_halos_volume",
       [](Objects& o) {
         return calls_for_blocks<troupe_box>(o, [](auto... given) {
           const auto [runtime, whole, boxes, count, halos] = std::tuple(given...);
           return troupe_halos_volume(runtime, whole, boxes, count, 1, 1, 1, halos);
         });
       }},
      {"troupe_discard",
       [](Objects& o) {
         return Calls{troupe_discard(nullptr, o.handle), troupe_discard(o.runtime, kGarbage)};
       }},
      {"troupe_set_sum",
       [](Objects& o) {
         return Calls{troupe_set_sum(nullptr, o.handle, TROUPE_DOUBLE), troupe_set_sum(o.runtime, kGarbage, 1),
                      troupe_set_sum(o.runtime, o.handle, TROUPE_FLOAT), troupe_set_sum(o.runtime, o.handle, 4711)};
       }},
      {"troupe_set_reduction",
       [](Objects& o) {
         return Calls{troupe_set_reduction(nullptr, o.handle, no_initialize, no_combine, nullptr, nullptr),
                      troupe_set_reduction(o.runtime, kGarbage, no_initialize, no_combine, nullptr, nullptr),
                      troupe_set_reduction(o.runtime, o.handle, nullptr, no_combine, nullptr, nullptr),
                      troupe_set_reduction(o.runtime, o.handle, no_initialize, nullptr, nullptr, nullptr)};
       }},
      {"troupe_acquire",
       [](Objects& o) {
         troupe_hold* hold = nullptr;
         return Calls{troupe_acquire(nullptr, o.handle, TROUPE_READ, &hold),
                      troupe_acquire(o.runtime, kGarbage, TROUPE_READ, &hold),
                      troupe_acquire(o.runtime, o.handle, 99, &hold),
                      troupe_acquire(o.runtime, o.handle, TROUPE_DECLARED, &hold),
                      troupe_acquire(o.runtime, o.handle, TROUPE_REDUCE, &hold),
                      troupe_acquire(o.runtime, o.handle, TROUPE_READ, nullptr)};
       }},
      {"troupe_hold_memory",
       [](Objects&) {
         BOOST_TEST(troupe_hold_memory(nullptr, nullptr, nullptr, nullptr) == nullptr);
         return Calls{};
       }},
      {"troupe_hold_volume",
       [](Objects&) {
         BOOST_TEST(troupe_hold_volume(nullptr, nullptr) == nullptr);
         return Calls{};
       }},
      {"troupe_hold_free", [](Objects&) { return troupe_hold_free(nullptr), Calls{}; }},
  };
}

}  // namespace troupe::tests
