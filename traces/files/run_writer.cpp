#include "traces/files/run_writer.hpp"

#include <utility>

#include "client/environment/run_writer.hpp"
#include "traces/files/trace_file.hpp"
#include "traces/text/mailbox_table.hpp"
#include "traces/text/run_text.hpp"

namespace troupe::traces {

namespace {

Result<void> write_named_trace(const std::string& path, const std::string& title, Trace trace,
                               const RunReport& report) {
  const TraceDescription description = describe(title, trace, report);
  return write_trace(path, std::move(trace), description);
}

std::string report_text(const Trace& trace, const RunReport& report) { return run_text(report, trace); }

constexpr client::RunWriter kWriter{check_trace_path, write_named_trace, report_text, mailbox_table};

}  // namespace

bool offer_run_writer() noexcept {
  client::register_run_writer(&kWriter);
  return true;
}

}  // namespace troupe::traces
