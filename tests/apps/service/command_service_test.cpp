// Tests the commands that ask a running service, and the commands about services that also work without a running
// service.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <string>

#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.

#include "tests/client/remote/fake_service.hpp"

namespace troupe::apps {

namespace command_service {

using namespace tests;

struct Fixture {
  Fixture() {
    answers.status_reply.set_process(77);
    answers.status_reply.set_policy("lws");
    answers.status_reply.set_workers(4);
    answers.status_reply.set_sessions(2);
    v1::Job* const job = answers.jobs_reply.add_jobs();
    job->set_session(12);
    job->set_name("solver\x1b[2J");
    job->set_user(0);
    job->set_process(99);
    job->set_weight(2);
    job->set_state("running");
    job->set_submitted(1000);
    job->set_ended(10);
    job->set_memory_bytes(3 << 20);
    answers.all_jobs_reply = answers.jobs_reply;
    answers.all_jobs_reply.add_jobs()->set_session(3);
    answers.why_reply.set_text("job 12 waits\n");
    answers.why_reply.set_json("{\"waits\":1}");
  }
  Words asked(Words words) {
    words.insert(words.end(), {"--socket-folder", folder.path()});
    return words;
  }
  std::string ask(Words words) { return succeeds(asked(std::move(words))); }

  TemporaryFolder folder;
  FakeAnswers answers;
};

}  // namespace command_service

BOOST_FIXTURE_TEST_SUITE(command_service, Fixture)

BOOST_AUTO_TEST_CASE(status_says_how_the_service_is) {
  const FakeService service(folder.path(), answers);
  const std::string text = ask({"status"});
  for (const char* part : {"Troupe 1.2.3: serving", "process   77", "policy    lws", "workers   4", "not offered"}) {
    BOOST_TEST(contains(text, part), text);
  }
  const Json status = Json::parse(ask({"status", "--json"}));
  conforms(status, "status");
  BOOST_TEST(status.at("worker_count") == 4);
  BOOST_TEST(status.at("state") == "serving");
}

BOOST_AUTO_TEST_CASE(jobs_are_listed_and_their_names_cannot_harm_a_terminal) {
  const FakeService service(folder.path(), answers);
  const std::string text = ask({"jobs"});
  BOOST_TEST(contains(text, "solver?[2J"), text);
  BOOST_TEST(contains(text, "root"), text);
  BOOST_TEST(contains(text, "3 MiB") + contains(text, "3.0 MiB") == 1, text);
  const Json all = Json::parse(ask({"jobs", "--all", "--json"}));
  conforms(all, "jobs");
  const Json& jobs = all.at("jobs");
  BOOST_TEST(jobs.size() == 2U);
  BOOST_TEST(jobs[0].at("session") == 12);
  BOOST_TEST(jobs[0].at("submitted") == 1000);
  answers.jobs_reply.Clear();
  BOOST_TEST(ask({"jobs"}) == "no jobs\n");
}

BOOST_AUTO_TEST_CASE(cancel_and_why_name_the_job) {
  const FakeService service(folder.path(), answers);
  BOOST_TEST(ask({"cancel", "12"}) == "job 12: cancelled; 17 tasks will not run\n");
  BOOST_TEST(answers.asked_session == 12U);
  const Json cancelled = Json::parse(ask({"cancel", "13", "--json"}));
  conforms(cancelled, "cancel");
  BOOST_TEST(cancelled.at("tasks") == 17);
  BOOST_TEST(ask({"why", "5"}) == "job 12 waits\n");
  BOOST_TEST(answers.asked_session == 5U);
  BOOST_TEST(ask({"why"}) == "job 12 waits\n");
  BOOST_TEST(answers.asked_session == 0U);
  BOOST_TEST(Json::parse(ask({"why", "--json"})).at("waits") == 1);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_not_there_is_bad_input) {
  const FakeService service(folder.path(), answers);
  answers.returns = grpc::Status(grpc::StatusCode::NOT_FOUND, "there is no job 4");
  fails(2, asked({"cancel", "4"}), {"no job 4"});
  fails(2, asked({"cancel", "0"}), {"job"});
  fails(2, asked({"cancel", "x"}), {"job"});
  fails(2, asked({"cancel"}), {"job"});
}

BOOST_AUTO_TEST_CASE(without_a_service_commands_fail_and_say_how_to_start_one) {
  for (const Words& words : {Words{"status"}, Words{"jobs"}, Words{"cancel", "1"}, Words{"why"}}) {
    fails(1, asked(words), {"troupe serve"});
  }
  fails(2, {"status", "--socket-folder", "relative"}, {"relative"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps

#endif
