#include "actors/running/accelerator_set.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <utility>
#include <vector>

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(accelerator_set)

namespace {

/// An accelerator whose copies end when the test ends them.
class HeldAccelerator final : public platform::Accelerator {
 public:
  void stop() override {}
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string name() const override { return "held"; }
  [[nodiscard]] std::string model() const override { return "held"; }
  [[nodiscard]] std::byte* memory() const override { return const_cast<std::byte*>(memory_.data()); }
  [[nodiscard]] Bytes capacity() const override { return {memory_.size()}; }
  void copy(platform::CopyDirection, const platform::BlockCopy&, platform::CopyNumber number, bool urgent,
            platform::CopyDone done) override {
    if (before_copy) before_copy();
    copies.push_back({number, urgent, std::move(done)});
  }
  void hurry(platform::CopyNumber number) override {
    for (Copy& copy : copies) copy.urgent = copy.urgent || copy.number == number;
  }
  void copy_from(platform::Accelerator&, const platform::BlockCopy&, platform::CopyNumber, bool,
                 platform::CopyDone) override {}
  void copy_inside(const platform::BlockCopy&, platform::CopyNumber, bool, platform::CopyDone) override {}
  [[nodiscard]] platform::CopySpeed speed(platform::CopyDirection) const override { return {Duration(1), 1e9}; }
  [[nodiscard]] platform::CopyTraffic traffic(platform::CopyDirection) const override { return {}; }

  struct Copy {
    platform::CopyNumber number;
    bool urgent;
    platform::CopyDone done;
  };
  std::vector<Copy> copies;
  std::function<void()> before_copy;

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(1024);
};

BOOST_AUTO_TEST_CASE(a_copy_through_the_host_hurries_between_its_two_parts) {
  HostViews views;
  const platform::SteadyClock clock;
  AcceleratorSet::Setup setup;
  setup.views = &views;
  setup.clock = &clock;
  std::vector<HeldAccelerator*> held;
  for (int i = 0; i < 2; ++i) {
    auto made = std::make_unique<HeldAccelerator>();
    held.push_back(made.get());
    setup.accelerators.push_back(std::move(made));
  }
  AcceleratorSet set(std::move(setup));
  memory::Command transfer;
  transfer.kind = memory::Command::Kind::start_transfer;
  transfer.from = NodeId(1);
  transfer.to = NodeId(2);
  transfer.transfer = memory::TransferId(7);
  bool ended = false;
  set.copy(transfer, [&](const Result<void>& outcome) { ended = outcome.ok(); });
  BOOST_TEST_REQUIRE(held[0]->copies.size() == 1U);
  BOOST_TEST(!held[0]->copies[0].urgent);
  // `hurry` is called after the first half of the copy has ended and before the second half begins.
  held[1]->before_copy = [&] { set.hurry(memory::TransferId(7)); };
  std::exchange(held[0]->copies[0].done, nullptr)({});
  BOOST_TEST_REQUIRE(held[1]->copies.size() == 1U);
  BOOST_TEST(held[1]->copies[0].urgent);
  std::exchange(held[1]->copies[0].done, nullptr)({});
  BOOST_TEST(ended);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
