/// A service in a temporary folder, with codelets for tests.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "service/server.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/codelet.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

/// Codelets that are found by their names.
class NamedCodelets : public service::CodeletSource {
 public:
  [[nodiscard]] const service::ServiceCodelet* find(std::string_view name) const override {
    const auto found = codelets_.find(name);
    return found == codelets_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Codelet& operator[](std::string_view name) const { return codelets_.find(name)->second.codelet; }

 protected:
  void add(const Codelet& codelet,
           std::function<Result<void>(std::span<const Layout>, const Arguments&)> check = nullptr) {
    codelets_.emplace(codelet.name(), service::ServiceCodelet{codelet, std::move(check)});
  }

 private:
  std::map<std::string, service::ServiceCodelet, std::less<>> codelets_;
};

class TestCodelets final : public NamedCodelets {
 public:
  explicit TestCodelets(Gate& gate) {
    add(Codelet("empty", {}).cpu([] {}));
    add(Codelet("wait", {}).cpu([&gate] { gate.pass(); }));
    add(Codelet("wait_for", {AccessMode::read_write}).cpu([&gate](VectorView<double>) { gate.pass(); }));
    add(Codelet("wait_or_cancelled", {AccessMode::read_write})
            .cpu([&gate](const KernelContext& context, VectorView<double>) { gate.pass(&context); }));
    add(Codelet("fill", {AccessMode::write}).cpu([](VectorView<double> x, double value) {
      for (double& element : x) element = value;
    }));
    add(Codelet("axpy", {AccessMode::read, AccessMode::read_write})
            .cpu([](VectorView<const double> x, VectorView<double> y, double a) {
              for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
            }),
        [](std::span<const Layout> layouts, const Arguments&) -> Result<void> {
          if (layouts[0].elements() >= layouts[1].elements()) return {};
          return Failure{ErrorCode::invalid_argument, "axpy: x is shorter than y"};
        });
    add(Codelet("sum", {AccessMode::read, AccessMode::reduce}).cpu([](VectorView<const double> x, double& sum) {
      for (const double element : x) sum += element;
    }));
    add(Codelet("fail", {AccessMode::write}).cpu([](VectorView<double>) {
      throw Error(ErrorCode::numerical, "the kernel has failed on purpose");
    }));
    Codelet touch = Codelet::variadic("touch");
    touch.cpu([](const KernelContext&) {});
    add(touch);
    // Reads its data, its weak data and a temporary in children, and waits for some of these.
    add(Codelet("nest", {AccessMode::read_write}).cpu([touch](const KernelContext& context, VectorView<double> x) {
      Runtime runtime = Runtime::here();
      const Matrix<double> temporary = runtime.allocate_matrix<double>(2, 2);
      runtime.submit(touch, {write(temporary)});
      const Future child = runtime.submit(touch, {read(context.handle(0)), read_write(temporary)});
      if (x.size() % 2 == 0) child.wait();
      for (std::size_t i = 0; i < context.weak_size(); ++i) runtime.submit(touch, {read(context.weak(i))});
    }));
  }
};

/// A service in this process. At the end of the test the gate is opened, so that no kernel waits for ever.
template <class Codelets>
class ServiceWith {
 public:
  explicit ServiceWith(service::ServerOptions options = {}) {
    options.folder = folder_.path("sockets");
    options.inherit_sockets = false;
    options.runtime.cores = 2;
    options.runtime.threads.oversubscribe = true;
    options.runtime.threads.bind = false;
    server_ = service::Server::start(options, codelets_).value_or_throw();
  }
  ~ServiceWith() { gate_.open(); }
  ServiceWith(const ServiceWith&) = delete;
  ServiceWith& operator=(const ServiceWith&) = delete;

  [[nodiscard]] std::string folder() const { return folder_.path("sockets"); }
  [[nodiscard]] service::Server& server() { return *server_; }
  [[nodiscard]] Gate& gate() { return gate_; }
  [[nodiscard]] const Codelets& codelets() const { return codelets_; }
  /// Returns true if the service has no session and the runtime has no client.
  [[nodiscard]] bool empty() { return server_->look().sessions.empty() && server_->look().runtime.clients.empty(); }
  void end_service() { server_.reset(); }

 private:
  TemporaryFolder folder_;
  Gate gate_;
  Codelets codelets_{gate_};
  std::unique_ptr<service::Server> server_;
};

using RunningService = ServiceWith<TestCodelets>;

}  // namespace troupe::tests
