/// A team of threads that live only while a function runs in the team. This is slow but simple.
#pragma once

#include <barrier>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "troupe/team.hpp"

namespace troupe::tests {

class ThreadTeam final : public Team {
 public:
  explicit ThreadTeam(int size) : size_(size) {}

  [[nodiscard]] int size() const noexcept override { return size_; }
  void enter(Body body, void* work) override {
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size_));
    std::barrier<> all(size_);
    barrier_ = &all;
    const auto run_body = [&](int rank) {
      try {
        body(work, rank);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        all.arrive_and_drop();
      }
    };
    {
      std::vector<std::jthread> others;
      for (int rank = 1; rank < size_; ++rank) others.emplace_back(run_body, rank);
      run_body(0);
    }
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }
  void barrier() noexcept override { barrier_->arrive_and_wait(); }
  [[nodiscard]] bool bind_like(int /*rank*/) const override { return true; }

 private:
  int size_;
  std::barrier<>* barrier_ = nullptr;
};

}  // namespace troupe::tests
