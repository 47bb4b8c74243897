/// A client that sends its messages to a service one by one, so that a test can also send wrong messages.
#pragma once

#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <troupe/v1/troupe.grpc.pb.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/remote/connection/protocol_version.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "tests/support/memory_client.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

inline std::unique_ptr<v1::Troupe::Stub> stub_at(const std::string& folder) {
  const std::string path = folder + "/" + std::string(wire::kServiceSocket);
  const int socket = connect_to(path, SOCK_STREAM).release();
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
  return v1::Troupe::NewStub(grpc::CreateInsecureChannelFromFd("troupe", socket));
}

class ServiceClient {
 public:
  using Change = std::function<void(v1::ClientMessage&)>;

  explicit ServiceClient(const std::string& folder)
      : memory_(std::make_unique<MemoryClient>(folder)), token_(memory_->hello()), stub_(stub_at(folder)) {
    // The deadline prevents a test from hanging.
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(2));
    stream_ = stub_->Session(&context_);
  }
  ~ServiceClient() { disappear(); }
  ServiceClient(const ServiceClient&) = delete;
  ServiceClient& operator=(const ServiceClient&) = delete;

  [[nodiscard]] const MemoryClient& memory() const { return *memory_; }
  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] v1::Troupe::Stub& stub() { return *stub_; }

  bool send(const v1::ClientMessage& message) { return stream_->Write(message); }
  bool send(const std::function<void(v1::Operation&)>& fill) {
    v1::ClientMessage message;
    fill(*message.add_operations());
    return send(message);
  }

  /// Sends a correct first message. Returns the session's number, or 0 if the service ended the session.
  std::uint64_t hello(const std::string& name = "test", std::uint32_t version = remote::kProtocolVersion) {
    send([&](v1::Operation& operation) {
      operation.mutable_hello()->set_protocol_version(version);
      operation.mutable_hello()->set_token(token_);
      operation.mutable_hello()->set_name(name);
    });
    read_until([this] { return welcome_.has_value(); });
    return welcome_ ? welcome_->session() : 0;
  }
  /// Opens a codelet with its own definition. Returns the problem if the service refuses the codelet.
  std::optional<v1::Problem> open(std::uint32_t number, const Codelet& codelet) {
    return reply_to([&](v1::Operation& operation, std::uint64_t request) {
      describe(codelet, *operation.mutable_open_codelet());
      operation.mutable_open_codelet()->set_request(request);
      operation.mutable_open_codelet()->set_codelet(number);
    });
  }
  static void describe(const Codelet& codelet, v1::OpenCodelet& open) {
    const CodeletDefinition& definition = codelet.definition();
    open.set_name(definition.name);
    open.set_variadic(definition.variadic);
    open.set_typed(definition.typed);
    for (const AccessMode mode : definition.modes) open.add_modes(static_cast<v1::AccessMode>(mode));
    for (const DataParameter& parameter : definition.parameters) {
      v1::Parameter& described = *open.add_parameters();
      described.set_shape(static_cast<v1::Parameter::Shape>(parameter.shape));
      described.set_element_tag(parameter.element_tag);
      described.set_writable(parameter.writable);
    }
    for (const ArgumentType& type : definition.argument_types) {
      v1::Argument& described = *open.add_arguments();
      described.set_tag(type.tag);
      described.set_size(type.size);
      described.set_alignment(type.alignment);
    }
  }
  template <class T>
  void register_vector(std::uint64_t handle, const MappedSegment& segment, std::int64_t count,
                       std::uint64_t offset = 0) {
    send([&](v1::Operation& operation) {
      v1::RegisterData& data = *operation.mutable_register_data();
      data.set_handle(handle);
      data.set_segment(segment.id());
      data.set_offset(offset);
      data.set_rows(count);
      data.set_cols(1);
      data.set_ld(count > 0 ? count : 1);
      data.set_element_size(sizeof(T));
      data.set_element_tag(type_tag<T>());
    });
  }
  /// Submits one task with the next task number. Returns this number.
  std::uint64_t submit(std::uint32_t codelet, const std::vector<std::uint64_t>& handles,
                       const Arguments& arguments = {}, bool nested = false) {
    v1::ClientMessage message;
    v1::Tasks& tasks = *message.add_operations()->mutable_tasks();
    add_task(tasks, codelet, handles, arguments);
    tasks.set_first(next_task_);
    if (nested) tasks.add_details()->set_nested(true);
    send(message);
    return next_task_++;
  }
  static void add_task(v1::Tasks& tasks, std::uint32_t codelet, const std::vector<std::uint64_t>& handles,
                       const Arguments& arguments = {}) {
    tasks.add_codelet(codelet);
    tasks.add_accesses(static_cast<std::uint32_t>(handles.size()));
    for (const std::uint64_t handle : handles) tasks.add_handle(handle);
    tasks.mutable_arguments()->append(reinterpret_cast<const char*>(arguments.bytes().data()),
                                      arguments.bytes().size());
  }
  [[nodiscard]] std::uint64_t& next_task() { return next_task_; }

  /// Sends an operation to which the service replies. Returns the problem in the reply, if there is one.
  std::optional<v1::Problem> reply_to(const std::function<void(v1::Operation&, std::uint64_t request)>& fill) {
    const std::uint64_t request = next_request_++;
    send([&](v1::Operation& operation) { fill(operation, request); });
    return reply(request);
  }
  std::uint64_t next_request() { return next_request_++; }
  /// Returns the problem in the reply, if there is one. Also returns nullopt if the session has ended without a reply;
  /// `goodbye` then returns the reason.
  std::optional<v1::Problem> reply(std::uint64_t request) {
    read_until([&] { return replies_.contains(request); });
    const auto found = replies_.find(request);
    if (found == replies_.end() || !found->second.has_problem()) return std::nullopt;
    return found->second.problem();
  }
  [[nodiscard]] bool replied(std::uint64_t request) const { return replies_.contains(request); }
  [[nodiscard]] const v1::Reply& answer(std::uint64_t request) const { return replies_.at(request); }
  std::optional<v1::Problem> wait_all() {
    return reply_to(
        [](v1::Operation& operation, std::uint64_t request) { operation.mutable_wait_all()->set_request(request); });
  }
  /// Waits until the task has ended.
  v1::Ended ended(std::uint64_t task) {
    read_until([&] { return ended_.contains(task); });
    const auto found = ended_.find(task);
    return found != ended_.end() ? found->second : v1::Ended();
  }
  [[nodiscard]] bool has_ended(std::uint64_t task) const { return ended_.contains(task); }
  [[nodiscard]] std::size_t endings() const { return ended_.size(); }
  [[nodiscard]] std::size_t messages_with_endings() const { return messages_with_endings_; }
  [[nodiscard]] const std::optional<v1::Welcome>& welcome() const { return welcome_; }

  /// Reads until the service ends the session. Returns the service's reason.
  std::optional<v1::Problem> goodbye() {
    read_until([] { return false; });
    return goodbye_;
  }
  template <class Done>
  void read_until(const Done& done) {
    v1::ServiceMessage message;
    while (!done() && stream_->Read(&message)) {
      for (const v1::Event& event : message.events()) take(event);
    }
  }

  void half_close() { stream_->WritesDone(); }
  /// Closes both connections at once, as if the process had been killed.
  void disappear() {
    if (!stream_) return;
    context_.TryCancel();
    memory_.reset();
    stream_->Finish();
    stream_.reset();
    stub_.reset();
  }
  /// Ends the call. May be called from any thread.
  void cancel() { context_.TryCancel(); }
  void close_memory() { memory_.reset(); }
  /// Returns the gRPC call's final status. Must be called after `goodbye`.
  grpc::Status finish() { return std::exchange(stream_, nullptr)->Finish(); }

 private:
  void take(const v1::Event& event) {
    if (event.has_welcome()) welcome_ = event.welcome();
    if (event.has_reply()) replies_[event.reply().request()] = event.reply();
    if (event.has_goodbye()) goodbye_ = event.goodbye().problem();
    if (!event.has_endings()) return;
    ++messages_with_endings_;
    const auto& ranges = event.endings().succeeded();
    for (int i = 0; i + 1 < ranges.size(); i += 2) {
      for (std::uint64_t task = ranges[i]; task < ranges[i] + ranges[i + 1]; ++task) ended_[task].set_task(task);
    }
    for (const v1::Ended& other : event.endings().others()) ended_[other.task()] = other;
  }

  std::unique_ptr<MemoryClient> memory_;
  const std::string token_;
  std::unique_ptr<v1::Troupe::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServiceMessage>> stream_;
  std::uint64_t next_task_ = 1;
  std::uint64_t next_request_ = 1;
  std::optional<v1::Welcome> welcome_;
  std::size_t messages_with_endings_ = 0;
  std::optional<v1::Problem> goodbye_;
  std::map<std::uint64_t, v1::Reply> replies_;
  std::map<std::uint64_t, v1::Ended> ended_;
};

}  // namespace troupe::tests
