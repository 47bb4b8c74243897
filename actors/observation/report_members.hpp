/// The members of reports and their keys, for all code that writes or reads reports.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "proto/json/json.hpp"
#include "troupe/devices.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// Satisfied by `T` and `const T`: code that writes reports passes a `const T`, code that reads reports passes a `T`.
template <class One, class T>
concept ReportOf = std::same_as<std::remove_const_t<One>, T>;

// Each function `members` calls `member(key, value)` for each member of the report, but `member.later(key, value)` for
// members that older versions of Troupe do not write. Times are in seconds, sizes in bytes.

void members(auto& member, ReportOf<LatencySummary> auto& one) {
  member("count", one.count);
  member("mean_seconds", one.mean);
  member("p50_seconds", one.p50);
  member("p90_seconds", one.p90);
  member("p99_seconds", one.p99);
  member("max_seconds", one.max);
}

void members(auto& member, ReportOf<MailboxMetrics> auto& one) {
  member("actor", one.actor);
  member("received", one.received);
  member("processed", one.processed);
  member("dropped", one.dropped);
  member("depth", one.depth);
  member("peak_depth", one.peak_depth);
  member("answered_at_delivery", one.answered_at_delivery);
  member("unmeasured", one.unmeasured);
  member("waiting", one.waiting);
  member("handling", one.handling);
  member("answering", one.answering);
}

void members(auto& member, ReportOf<TeamUse> auto& one) {
  member("offered_seconds", one.offered);
  member("used_seconds", one.used);
  member("unseen_seconds", one.unseen);
}

void members(auto& member, ReportOf<PairTraffic> auto& one) {
  member("from", one.from);
  member("to", one.to);
  member("bytes", one.bytes);
  member("copies", one.copies);
  member("busy_seconds", one.busy);
}

void members(auto& member, ReportOf<LinkTraffic> auto& one) {
  member("name", one.name);
  member("bandwidth_mb_per_s", one.bandwidth_mb_per_s);
  member("bytes", one.bytes);
  member("busy_seconds", one.busy);
  member("highest_load", one.highest_load);
}

void members(auto& member, ReportOf<MemoryUse> auto& one) {
  member("node", one.node);
  member("capacity_bytes", one.capacity);
  member("peak_bytes", one.highest);
  member("used_bytes", one.used);
}

void members(auto& member, ReportOf<PredictionReport> auto& one) {
  member("codelet", one.codelet);
  member("kind", one.kind);
  member("tasks", one.errors.tasks);
  member("unpredicted_tasks", one.errors.unpredicted);
  member("predicted_seconds_sum", one.errors.predicted);
  member("measured_seconds_sum", one.errors.measured);
  member("relative_error_sum", one.errors.relative);
}

void members(auto& member, ReportOf<MemoryManagerCounts> auto& one) {
  member("evictions", one.evictions);
  member("write_backs", one.write_backs);
  member("prefetches", one.prefetches);
  member("prefetches_used", one.prefetches_used);
  member("cache_hits", one.hits);
  member("cache_misses", one.misses);
  member.later("manager_passes", one.passes);
}

/// Calls `member` for the bytes that were copied between kinds of memory.
void byte_members(auto& member, ReportOf<TransferReport> auto& one) {
  member("bytes_host_to_device", one.host_to_device);
  member("bytes_device_to_host", one.device_to_host);
  member("bytes_device_to_device", one.device_to_device);
}

void members(auto& member, ReportOf<TransferReport> auto& one) {
  byte_members(member, one);
  member("pairs", one.pairs);
  member("links", one.links);
  member("memories", one.memories);
  members(member, one.manager);
}

void members(auto& member, ReportOf<WorkerCounts> auto& one) {
  member("tasks", one.tasks);
  member("steals", one.steals);
  member("stolen_tasks", one.stolen_tasks);
  member("failed_steals", one.failed_steals);
  member("pieces", one.pieces);
  member("stolen_pieces", one.stolen_pieces);
  member("issued_ahead", one.issued_ahead);
  member("parks", one.parks);
}

void members(auto& member, ReportOf<WorkerTime> auto& one) {
  member("busy_seconds", one.busy);
  member("searching_seconds", one.searching);
  member("waiting_for_data_seconds", one.waiting_for_data);
}

void members(auto& member, ReportOf<WorkerReport> auto& one) {
  member("worker", one.worker);
  member("device", one.device);
  member("kind", one.kind);
  member("cores", one.cores);
  member("processing_unit", one.bound_to);
  members(member, one.counts);
  members(member, one.time);
}

/// Writes members into a JSON object. For a nested type, it calls the function `members` of that type's namespace.
class MemberWriter {
 public:
  explicit MemberWriter(Json& object) : object_(&object) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    (*object_)[key] = written(value);
  }
  template <class T>
  void later(const char* key, const T& value) {
    (*this)(key, value);
  }

  template <class T>
  static Json written(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else if constexpr (std::is_enum_v<T>) {
      return to_string(value);
    } else {
      Json object = Json::object();
      MemberWriter writer(object);
      members(writer, value);
      return object;
    }
  }
  static Json written(const std::string& value) { return value; }
  static Json written(Duration value) { return seconds(value); }
  static Json written(Bytes value) { return value.count; }
  template <class Tag, class Value>
  static Json written(StrongId<Tag, Value> value) {
    return value.valid() ? Json(value.value()) : Json(nullptr);
  }
  template <class T>
  static Json written(const std::optional<T>& value) {
    return value ? written(*value) : Json(nullptr);
  }
  template <class T>
  static Json written(const std::vector<T>& list) {
    Json array = Json::array();
    for (const T& one : list) array.push_back(written(one));
    return array;
  }

 private:
  Json* object_;
};

/// Returns a report or a list of reports as JSON.
template <class T>
Json as_json(const T& report) {
  return MemberWriter::written(report);
}

/// Calls a function with the value of each member, and ignores the keys.
template <class F>
class MemberVisitor {
 public:
  explicit MemberVisitor(F& function) : function_(&function) {}
  void operator()(const char* /*key*/, auto& value) { (*function_)(value); }
  void later(const char* /*key*/, auto& value) { (*function_)(value); }

 private:
  F* function_;
};

/// Subtracts each member of `earlier` (a count or a time) from the same member of `later`.
template <class T>
void subtract(T& later, const T& earlier) {
  // `members` visits both reports in the same order, so each member finds its counterpart.
  std::vector<const void*> of_earlier;
  auto note = [&of_earlier](const auto& value) { of_earlier.push_back(&value); };
  MemberVisitor noting(note);
  members(noting, earlier);
  auto next = of_earlier.begin();
  auto take = [&next]<class Member>(Member& value) { value -= *static_cast<const Member*>(*next++); };
  MemberVisitor taking(take);
  members(taking, later);
}

}  // namespace troupe
