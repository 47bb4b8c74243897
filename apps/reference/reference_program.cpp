#include "apps/reference/reference_program.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "apps/command_line.hpp"
#include "apps/reference/completion.hpp"
#include "apps/reference/man_page.hpp"
#include "apps/reference/reference_documents.hpp"
#include "apps/terminal/standard_error.hpp"
#include "platform/files/atomic_file.hpp"
#include "platform/files/file_text.hpp"

namespace troupe::apps {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  platform::write_file(file.string(), text).value_or_throw();
}

void write_man_pages(const std::string& folder, const std::vector<CommandPage>& programs) {
  for (const ManPage& page : man_pages(whole_command_line(programs))) write(fs::path(folder) / page.file, page.text);
}

void write_completions(const std::string& folder, const std::vector<CommandPage>& programs) {
  const CommandPage whole = whole_command_line(programs);
  write(fs::path(folder) / "bash/troupe", bash_completion(whole));
  write(fs::path(folder) / "zsh/_troupe", zsh_completion(whole));
}

#ifdef TROUPE_HAS_SERVICE
/// Writes the documents into docs/reference below the source folder, and the generated sections into their files.
void write_documents(const std::string& source, const std::vector<CommandPage>& programs) {
  const auto schema =
      platform::read_text(source + "/apps/reference/output.schema.json", Bytes{std::uint64_t{1} << 22U}, "schema");
  for (const ReferenceDocument& document :
       {options_document(whole_command_line()), runtime_options_document(), errors_document(source).value_or_throw(),
        metrics_document(), keys_document(schema ? schema.value() : schema.failure().message).value_or_throw()}) {
    write(fs::path(source) / "docs/reference" / document.file, document.text);
  }
  for (const GeneratedSection& section : option_sections()) {
    const std::string file = source + "/" + section.file;
    const std::string whole = platform::read_text(file, Bytes{std::uint64_t{1} << 22U}, "document").value_or_throw();
    write(file, with_section(whole, section).value_or_throw());
  }
  for (const CommandPage& program : programs) {
    const ReferenceDocument document = options_document(program);
    write(fs::path(source) / "docs/reference" / document.file, document.text);
  }
}
#endif

int usage() {
  say("troupe-reference: expected `man FOLDER`, `completion FOLDER`, or in builds with the service `documents "
      "SOURCE`\n");
  return kUnusable;
}

}  // namespace

int run_reference(int argc, const char* const* argv, const std::vector<CommandPage>& programs) {
  using Work = void (*)(const std::string&, const std::vector<CommandPage>&);
  const std::map<std::string, Work> works{
      {"man", write_man_pages},
      {"completion", write_completions},
#ifdef TROUPE_HAS_SERVICE
      {"documents", write_documents},
#endif
  };
  const auto work = argc == 3 ? works.find(argv[1]) : works.end();
  if (work == works.end()) return usage();
  try {
    work->second(argv[2], programs);
    return kSuccess;
  } catch (const std::exception& error) {
    say(fmt::format("troupe-reference: {}\n", error.what()));
    return kFailure;
  }
}

}  // namespace troupe::apps
