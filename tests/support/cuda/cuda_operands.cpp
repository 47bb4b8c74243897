#include "tests/support/cuda/cuda_operands.hpp"

#include <algorithm>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/completion_check.hpp"
#include "kernels/gpu_environment.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::tests {

namespace {

void call(const Codelet& codelet, DeviceKind kind, const std::vector<DataView>& views, const Arguments& arguments,
          void* stream) {
  std::vector<const DataView*> pointers;
  for (const DataView& view : views) pointers.push_back(&view);
  KernelContext context(pointers, arguments.view());
  context.stream = stream;
  codelet.definition().kernel_for(kind)(context);
}

}  // namespace

/// The state of a task between `begin` and `end`.
struct Gpu::Task {
  Task(const platform::CudaApi& cuda, std::vector<Operand>& data) : api(cuda), operands(data) {}
  ~Task() {
    for (std::byte* block : memory) (void)api.cudaFree(block);
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const platform::CudaApi& api;
  std::vector<Operand>& operands;
  std::vector<std::byte*> memory;
  graph::CompletionChecks checks;
};

Gpu::Gpu(int device) : api_(*platform::cuda_api().value_or_throw()) {
  check(api_.cudaSetDevice(device), "cudaSetDevice");
  check(api_.cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0), "cudaStreamCreateWithPriority");
  environment_ = kernels::gpu_environment();
}

Gpu::~Gpu() {
  (void)api_.cudaStreamSynchronize(stream_);
  tasks_.clear();
  environment_.reset();
  (void)api_.cudaStreamDestroy(stream_);
}

void Gpu::check(cudaError_t status, const char* what) const {
  platform::cuda_check(api_, status, what).value_or_throw();
}

void Gpu::copy(Operand& operand, std::byte* memory, bool to_device) const {
  std::byte* const host = operand.bytes.data();
  const cudaMemcpyKind kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  check(api_.cudaMemcpyAsync(to_device ? memory : host, to_device ? host : memory, operand.bytes.size(), kind, stream_),
        "cudaMemcpyAsync");
}

void Gpu::begin(const Codelet& codelet, std::vector<Operand>& operands, const Arguments& arguments) {
  Task& task = *tasks_.emplace_back(std::make_unique<Task>(api_, operands));
  std::vector<DataView> views;
  for (Operand& operand : operands) {
    void* memory = nullptr;
    check(api_.cudaMalloc(&memory, operand.bytes.size()), "cudaMalloc");
    task.memory.push_back(static_cast<std::byte*>(memory));
    copy(operand, task.memory.back(), true);
    views.push_back({task.memory.back(), operand.layout});
  }
  const graph::CompletionChecks::Scope scope(task.checks);
  call(codelet, DeviceKind::cuda, views, arguments, stream_);
}

void Gpu::end() {
  // Take the task out of the list first, so that a check that throws leaves no task behind.
  const std::unique_ptr<Task> task = std::move(tasks_.front());
  tasks_.erase(tasks_.begin());
  for (std::size_t i = 0; i < task->operands.size(); ++i) copy(task->operands[i], task->memory[i], false);
  check(api_.cudaStreamSynchronize(stream_), "a kernel, or a copy beside it,");
  task->checks.run();
}

void Gpu::run(const Codelet& codelet, std::vector<Operand>& operands, const Arguments& arguments) {
  begin(codelet, operands, arguments);
  end();
}

void run_on_core(const Codelet& codelet, std::vector<Operand>& operands, const Arguments& arguments) {
  std::vector<DataView> views;
  for (Operand& operand : operands) views.push_back({operand.bytes.data(), operand.layout});
  call(codelet, DeviceKind::cpu_core, views, arguments, nullptr);
}

}  // namespace troupe::tests
