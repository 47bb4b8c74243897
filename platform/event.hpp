/// The action of an event in virtual time: a callable without arguments that is called at most once.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace troupe::platform {

/// Like `std::function<void()>`, with two differences: the callable may own objects that can only be moved, and a
/// callable of up to `kInline` bytes needs no allocation. A simulated task makes about ten events, so allocations
/// would cost much time. Larger callables lie on the heap.
class Event {
 public:
  static constexpr std::size_t kInline = 48;

  /// Makes an empty event, which must not be called.
  Event() noexcept = default;

  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Event> && std::invocable<std::remove_cvref_t<F>&>)
  Event(F&& callable) {  // NOLINT(google-explicit-constructor): lambdas are passed as events
    using Callable = std::remove_cvref_t<F>;
    if constexpr (kFits<Callable>) {
      std::construct_at(reinterpret_cast<Callable*>(storage_), std::forward<F>(callable));
      actions_ = &kInlineActions<Callable>;
    } else {
      std::construct_at(reinterpret_cast<Boxed<Callable>*>(storage_),
                        Boxed<Callable>{std::make_unique<Callable>(std::forward<F>(callable))});
      actions_ = &kInlineActions<Boxed<Callable>>;
    }
  }

  Event(Event&& other) noexcept { take(other); }
  Event& operator=(Event&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { reset(); }

  explicit operator bool() const noexcept { return actions_ != nullptr; }

  void operator()() {
    assert(actions_ && "an empty event cannot be called");
    actions_->call(storage_);
  }

 private:
  struct Actions {
    void (*call)(std::byte*);
    /// Moves the object from the first address to the second, and destroys what is left of it at the first address.
    void (*move)(std::byte*, std::byte*) noexcept;
    void (*destroy)(std::byte*) noexcept;
  };

  /// A callable on the heap, for callables that are too large for the event itself.
  template <class Callable>
  struct Boxed {
    std::unique_ptr<Callable> callable;
    void operator()() { (*callable)(); }
  };

  template <class Callable>
  static constexpr bool kFits = sizeof(Callable) <= kInline && alignof(Callable) <= alignof(std::max_align_t) &&
                                std::is_nothrow_move_constructible_v<Callable>;

  template <class Callable>
  static Callable& at(std::byte* storage) noexcept {
    return *std::launder(reinterpret_cast<Callable*>(storage));
  }

  template <class Callable>
  static constexpr Actions kInlineActions{[](std::byte* storage) { at<Callable>(storage)(); },
                                          [](std::byte* from, std::byte* to) noexcept {
                                            std::construct_at(reinterpret_cast<Callable*>(to),
                                                              std::move(at<Callable>(from)));
                                            std::destroy_at(&at<Callable>(from));
                                          },
                                          [](std::byte* storage) noexcept { std::destroy_at(&at<Callable>(storage)); }};

  void take(Event& other) noexcept {
    actions_ = std::exchange(other.actions_, nullptr);
    if (actions_) actions_->move(other.storage_, storage_);
  }
  void reset() noexcept {
    if (actions_) std::exchange(actions_, nullptr)->destroy(storage_);
  }

  alignas(std::max_align_t) std::byte storage_[kInline];
  const Actions* actions_ = nullptr;
};

}  // namespace troupe::platform
