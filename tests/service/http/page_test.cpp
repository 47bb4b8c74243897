// Tests the page (index.html and the modules of service/page) in a real browser, with a running server.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "service/http/http_server.hpp"
#include "tests/service/views/fake_view_source.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(page)

namespace {

using tests::Browser;
using tests::contains;
using tests::FakeViewSource;

std::unique_ptr<HttpServer> serve(const ServiceViewSource& source, HttpOptions options = {}) {
  return HttpServer::start(source, options).value_or_throw();
}

std::unique_ptr<Browser> start_browser() {
  auto browser = Browser::start();
  if (!browser) tests::skip("Chromium is not installed");
  return browser;
}

/// Opens the page and waits until it has received the service's state.
void open_page(Browser& browser, const std::string& url) {
  browser.open(url);
  BOOST_REQUIRE(browser.becomes("document.getElementById('state').textContent === 'serving'"));
}

/// Checks that the text of the element soon contains all of `parts`.
void shows(Browser& browser, const std::string& selector, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    const std::string has = "document.querySelector('" + selector + "').innerText.includes(" + Json(part).dump() + ")";
    BOOST_TEST(browser.becomes(has), "no '" << part << "' in " << selector << ": " << browser.text(selector));
  }
}

void no_complaints(const Browser& browser, const std::string& url) {
  for (const std::string& error : browser.errors) BOOST_ERROR("the page complains: " << error);
  for (const std::string& request : browser.requests) {
    BOOST_TEST((request.starts_with(url) || request.starts_with("data:")), "the page asked for " << request);
  }
}

/// Saves a picture of the page in the build folder, so that people can look at it.
void photograph(Browser& browser, const std::string& name) {
  std::filesystem::create_directories(TROUPE_PHOTOGRAPHS);
  const std::string path = std::string(TROUPE_PHOTOGRAPHS) + "/" + name + ".png";
  BOOST_TEST(browser.photograph(path) > 20);
  BOOST_TEST(std::filesystem::file_size(path) > 5000U);
}

/// Checks that the page is not wider than the window.
void fits(Browser& browser) {
  BOOST_TEST(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth").get<bool>());
}

BOOST_AUTO_TEST_CASE(every_panel_shows_what_the_service_says) {
  const auto browser = start_browser();
  if (!browser) return;
  const FakeViewSource source(8000);
  const auto server = serve(source);
  browser->show_as(1280, 900, false);
  open_page(*browser, server->url());

  shows(*browser, "#about",
        {"up 2 h 13 min", "policy dada:alpha=0.5,cp", "8 workers", "version 0.1.0", "process 4711"});
  shows(*browser, "#sentence", {"of 8 workers are busy", "68 % for solver", "tasks are ready"});
  shows(*browser, "#tile-busy", {"/ 8"});
  shows(*browser, "#tile-flight", {"1,100"});
  shows(*browser, "#tile-copied", {"GiB/s"});
  shows(*browser, "#tile-mail", {"scheduler"});
  shows(*browser, "#now", {"What the workers ran", "sampled 20 times a second"});
  shows(*browser, "#legend", {"gemm", "nothing"});
  shows(*browser, "#jobs", {"solver", "ensemble", "notebook", "running", "3.0 GiB", "anna", "ben"});
  browser->click("#by-job");
  shows(*browser, "#legend", {"solver", "ensemble"});
  browser->move_to("#timeline", 0.85, 0.85);
  shows(*browser, "#tip", {"GPU 1"});
  browser->click("#by-codelet");

  browser->click("#tab-workers");
  shows(*browser, "#worker-rows", {"cpu core 3", "GPU 1", "%"});
  shows(*browser, "#deque-legend", {"deques", "entry queue"});
  browser->click("#tab-mailboxes");
  shows(*browser, "#mailbox-rows", {"worker 7", "memory manager", "scheduler", "µs"});
  browser->click("#tab-data");
  shows(*browser, "#link-legend", {"host → GPU 0", "GPU 0 → GPU 1", "GiB/s"});
  shows(*browser, "#memories", {"GPU 1: ", " of 16.0 GiB"});
  shows(*browser, "#cache", {"evictions", "85 % of what tasks needed was there already"});
  browser->click("#tab-predictions");
  shows(*browser, "#prediction-rows", {"potrf", "CUDA GPU", "12 %", "8.1 %"});

  browser->click("#tab-why");
  browser->click("#ask");
  shows(*browser, "#answer", {"gemm(7,3)"});
  browser->click("#tab-now");
  browser->click("[data-session=\"3\"]");
  shows(*browser, "#answer", {"potrf(4)"});
  BOOST_TEST(browser->evaluate("document.getElementById('why-job').value") == "3");
  no_complaints(*browser, server->url());
}

BOOST_AUTO_TEST_CASE(it_is_photographed_light_and_dark_wide_and_narrow) {
  const auto browser = start_browser();
  if (!browser) return;
  const FakeViewSource source(8000);
  const auto server = serve(source);
  browser->show_as(1280, 900, false);
  open_page(*browser, server->url());
  // After some seconds, the timeline has something to show.
  BOOST_REQUIRE(browser->becomes("window.performance.now() > 12000"));
  for (const bool dark : {false, true}) {
    for (const int width : {1280, 400}) {
      browser->show_as(width, 900, dark);
      for (const std::string tab : {"now", "workers", "mailboxes", "data", "predictions", "why"}) {
        browser->click("#tab-" + tab);
        if (tab == "why") {
          browser->click("#ask");
          shows(*browser, "#answer", {"gemm(7,3)"});
        }
        fits(*browser);
        if (width < 560) {
          BOOST_TEST(
              browser
                  ->evaluate(
                      "[...document.querySelectorAll('.scroll')].every((one) => one.scrollWidth <= one.clientWidth)")
                  .get<bool>(),
              "a table on " << tab << " is cut");
        }
        photograph(*browser, "page-" + tab + "-" + std::to_string(width) + (dark ? "-dark" : "-light"));
      }
    }
  }
  no_complaints(*browser, server->url());
}

BOOST_AUTO_TEST_CASE(it_can_be_used_with_the_keyboard_alone) {
  const auto browser = start_browser();
  if (!browser) return;
  const FakeViewSource source(8000);
  const auto server = serve(source);
  open_page(*browser, server->url());
  browser->evaluate("document.getElementById('tab-now').focus()");
  browser->press("ArrowRight");
  BOOST_TEST(browser->evaluate("document.activeElement.id") == "tab-workers");
  BOOST_TEST(!browser->evaluate("document.getElementById('workers').hidden").get<bool>());
  BOOST_TEST(browser->evaluate("location.hash") == "#workers");
  browser->press("End");
  BOOST_TEST(browser->evaluate("document.activeElement.id") == "tab-why");
  browser->press("ArrowRight");
  BOOST_TEST(browser->evaluate("document.activeElement.id") == "tab-now");
  // While the table is renewed, the button of a job must keep the keyboard focus.
  BOOST_REQUIRE(browser->becomes("document.querySelector('[data-session=\"5\"]') !== null"));
  browser->evaluate("document.querySelector('[data-session=\"5\"]').focus()");
  BOOST_TEST(browser->becomes("document.title.includes('busy')"));
  browser->evaluate("new Promise((done) => setTimeout(done, 1500))");
  BOOST_TEST(browser->evaluate("document.activeElement.dataset.session") == "5");
  browser->press("Enter");
  shows(*browser, "#answer", {"syrk(9)"});
  no_complaints(*browser, server->url());
}

BOOST_AUTO_TEST_CASE(it_says_when_the_service_is_gone_and_goes_on_when_it_is_back) {
  const auto browser = start_browser();
  if (!browser) return;
  // The sources must outlive the servers, which use them.
  const FakeViewSource source(8000);
  const FakeViewSource next(0);
  auto server = serve(source);
  const std::string url = server->url();
  open_page(*browser, url);
  shows(*browser, "#about", {"up 2 h 13 min"});
  HttpOptions options;
  options.port = server->port();
  server.reset();
  shows(*browser, "#gone", {"The service does not answer", "what it said last", "Trying again"});
  shows(*browser, "#state", {"gone"});
  shows(*browser, "#jobs", {"solver"});
  photograph(*browser, "page-gone");
  server = serve(next, options);
  BOOST_TEST(browser->becomes("document.getElementById('gone').hidden"));
  shows(*browser, "#state", {"serving"});
  shows(*browser, "#about", {" s · policy"});
  BOOST_TEST(!contains(browser->text("#about"), "2 h"));
  shows(*browser, "#legend", {"nothing"});
}

/// A source with a session whose name would be a script if the page did not escape the name.
class HostileSource final : public ServiceViewSource {
 public:
  [[nodiscard]] ServiceView look() const override {
    ServiceView view = tests::sample_view(10);
    const std::string name = "<img src=x onerror=\"document.title='taken'\"><b id=taken>";
    view.sessions[0].name = name;
    for (LiveWorker& worker : view.runtime.workers) worker.task = worker.client = worker.codelet = name;
    view.runtime.mailboxes.mailboxes[0].actor = name;
    return view;
  }
  [[nodiscard]] std::optional<WhyReport> why(std::optional<std::uint64_t>) const override { return WhyReport(); }
};

BOOST_AUTO_TEST_CASE(names_that_clients_give_stay_text) {
  const auto browser = start_browser();
  if (!browser) return;
  const HostileSource source;
  const auto server = serve(source);
  open_page(*browser, server->url());
  shows(*browser, "#jobs", {"<img src=x"});
  for (const char* tab : {"workers", "mailboxes", "why", "now"}) {
    browser->click(std::string("#tab-") + tab);
    BOOST_TEST(browser->evaluate("document.getElementById('taken') === null").get<bool>());
    BOOST_TEST(browser->evaluate("document.querySelector('img') === null").get<bool>());
  }
  no_complaints(*browser, server->url());
}

BOOST_AUTO_TEST_CASE(with_a_token_the_address_with_it_opens_the_page_once_for_all) {
  const auto browser = start_browser();
  if (!browser) return;
  const FakeViewSource source(8000);
  HttpOptions options;
  options.token = "0123456789abcdef-token";
  const auto server = serve(source, options);
  open_page(*browser, server->url() + "?token=" + options.token);
  BOOST_TEST(browser->evaluate("location.search") == "");
  open_page(*browser, server->url());
  no_complaints(*browser, server->url());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
