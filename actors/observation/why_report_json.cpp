
#include "proto/json/json.hpp"
#include "troupe/why.hpp"

namespace troupe {

namespace {

Json as_json(const WhyTask& task) {
  Json object{{"text", task.text}};
  if (task.id.valid()) object["id"] = task.id.value();
  if (!task.name.empty()) object["name"] = task.name;
  if (!task.codelet.empty()) object["codelet"] = task.codelet;
  if (task.pieces > 0) {
    object["pieces"] = task.pieces;
    object["pieces_begun"] = task.pieces_begun;
  }
  return object;
}

Json as_json(const WhyCause& cause) {
  Json object{{"kind", to_string(cause.kind)},
              {"task", as_json(cause.task)},
              {"tasks", cause.tasks},
              {"waiting", cause.waiting},
              {"seconds", seconds(cause.lasting)}};
  if (cause.worker.valid()) object["worker"] = cause.worker.value();
  if (!cause.data.empty()) {
    object["data"] = cause.data;
    object["mode"] = to_string(cause.mode);
  }
  return object;
}

Json as_json(const WhyWaiting& waiting) {
  Json object{{"task", as_json(waiting.task)}, {"more_blockers", waiting.more_blockers}};
  for (const WhyBlocker& blocker : waiting.blockers) {
    object["blockers"].push_back(
        {{"task", as_json(blocker.task)}, {"relation", to_string(blocker.relation)}, {"state", blocker.state}});
  }
  return object;
}

Json as_json(const WhyWorker& worker) {
  Json object{{"worker", worker.worker.value()},
              {"device", worker.device},
              {"state", to_string(worker.state)},
              {"queued", worker.queued}};
  if (!worker.members.empty()) object["members"] = worker.members;
  if (worker.members.size() > 1) {
    const auto share = worker.team.share();
    object["team_used"] = share ? Json(*share) : Json(nullptr);
  }
  if (!worker.task.text.empty()) {
    object["task"] = as_json(worker.task);
    object["seconds"] = seconds(worker.lasting);
  }
  return object;
}

Json as_json(const WhyThread& thread) {
  Json object{{"waits_for", thread.kind}, {"text", thread.text}, {"seconds", seconds(thread.lasting)}};
  if (thread.task.id.valid()) object["task"] = as_json(thread.task);
  return object;
}

template <class Item>
Json as_json(const std::vector<Item>& items) {
  Json array = Json::array();
  for (const Item& item : items) array.push_back(as_json(item));
  return array;
}

}  // namespace

std::string WhyReport::to_json() const {
  const Json object{{"submitted", counts.submitted},    {"ended", counts.ended},
                    {"in_flight", counts.in_flight},    {"left_out", counts.left_out},
                    {"waiting", counts.waiting},        {"ready", counts.ready},
                    {"running", counts.running},        {"in_entry_queue", counts.in_entry_queue},
                    {"undecided", counts.undecided},    {"policy", policy},
                    {"scheduler_died", scheduler_died}, {"quiet_seconds", seconds(quiet_for)},
                    {"causes", as_json(causes)},        {"more_causes", more_causes},
                    {"tasks", as_json(tasks)},          {"more_tasks", more_tasks},
                    {"workers", as_json(workers)},      {"threads", as_json(threads)},
                    {"more_threads", more_threads}};
  return object.dump(2);
}

}  // namespace troupe
