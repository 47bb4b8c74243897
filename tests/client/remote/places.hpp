/// Runs the same program twice: on a runtime with its own workers, and on a service.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "kernels/checks/catalogue.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/running_service.hpp"

namespace troupe::tests {

/// The codelets of tests, and the codelets that come with Troupe.
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

/// A service in this process, and programs that run there and in this process.
template <class Codelets>
class PlacesWith : public ServiceWith<Codelets> {
 public:
  using ServiceWith<Codelets>::ServiceWith;

  /// Runs `program(runtime)` on a runtime of its own and on a runtime that is connected to the service. The gate is
  /// closed before each.
  template <class Program>
  void both(const Program& program) {
    BOOST_TEST_CONTEXT("embedded") {
      Runtime runtime(with_workers(2));
      program(runtime);
    }
    this->gate().close();
    BOOST_TEST_CONTEXT("on the service") {
      Runtime runtime = connect();
      program(runtime);
    }
  }
  [[nodiscard]] Runtime connect() { return Runtime::connect({this->folder(), "test"}); }
  [[nodiscard]] const Codelet& operator[](std::string_view name) const { return this->codelets()[name]; }
};

using Places = PlacesWith<AllCodelets>;

}  // namespace troupe::tests
