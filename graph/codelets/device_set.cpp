#include "graph/codelets/device_set.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace troupe {

namespace {

template <class T>
void sort_each_once(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
bool in_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

/// Returns true if `text` contains `part` at a place where `part` neither begins nor ends inside a word. `part` must
/// not be empty.
bool has_words(const std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool begins = at == 0 || !in_word(text[at - 1]) || !in_word(part.front());
    if (begins && (end == text.size() || !in_word(text[end]) || !in_word(part.back()))) return true;
  }
  return false;
}

/// Returns true if `name`, which is in lower case, is the worker's name (with or without the model in parentheses), or
/// consists of whole words of the worker's model.
bool is_called(const NamedWorker& worker, const std::string& name) {
  const std::string full = in_lower_case(worker.name);
  return full == name || full.starts_with(name + " (") || has_words(in_lower_case(worker.model), name);
}

std::string known_names(std::span<const NamedWorker> workers) {
  std::set<std::string> models;
  for (const NamedWorker& worker : workers) {
    if (!worker.model.empty()) models.insert(worker.model);
  }
  std::string text;
  for (const std::string& model : models) text += (text.empty() ? "" : ", ") + model;
  const std::string last = workers.size() > 1 ? " to #" + std::to_string(workers.size() - 1) : "";
  return (text.empty() ? "" : "models are " + text + "; ") + "workers are #0" + last + ", named " +
         workers.front().name + (workers.size() > 1 ? " to " + workers.back().name : "");
}

/// Sets `members[i]` for each worker i that the choice names by kind, number, name or model. Fails with
/// `invalid_argument` if no worker has one of the names or numbers.
Result<void> add_members(const DeviceChoice& choice, std::span<const NamedWorker> workers, std::vector<bool>& members) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if ((choice.kinds & kind_set(workers[i].kind)) != 0) members[i] = true;
  }
  for (const WorkerId worker : choice.workers) {
    if (worker.index() >= workers.size()) {
      return Failure{ErrorCode::invalid_argument,
                     "there is no worker #" + std::to_string(worker.value()) + ": " + known_names(workers)};
    }
    members[worker.index()] = true;
  }
  for (const std::string& name : choice.names) {
    bool found = false;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (!is_called(workers[i], in_lower_case(name))) continue;
      members[i] = found = true;
    }
    if (!found) {
      return Failure{ErrorCode::invalid_argument,
                     "'" + name + "' is neither a model nor a worker here: " + known_names(workers)};
    }
  }
  return {};
}

std::string described(const DeviceChoice& choice) {
  std::string text;
  const auto add = [&text](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const DeviceTraits& row : kDeviceTraits) {
    if ((choice.kinds & kind_set(row.kind)) != 0) add(row.name);
  }
  for (const std::string& name : choice.names) add(name);
  for (const WorkerId worker : choice.workers) add("worker " + std::to_string(worker.value()));
  return text;
}

}  // namespace

DeviceSet DeviceSet::named(std::string name) {
  DeviceChoice choice;
  choice.names.push_back(std::move(name));
  return of(std::move(choice));
}

DeviceSet DeviceSet::worker(WorkerId worker) {
  DeviceChoice choice;
  choice.workers.push_back(worker);
  return of(std::move(choice));
}

DeviceSet DeviceSet::of(DeviceChoice choice) {
  DeviceSet set;
  set.restrict_to(std::move(choice));
  return set;
}

void DeviceSet::restrict_to(DeviceChoice choice) {
  choice.kinds &= kEveryKind;
  std::erase(choice.names, std::string());
  if (choice.kinds == kEveryKind) return;
  if (choice.names.empty() && choice.workers.empty()) {
    kinds_ = static_cast<KindSet>(kinds_ & choice.kinds);
    return;
  }
  sort_each_once(choice.workers);
  sort_each_once(choice.names);
  auto choices = choices_ == nullptr ? std::vector<DeviceChoice>() : *choices_;
  choices.push_back(std::move(choice));
  sort_each_once(choices);
  choices_ = std::make_shared<const std::vector<DeviceChoice>>(std::move(choices));
}

std::vector<DeviceChoice> DeviceSet::conditions() const {
  std::vector<DeviceChoice> all(choices().begin(), choices().end());
  if (kinds_ != kEveryKind) all.push_back({kinds_, {}, {}});
  return all;
}

DeviceSet operator&(const DeviceSet& a, const DeviceSet& b) {
  DeviceSet both = a;
  both.kinds_ = static_cast<KindSet>(a.kinds_ & b.kinds_);
  if (both.choices_ == b.choices_) return both;
  for (const DeviceChoice& choice : b.choices()) both.restrict_to(choice);
  return both;
}

DeviceSet operator|(const DeviceSet& a, const DeviceSet& b) {
  if (a.choices_ == nullptr && b.choices_ == nullptr) {
    return DeviceSet::of_kinds(static_cast<KindSet>(a.kinds_ | b.kinds_));
  }
  DeviceSet either;
  for (const DeviceChoice& one : a.conditions()) {
    for (const DeviceChoice& other : b.conditions()) {
      DeviceChoice choice = one;
      choice.kinds = static_cast<KindSet>(choice.kinds | other.kinds);
      choice.workers.insert(choice.workers.end(), other.workers.begin(), other.workers.end());
      choice.names.insert(choice.names.end(), other.names.begin(), other.names.end());
      either.restrict_to(std::move(choice));
    }
  }
  return either;
}

std::strong_ordering operator<=>(const DeviceSet& a, const DeviceSet& b) {
  if (const auto order = a.kinds_ <=> b.kinds_; order != 0) return order;
  if (a.choices_ == b.choices_) return std::strong_ordering::equal;
  const auto one = a.choices();
  const auto other = b.choices();
  return std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(), other.end());
}

std::string to_string(const DeviceSet& devices) {
  std::string text;
  if (devices.kinds() != kEveryKind || devices.choices().empty()) text = described({devices.kinds(), {}, {}});
  if (devices.kinds() == 0) return "no device";
  for (const DeviceChoice& choice : devices.choices()) {
    text += (text.empty() ? "" : ", of these only ") + described(choice);
  }
  return text;
}

Result<std::vector<bool>> find_members(const DeviceSet& devices, std::span<const NamedWorker> workers) {
  std::vector<bool> members(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) members[i] = (devices.kinds() & kind_set(workers[i].kind)) != 0;
  for (const DeviceChoice& choice : devices.choices()) {
    std::vector<bool> chosen(workers.size());
    if (auto added = add_members(choice, workers, chosen); !added) return added.failure();
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = members[i] && chosen[i];
  }
  return members;
}

}  // namespace troupe
