#include "platform/opencl/opencl_accelerator.hpp"

#include <CL/cl_icd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/machine/host_memory.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "tests/support/opencl/opencl_test_devices.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_accelerator)

namespace {

using tests::contains;
using tests::has_opencl_devices;

constexpr Bytes kCapacity{std::uint64_t{1} << 20U};

const OpenClDevice& device(std::size_t index = 0) { return list_opencl_devices().devices[index]; }

std::unique_ptr<OpenClAccelerator> open(const OpenClDevice& on = device(), std::optional<Bytes> capacity = kCapacity) {
  return OpenClAccelerator::open(on, capacity).value_or_throw();
}

Result<void> copy(OpenClAccelerator& accelerator, CopyDirection direction, const BlockCopy& block) {
  std::promise<Result<void>> ended;
  accelerator.copy(direction, block, 1, false, [&](Result<void> outcome) { ended.set_value(std::move(outcome)); });
  return ended.get_future().get();
}

BlockCopy whole(const std::byte* from, std::byte* to, std::size_t bytes) { return {from, bytes, to, bytes, bytes, 1}; }

std::vector<std::byte> numbered_bytes(std::size_t bytes) {
  std::vector<std::byte> content(bytes);
  for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<std::byte>(i * 7 + i / 256);
  return content;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bytes_go_there_and_back) {
  if (!has_opencl_devices()) return;
  const auto accelerator = open();
  const auto from = numbered_bytes(100'000);
  std::vector<std::byte> to(from.size());
  std::byte* const there = accelerator->memory() + 512;
  BOOST_TEST(copy(*accelerator, CopyDirection::to_device, whole(from.data(), there, from.size())).ok());
  BOOST_TEST(copy(*accelerator, CopyDirection::to_host, whole(there, to.data(), to.size())).ok());
  BOOST_TEST((from == to));
  BOOST_TEST(accelerator->traffic(CopyDirection::to_device).copies == 1U);
  BOOST_TEST(accelerator->traffic(CopyDirection::to_host).bytes.count == from.size());
}

BOOST_AUTO_TEST_CASE(columns_arrive_where_they_belong_and_nothing_else_changes) {
  if (!has_opencl_devices()) return;
  constexpr std::size_t kColumns = 5;
  constexpr std::size_t kColumn = 24;
  const auto accelerator = open();
  const auto from = numbered_bytes(kColumns * 32);
  std::vector<std::byte> to(kColumns * 40, std::byte{0xee});
  std::byte* const there = accelerator->memory();
  BOOST_TEST(copy(*accelerator, CopyDirection::to_device, {from.data(), 32, there, kColumn, kColumn, kColumns}).ok());
  BOOST_TEST(copy(*accelerator, CopyDirection::to_host, {there, kColumn, to.data(), 40, kColumn, kColumns}).ok());
  for (std::size_t column = 0; column < kColumns; ++column) {
    for (std::size_t i = 0; i < 40; ++i) {
      const std::byte expected = i < kColumn ? from[column * 32 + i] : std::byte{0xee};
      BOOST_TEST((to[column * 40 + i] == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(boxes_of_a_volume_arrive_where_they_belong) {
  if (!has_opencl_devices()) return;
  constexpr std::size_t kPlanes = 3;
  const auto accelerator = open();
  const auto from = numbered_bytes(kPlanes * 100);
  std::vector<std::byte> to(kPlanes * 90, std::byte{0xee});
  std::byte* const there = accelerator->memory();
  // Two columns of 24 bytes in each plane. Planes are no multiple of the distance between columns apart.
  BOOST_TEST(copy(*accelerator, CopyDirection::to_device, {from.data(), 32, there, 24, 24, 2, kPlanes, 100, 48}).ok());
  BOOST_TEST(copy(*accelerator, CopyDirection::to_host, {there, 24, to.data(), 40, 24, 2, kPlanes, 48, 90}).ok());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t plane = i / 90;
    const std::size_t column = i % 90 / 40;
    const std::size_t byte = i % 90 % 40;
    const bool inside = column < 2 && byte < 24;
    BOOST_TEST((to[i] == (inside ? from[plane * 100 + column * 32 + byte] : std::byte{0xee})), i);
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_data_are_copied_inside_the_memory_and_to_it) {
  if (!has_opencl_devices()) return;
  const auto accelerator = open();
  // Three planes of four columns of 40 bytes, and two planes of three columns of 56 bytes.
  const auto source = numbered_bytes(3 * 4 * 40);
  const std::vector<std::byte> before(std::size_t{2 * 3 * 56}, std::byte{0xee});
  std::byte* const from = accelerator->memory() + 512;
  std::byte* const to = accelerator->memory() + 4096;
  const auto inside = [&](const BlockCopy& block) {
    std::promise<Result<void>> ended;
    accelerator->copy_inside(block, 1, false, [&](Result<void> outcome) { ended.set_value(std::move(outcome)); });
    return ended.get_future().get();
  };
  struct Case {
    std::size_t bytes, columns, planes;
  };
  for (const Case& one : {Case{24, 3, 2}, Case{24, 2, 1}, Case{16, 1, 1}, Case{16, 1, 2}}) {
    for (const bool from_host : {false, true}) {
      BOOST_TEST(copy(*accelerator, CopyDirection::to_device, whole(source.data(), from, source.size())).ok());
      BOOST_TEST(copy(*accelerator, CopyDirection::to_device, whole(before.data(), to, before.size())).ok());
      // The block begins at byte 8 of the second column in the second plane, and goes to byte 32 of the first column.
      constexpr std::size_t kFrom = 160 + 40 + 8;
      BlockCopy block{from + kFrom, 40, to + 32, 56, one.bytes, one.columns, one.planes, 160, 168};
      block.from_data = {from, source.size()};
      block.to_data = {to, before.size()};
      if (from_host) {
        block.from = source.data() + kFrom;
        block.from_data = {};
      }
      BOOST_TEST((from_host ? copy(*accelerator, CopyDirection::to_device, block) : inside(block)).ok());
      std::vector<std::byte> expected = before;
      for (std::size_t plane = 0; plane < one.planes; ++plane) {
        for (std::size_t column = 0; column < one.columns; ++column) {
          std::memcpy(expected.data() + 32 + plane * 168 + column * 56,
                      source.data() + kFrom + plane * 160 + column * 40, one.bytes);
        }
      }
      std::vector<std::byte> result(before.size());
      BOOST_TEST(copy(*accelerator, CopyDirection::to_host, whole(to, result.data(), result.size())).ok());
      BOOST_TEST((result == expected));
    }
  }
  BOOST_TEST(accelerator->traffic(CopyDirection::to_host).copies == 8U);
  accelerator->stop();
  BOOST_TEST(!inside(whole(from, to, 8)).ok());
}

BOOST_AUTO_TEST_CASE(what_is_placed_at_one_address_with_one_size_has_one_buffer) {
  if (!has_opencl_devices()) return;
  const auto accelerator = open();
  std::byte* const begin = accelerator->memory();
  const auto at = [&](std::size_t offset, std::uint64_t bytes) {
    return accelerator->buffer_at(begin + offset, {bytes}).value_or_throw();
  };
  _cl_mem* const first = at(0, 1000);
  _cl_mem* const second = at(1024, 1000);
  _cl_mem* const empty = at(2048, 0);
  BOOST_TEST(first != second);
  BOOST_TEST(at(0, 1000) == first);
  BOOST_TEST(at(1024, 1000) == second);
  BOOST_TEST(at(2048, 0) == empty);
  // A new buffer overlaps the first two buffers and replaces them. The third buffer is unchanged.
  (void)at(512, 1024);
  BOOST_TEST(at(2048, 0) == empty);
}

BOOST_AUTO_TEST_CASE(buffers_that_others_replace_take_no_memory) {
  if (!has_opencl_devices()) return;
  // The places are shifted in each round, so that each place overlaps two places of the round before.
  const auto accelerator = open();
  constexpr std::size_t kPiece = 64 << 10;
  const auto content = numbered_bytes(kPiece);
  std::vector<std::byte> back(kPiece);
  for (std::size_t round = 0; round < 50; ++round) {
    const std::size_t shift = round % 7 * 256;
    for (std::size_t i = 0; i + 1 < kCapacity.count / kPiece; ++i) {
      std::byte* const there = accelerator->memory() + i * kPiece + shift;
      BOOST_TEST_REQUIRE(copy(*accelerator, CopyDirection::to_device, whole(content.data(), there, kPiece)).ok());
    }
    BOOST_TEST_REQUIRE(
        copy(*accelerator, CopyDirection::to_host, whole(accelerator->memory() + shift, back.data(), kPiece)).ok());
    BOOST_TEST_REQUIRE((back == content));
  }
}

BOOST_AUTO_TEST_CASE(data_larger_than_a_buffer_may_be_are_refused_with_both_sizes) {
  if (!has_opencl_devices()) return;
  OpenClDevice small = device();
  small.largest_buffer = {100'000};
  const auto accelerator = open(small);
  BOOST_TEST((accelerator->largest_piece() == Bytes{100'000}));
  const auto refused = accelerator->buffer_at(accelerator->memory(), {100'001});
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(contains(refused.failure().message, "100001 bytes"));
  BOOST_TEST(contains(refused.failure().message, "100000 bytes"));
  BOOST_TEST(contains(refused.failure().message, "CL_DEVICE_MAX_MEM_ALLOC_SIZE"));
  BOOST_TEST(accelerator->buffer_at(accelerator->memory(), {100'000}).ok());
  const auto content = numbered_bytes(100'001);
  const auto failed =
      copy(*accelerator, CopyDirection::to_device, whole(content.data(), accelerator->memory(), content.size()));
  BOOST_TEST_REQUIRE(!failed.ok());
  BOOST_TEST((failed.failure().code == ErrorCode::transfer_failed));
}

BOOST_AUTO_TEST_CASE(memory_that_a_driver_refuses_is_a_failure) {
  if (!has_opencl_devices()) return;
  // The device claims to have more memory than the driver has.
  OpenClDevice boasting = device();
  boasting.memory = boasting.largest_buffer = {std::uint64_t{1} << 40U};
  const auto accelerator = open(boasting, Bytes{std::uint64_t{1} << 39U});
  const auto refused = accelerator->buffer_at(accelerator->memory(), accelerator->capacity());
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(contains(refused.failure().message, "made no buffer of 549755813888 bytes: CL_"));
}

BOOST_AUTO_TEST_CASE(the_capacity_is_what_is_asked_for_or_part_of_what_there_is) {
  if (!has_opencl_devices()) return;
  BOOST_TEST((open()->capacity() == kCapacity));
  for (const Bytes wrong : {Bytes{0}, Bytes{device().memory.count + 1}}) {
    const auto refused = OpenClAccelerator::open(device(), wrong);
    BOOST_TEST_REQUIRE(!refused.ok());
    BOOST_TEST((refused.failure().code == ErrorCode::invalid_argument));
  }
  const Bytes most = read_host_memory().available;
  BOOST_TEST(open(device(), std::nullopt)->capacity().count <= device().memory.count / 10 * 9);
  BOOST_TEST(open(device(), std::nullopt)->capacity().count < most.count);
  OpenClDevice apart = device();
  apart.shares_host_memory = false;
  apart.memory = {1000 * kCapacity.count};
  BOOST_TEST(open(apart, std::nullopt)->capacity().count == 900 * kCapacity.count);
}

BOOST_AUTO_TEST_CASE(a_driver_that_lacks_functions_is_refused) {
  if (!has_opencl_devices()) return;
  _cl_icd_dispatch poor = *device().api;
  poor.clSetEventCallback = nullptr;
  OpenClDevice old = device();
  old.api = &poor;
  const auto refused = OpenClAccelerator::open(old, kCapacity);
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::platform));
  BOOST_TEST(contains(refused.failure().message, "lacks functions of OpenCL 1.2"));
}

BOOST_AUTO_TEST_CASE(copies_are_measured_and_do_not_count_as_traffic) {
  if (!has_opencl_devices()) return;
  const auto accelerator = open();
  for (const CopyDirection direction : {CopyDirection::to_device, CopyDirection::to_host}) {
    BOOST_TEST(accelerator->speed(direction).bytes_per_s > 1e6);
    BOOST_TEST(accelerator->speed(direction).latency >= Duration::zero());
    BOOST_TEST(accelerator->traffic(direction).copies == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_device_has_one_context_in_the_process) {
  if (!has_opencl_devices()) return;
  const auto first = opencl_context(device(0));
  const auto second = opencl_context(device(1));
  BOOST_TEST_REQUIRE(first.ok());
  BOOST_TEST_REQUIRE(second.ok());
  BOOST_TEST((first.value() != second.value()));
  BOOST_TEST((opencl_context(device(0)).value() == first.value()));
  BOOST_TEST((open()->context() == first.value().get()));
}

BOOST_AUTO_TEST_CASE(a_context_is_given_back_with_its_last_user) {
  if (!has_opencl_devices()) return;
  std::weak_ptr<_cl_context> known;
  {
    const auto accelerator = open();
    known = opencl_context(device(0)).value();
    BOOST_TEST(known.use_count() == 1);
  }
  BOOST_TEST(known.expired());
  BOOST_TEST((open()->context() != nullptr));
}

BOOST_AUTO_TEST_CASE(what_is_stopped_copies_nothing_more) {
  if (!has_opencl_devices()) return;
  const auto accelerator = open();
  accelerator->stop();
  const auto content = numbered_bytes(100);
  const auto refused =
      copy(*accelerator, CopyDirection::to_device, whole(content.data(), accelerator->memory(), content.size()));
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::transfer_failed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
