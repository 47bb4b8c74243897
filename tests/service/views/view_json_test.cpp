#include "service/views/view_json.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/service/views/fake_view_source.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(view_json)

namespace {

using nlohmann::json;
using tests::contains;
using tests::sample_view;

BOOST_AUTO_TEST_CASE(what_is_written_is_read_again) {
  const ServiceView view = sample_view(1234.567);
  const std::string text = view_to_text(view);
  const ServiceView again = view_from_text(text).value_or_throw();
  // The text contains every member, so equal texts mean equal views.
  BOOST_TEST(view_to_text(again) == text);
  BOOST_TEST(again.age.count() == view.age.count());
  BOOST_TEST(again.sessions[1].name == "ensemble");
  BOOST_TEST(again.sessions[1].user_name == "ben");
  BOOST_TEST(again.sessions[1].worker_time.count() == view.sessions[1].worker_time.count());
  BOOST_TEST(again.runtime.workers[2].busy.count() == view.runtime.workers[2].busy.count());
  BOOST_TEST(again.runtime.predictions[1].errors.relative == view.runtime.predictions[1].errors.relative);
  BOOST_TEST(static_cast<int>(again.runtime.predictions[1].kind) == static_cast<int>(DeviceKind::cuda));
  BOOST_TEST(again.runtime.mailboxes.mailboxes[8].waiting.p99.count() ==
             view.runtime.mailboxes.mailboxes[8].waiting.p99.count());
  BOOST_TEST(again.runtime.transfers.pairs[3].to.value() == 2U);
  BOOST_TEST(again.runtime.transfers.memories[1].used.count == view.runtime.transfers.memories[1].used.count);
}

BOOST_AUTO_TEST_CASE(every_member_of_the_text_is_needed) {
  const json whole = json::parse(view_to_text(sample_view(10)));
  int removed = 0;
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    // Arrays may have any number of elements, but no member of an object may be missing.
    const std::string last = pointer.substr(pointer.rfind('/') + 1);
    if (last.find_first_not_of("0123456789") == std::string::npos) continue;
    // These members may be missing, because older services do not have them.
    if (last == "members" || last == "user_name" || last == "manager_passes") continue;
    json without = whole;
    without.at(json::json_pointer(pointer.substr(0, pointer.rfind('/')))).erase(last);
    const auto read = view_from_text(without.dump());
    BOOST_TEST_REQUIRE(!read, pointer << " was not missed");
    BOOST_TEST(contains(read.failure().message, last), read.failure().message);
    ++removed;
  }
  BOOST_TEST(removed > 100);
}

BOOST_AUTO_TEST_CASE(wrong_values_are_refused_by_their_place) {
  const auto refused = [](const char* pointer, const json& value, const std::string& place) {
    json changed = json::parse(view_to_text(sample_view(10)));
    changed[json::json_pointer(pointer)] = value;
    const auto read = view_from_text(changed.dump());
    BOOST_TEST_REQUIRE(!read, pointer << " = " << value.dump() << " was taken");
    BOOST_TEST(static_cast<int>(read.failure().code) == static_cast<int>(ErrorCode::bad_input));
    BOOST_TEST(contains(read.failure().message, place), read.failure().message);
  };
  refused("/workers/3/tasks", -1, "workers[3].tasks");
  refused("/workers/3/idle", 1, "workers[3].idle");
  refused("/workers/0/busy_seconds", 1e30, "workers[0].busy_seconds");
  refused("/workers", json::object(), "workers");
  refused("/version", 3, "version");
  refused("/sessions/0/user", 5e9, "sessions[0].user");
  refused("/predictions/0/kind", "abacus", "predictions[0].kind");
  refused("/transfers/pairs/0/from", "host", "transfers.pairs[0].from");
  refused("/mailboxes/1/waiting", nullptr, "mailboxes[1].waiting");
  BOOST_TEST(!view_from_text(""));
  BOOST_TEST(!view_from_text("[1, 2"));
  BOOST_TEST(!view_from_text("[]"));
}

BOOST_AUTO_TEST_CASE(clusters_have_members_and_what_was_used_of_them) {
  const ServiceView view = tests::clustered_view(10, 0.75);
  const LiveWorker again = view_from_text(view_to_text(view)).value_or_throw().runtime.workers[0];
  BOOST_TEST((again.members == std::vector<int>{8, 9, 10, 11}));
  BOOST_TEST((again.team == view.runtime.workers[0].team));
  BOOST_TEST(again.team.used_fraction().value_or(0) == 0.75);
}

BOOST_AUTO_TEST_CASE(what_an_older_service_does_not_write_is_left_out) {
  json older = json::parse(view_to_text(tests::clustered_view(10, 0.75)));
  for (json& worker : older["workers"]) {
    BOOST_TEST_REQUIRE(worker.erase("members") == 1U);
    BOOST_TEST_REQUIRE(worker.erase("team") == 1U);
  }
  const auto read = view_from_text(older.dump());
  BOOST_TEST_REQUIRE(read.ok());
  BOOST_TEST(read.value().runtime.workers[0].members.empty());
  BOOST_TEST(!read.value().runtime.workers[0].team.used_fraction());
}

BOOST_AUTO_TEST_CASE(members_of_later_versions_are_left_alone) {
  json newer = json::parse(view_to_text(sample_view(10)));
  newer["weather"] = "fine";
  newer["workers"][0]["temperature_celsius"] = 61;
  BOOST_TEST(view_from_text(newer.dump()).ok());
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_become_some) {
  ServiceView view = sample_view(10);
  view.sessions[0].name = "bad \xFF\xC0 name";
  const ServiceView again = view_from_text(view_to_text(view)).value_or_throw();
  BOOST_TEST(again.sessions[0].name.starts_with("bad "));
  BOOST_TEST(again.sessions[0].name.ends_with(" name"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
