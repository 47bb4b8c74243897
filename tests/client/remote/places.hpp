/// The same program on workers of its own and on a service.
#pragma once

#include <memory>
#include <string>

#include "kernels/catalogue.hpp"
#include "service/server.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {

/// Codelets for tests, and those that come with Troupe.
class AllCodelets final : public service::CodeletSource {
 public:
  explicit AllCodelets(Gate& gate) : own_(gate) {
    for (const kernels::CatalogueEntry& entry : kernels::catalogue()) {
      built_in_.emplace(entry.name, service::ServiceCodelet{entry.codelet, entry.check});
    }
  }
  [[nodiscard]] const service::ServiceCodelet* find(std::string_view name) const override {
    if (const auto* own = own_.find(name)) return own;
    const auto found = built_in_.find(name);
    return found == built_in_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Codelet& operator[](std::string_view name) const { return find(name)->codelet; }

 private:
  TestCodelets own_;
  std::map<std::string, service::ServiceCodelet, std::less<>> built_in_;
};

/// A service of this process, and what programs need.
class Places {
 public:
  explicit Places(service::ServerOptions options = {}) {
    options.folder = folder_.path("sockets");
    options.inherit_sockets = false;
    options.runtime = with_workers(2);
    server_ = service::Server::start(options, codelets_).value_or_throw();
  }
  ~Places() { gate_.open(); }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// Runs `program(runtime)` in both places.
  template <class Program>
  void both(const Program& program) {
    BOOST_TEST_CONTEXT("embedded") {
      Runtime runtime(with_workers(2));
      program(runtime);
    }
    BOOST_TEST_CONTEXT("on the service") {
      Runtime runtime = connect();
      program(runtime);
    }
  }
  [[nodiscard]] Runtime connect() { return Runtime::connect({folder(), "test"}); }
  [[nodiscard]] std::string folder() const { return folder_.path("sockets"); }
  [[nodiscard]] const Codelet& operator[](std::string_view name) const { return codelets_[name]; }
  [[nodiscard]] Gate& gate() { return gate_; }
  [[nodiscard]] service::Server& server() { return *server_; }
  void end_service() { server_.reset(); }

 private:
  TemporaryFolder folder_;
  Gate gate_;
  AllCodelets codelets_{gate_};
  std::unique_ptr<service::Server> server_;
};

}  // namespace troupe::tests
