// Fills each panel of the page.

import {colourOf, lines, spark, timeline, TIMELINE_SECONDS} from "./charts.js";
import {findPair} from "./model.js";
import * as words from "./words.js";

const $ = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Fills a table with cells: texts, elements, or {text, kind} with a class. Narrow screens show each cell's title. */
function fill(id, rows) {
  const body = $(id);
  const titles = [...body.parentElement.tHead.rows[0].cells].map((cell) => cell.textContent);
  const focus = document.activeElement?.dataset?.focus;
  body.replaceChildren(...rows.map((cells) => element("tr", {}, ...cells.map((cell) => {
    if (cell instanceof Node) return element("td", {}, cell);
    if (typeof cell === "object") return element("td", {className: cell.kind, title: cell.title ?? ""}, cell.text);
    return element("td", {}, cell);
  }))));
  for (const row of body.rows) [...row.cells].forEach((cell, i) => { cell.dataset.title = titles[i] ?? ""; });
  // The buttons are new elements, so the keyboard focus must be set again.
  if (focus !== undefined) body.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}

const right = (text) => ({text, kind: "n"});

/** Returns a bar with its value; `mark` is a value on the bar to compare with. */
function bar(fraction, text, {colour, mark} = {}) {
  const inner = element("i");
  inner.style.width = `${100 * Math.min(1, Math.max(0, fraction))}%`;
  if (colour !== undefined) inner.style.background = colour;
  const outer = element("span", {}, inner);
  if (mark !== undefined && mark > 0) {
    const line = element("u", {title: "what its weight gives it"});
    line.style.left = `calc(${100 * Math.min(1, mark)}% - 1px)`;
    outer.append(line);
  }
  return element("div", {className: "bar"}, outer, element("em", {}, text));
}

function legend(id, group, entries) {
  $(id).replaceChildren(...entries.map(([name, text]) => {
    const box = element("i");
    box.style.background = colourOf(group, name);
    return element("li", {}, box, element("b", {}, name), text === "" ? "" : ` ${text}`);
  }));
}

function memoryName(view, node) {
  return node === 0 ? "host" : view.memories[node - 1]?.name ?? `memory ${node}`;
}

// ---- The top ----

export function header(model) {
  const view = model.view;
  $("state").textContent = view.state;
  $("state").className = `pill ${view.state === "serving" ? "good" : "warn"}`;
  $("about").textContent = `up ${words.longDuration(view.age_seconds)} · policy ${view.policy} · ${view.workers.length} workers · ` +
    `version ${view.version} · process ${view.process}`;
  $("sentence").textContent = sentence(model);
  document.title = `${model.busy}/${model.usable} busy – Troupe`;
}

function sentence(model) {
  const view = model.view;
  const parts = [];
  if (view.state === "draining") parts.push("The service drains: it takes no new sessions and ends when all tasks have.");
  const lost = view.workers.length - model.usable;
  if (lost > 0) parts.push(`${lost === 1 ? "One worker has" : `${lost} workers have`} lost their device.`);
  const waiting = model.stuckSince === null ? 0 : view.age_seconds - model.stuckSince;
  if (waiting > 2) {
    parts.push(`No worker has run anything for ${words.longDuration(waiting)}, though ${words.count(model.inFlight)} tasks are in flight: see Why?`);
  } else if (model.busy === 0 && model.inFlight === 0) {
    parts.push(view.sessions.length === 0 ? "Idle: no program is connected." : "Idle: no program has tasks in flight.");
  } else {
    parts.push(`${model.busy} of ${model.usable} workers are busy${mostly(model)}.`);
    parts.push(model.ready > 0 ? `${words.count(model.ready)} tasks are ready and wait for a worker.` :
      "No ready task waits: what is in flight waits for what runs.");
  }
  return parts.join(" ");
}

/** Returns a text about the jobs that take most of the workers' time. */
function mostly(model) {
  const shares = model.view.sessions.map((job) => [job.name, model.share(job)]).sort((a, b) => b[1] - a[1]);
  if (shares.length === 0 || shares[0][1] <= 0) return "";
  if (shares.length === 1 || shares[0][1] > 0.995) return `, all for ${shares[0][0]}`;
  return `: ${shares.slice(0, 2).filter((one) => one[1] > 0.005).map(([name, share]) => `${words.percent(share)} for ${name}`).join(", ")}`;
}

export function tiles(model) {
  const set = (name, figure, small, most) => {
    $(`tile-${name}`).replaceChildren(figure, " ", element("small", {}, small));
    spark($(`spark-${name}`), model.get(name), most);
  };
  const rate = model.rate((v) => v.workers.reduce((sum, worker) => sum + worker.tasks, 0));
  const wait = model.longestWait();
  // The growth of counters is known only from the second view on.
  const known = model.earlier.length > 1, when = (text) => (known ? text : "–");
  set("busy", `${model.busy} / ${model.usable}`, known ? `${words.percent(model.meanUtilization())} in 10 s` : "", 100);
  set("tasks", when(words.rate(rate)), "per second");
  set("ready", words.count(model.ready), "tasks");
  set("flight", words.count(model.inFlight), "tasks");
  set("copied", when(words.perSecond(model.get("copied").last)), "");
  set("mail", when(words.duration(wait.seconds)), wait.actor);
}

// ---- Now ----

let under = () => null;

export function now(model, colours) {
  const view = model.view;
  const pick = (sample) => (colours === "job" ? sample.clients : sample.codelets);
  const labels = view.workers.map((worker, i) => `${i}  ${worker.device}`);
  const end = model.samples.length > 0 ? model.samples[model.samples.length - 1].time + model.interval : view.age_seconds;
  under = timeline($("timeline"), {samples: model.samples, names: model.names, group: colours, interval: model.interval, labels,
                                   figures: view.workers.map((worker, i) => [words.percent(model.utilization(i)), words.count(worker.deque_length)]),
                                   titles: ["busy", "in deque"], lost: view.workers.map((worker) => worker.lost), end, pick});
  $("sampled").textContent = `sampled ${Math.round(1 / model.interval)} times a second, last ${TIMELINE_SECONDS} s`;
  shares(model, colours, pick, end);
  jobs(model);
}

/** Fills the legend of the timeline with the fraction that each colour takes. */
function shares(model, group, pick, end) {
  const counts = new Map();
  let all = 0;
  for (const sample of model.samples) {
    if (sample.time < end - TIMELINE_SECONDS) continue;
    for (const place of pick(sample)) {
      ++all;
      if (place >= 0) counts.set(model.names[place], (counts.get(model.names[place]) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12);
  const idle = all - [...counts.values()].reduce((sum, n) => sum + n, 0);
  legend("legend", group, sorted.map(([name, n]) => [name, words.percent(n / all)]));
  if (all > 0) {
    const box = element("i");
    box.style.background = "var(--idle)";
    $("legend").append(element("li", {}, box, element("b", {}, "nothing"), ` ${words.percent(idle / all)}`));
  }
  $("timeline").setAttribute("aria-label", `Worker timeline of the last ${TIMELINE_SECONDS} seconds: ` +
    sorted.map(([name, n]) => `${name} ${words.percent(n / all)}`).join(", "));
}

function jobs(model) {
  const view = model.view;
  $("no-jobs").hidden = view.sessions.length > 0;
  const rows = [...view.sessions].sort((a, b) => model.share(b) - model.share(a) || a.session - b.session);
  fill("jobs", rows.map((job) => {
    const why = element("button", {className: "row-action", textContent: "Why?", title: `Why does ${job.name} not go on?`});
    why.dataset.focus = `why-${job.session}`;
    why.dataset.session = job.session;
    const kind = job.state === "running" || job.state === "done" ? "" : "gone-job";
    return [
      {text: `${job.session}  ${job.name}`, kind: "name", title: job.name}, {text: job.state, kind},
      bar(model.share(job), words.percent(model.share(job)), {colour: colourOf("job", job.name), mark: model.fairShare(job)}),
      right(String(Math.round(job.weight * 100) / 100)), right(words.count(job.submitted - job.ended)), right(words.count(job.ended)),
      {text: words.count(job.failed), kind: job.failed > 0 ? "n failed" : "n"}, right(words.bytes(job.memory_bytes)),
      {text: job.user_name || String(job.user)}, right(String(job.process)), right(words.longDuration(job.age_seconds)), why,
    ];
  }));
}

/** Returns a text about the sample under the pointer; null if there is none. */
export function tipAt(model, x, y, colours) {
  const found = under(x, y);
  if (found === null || model.view === null) return null;
  const worker = model.view.workers[found.worker];
  const place = found.sample === null ? -1 : found.sample.codelets[found.worker] ?? -1;
  const client = found.sample === null ? -1 : found.sample.clients[found.worker] ?? -1;
  const what = found.sample === null ? "not sampled" : place < 0 ? "nothing" : model.names[place];
  return `${found.worker}  ${worker.device}: ${what}${client >= 0 ? ` for ${model.names[client]}` : ""}`;
}

// ---- The other tabs ----

/** Returns a text for the used fraction of the time of a cluster's cores: see `human_share`. */
function teamUsed(model, i) {
  if (model.view.workers[i].members.length < 2) return "";
  const use = model.teamUse(i);
  if (use.offered_seconds === 0) return use.unseen_seconds > 0 ? "unknown" : "-";
  return words.percent(use.used_seconds / use.offered_seconds) + (use.unseen_seconds > 0 ? " + unknown" : "");
}

export function workers(model) {
  const view = model.view;
  const longest = Math.max(1, ...view.workers.map((worker) => worker.deque_length));
  fill("worker-rows", view.workers.map((worker, i) => {
    const runs = worker.task || worker.codelet;
    const what = worker.lost ? {text: "device lost", kind: "lost"} :
      {text: runs === "" ? (worker.idle ? "idle" : "looking for work") : runs, kind: runs === "" ? "quiet name" : "name", title: runs};
    return [
      `${i}  ${worker.device}`, bar(model.utilization(i), words.percent(model.utilization(i))), right(teamUsed(model, i)), what, worker.client,
      right(runs === "" ? "" : words.duration(worker.running_for_seconds)),
      bar(worker.deque_length / longest, words.count(worker.deque_length)),
      right(words.count(worker.tasks)), right(words.rate(model.rate((v) => v.workers[i]?.tasks))),
    ];
  }));
  lines($("deque-chart"), "deque", [{name: "deques", series: model.get("deques")}, {name: "entry queue", series: model.get("entry")}], words.count);
  legend("deque-legend", "deque", [["deques", words.count(model.inDeques)], ["entry queue", words.count(view.entry_queue)]]);
}

export function mailboxes(model) {
  const boxes = model.view.mailboxes;
  const deepest = Math.max(1, ...boxes.map((box) => box.depth));
  fill("mailbox-rows", boxes.map((box) => [
    box.actor, bar(box.depth / deepest, words.count(box.depth)), right(words.count(box.peak_depth)),
    right(words.rate(model.rate((v) => v.mailboxes.find((one) => one.actor === box.actor)?.received))),
    right(words.duration(model.waitingNow(box.actor))), right(words.duration(box.waiting.p50_seconds)),
    right(words.duration(box.waiting.p99_seconds)), right(words.duration(box.waiting.max_seconds)),
    right(words.duration(box.handling.mean_seconds)),
    {text: words.count(box.dropped), kind: box.dropped > 0 ? "n failed" : "n"},
  ]));
  // Show the eight actors whose messages wait longest; with more lines, colours would repeat.
  const series = boxes.map((box) => ({name: box.actor, series: model.get(`waiting ${box.actor}`)}))
    .sort((a, b) => b.series.last - a.series.last).slice(0, 8);
  lines($("waiting-chart"), "actor", series, words.duration);
  legend("waiting-legend", "actor", series.map((line) => [line.name, words.duration(line.series.last)]));
}

export function data(model) {
  const view = model.view, pairs = view.transfers.pairs;
  $("no-links").hidden = pairs.length > 0;
  $("link-chart").hidden = pairs.length === 0;
  const name = (pair) => `${memoryName(view, pair.from)} → ${memoryName(view, pair.to)}`;
  const series = pairs.map((pair) => ({name: name(pair), series: model.get(`pair ${pair.from}-${pair.to}`)}));
  if (pairs.length > 0) lines($("link-chart"), "link", series, words.perSecond, 2);
  legend("link-legend", "link", series.map((line) => [line.name, words.perSecond(line.series.last)]));
  const rate = (pair, what) => model.rate((v) => findPair(v, pair)?.[what]);
  const fastest = Math.max(1, ...pairs.map((pair) => rate(pair, "bytes")));
  fill("link-rows", pairs.map((pair) => [
    name(pair), bar(rate(pair, "bytes") / fastest, words.perSecond(rate(pair, "bytes")), {colour: colourOf("link", name(pair))}),
    right(words.rate(rate(pair, "copies"))), right(words.bytes(pair.bytes)), right(words.count(pair.copies)),
    right(words.percent(Math.min(1, rate(pair, "busy_seconds")))),
  ]));
  memories(model);
}

function memories(model) {
  const view = model.view;
  $("no-memories").hidden = view.memories.length > 0;
  const boxes = view.memories.map((memory, i) => {
    const fraction = memory.capacity_bytes > 0 ? memory.used_bytes / memory.capacity_bytes : 0;
    const canvas = element("canvas");
    const box = element("div", {className: "memory"},
      element("p", {}, `${memory.name}: ${words.bytes(memory.used_bytes)} of ${words.bytes(memory.capacity_bytes)}`),
      bar(fraction, words.percent(fraction)), canvas);
    return {box, canvas, series: model.get(`memory ${i}`), capacity: memory.capacity_bytes};
  });
  $("memories").replaceChildren(...boxes.map((one) => one.box));
  for (const {canvas, series, capacity} of boxes) spark(canvas, series, capacity);
  const all = view.transfers, looked = all.cache_hits + all.cache_misses;
  $("cache").textContent = view.memories.length === 0 ? "" :
    `${looked > 0 ? `${words.percent(all.cache_hits / looked)} of what tasks needed was there already; ` : ""}` +
    `${words.count(all.evictions)} evictions, ${words.count(all.write_backs)} write-backs, ` +
    `${words.count(all.prefetches)} prefetches, of which ${words.count(all.prefetches_used)} were used.`;
}

export function predictions(model) {
  const all = model.view.predictions;
  $("no-predictions").hidden = all.length > 0;
  $("prediction-chart").hidden = all.length === 0;
  fill("prediction-rows", all.map((of) => {
    const error = model.predictionError(of);
    return [
      of.codelet, of.kind, bar(error.all, words.percent(error.all)), bar(error.now, words.percent(error.now)),
      right(words.duration(of.predicted_seconds_sum / Math.max(1, of.tasks))),
      right(words.duration(of.measured_seconds_sum / Math.max(1, of.tasks))), right(words.count(of.tasks)),
    ];
  }));
  const series = all.map((of) => ({name: `${of.codelet}, ${of.kind}`, series: model.get(`prediction ${of.codelet}/${of.kind}`)}))
    .slice(0, 11);
  if (all.length > 0) lines($("prediction-chart"), "prediction", series, (value) => `${words.rate(value)} %`);
  legend("prediction-legend", "prediction", series.map((line) => [line.name, ""]));
}

/** Updates the list of jobs in the tab "why". */
export function why(model) {
  const select = $("why-job");
  const wanted = [["", "all jobs"], ...model.view.sessions.map((job) => [String(job.session), `${job.session}  ${job.name}`])];
  const have = [...select.options].map((option) => [option.value, option.textContent]);
  if (JSON.stringify(wanted) === JSON.stringify(have)) return;
  const chosen = select.value;
  select.replaceChildren(...wanted.map(([value, text]) => element("option", {value, textContent: text})));
  select.value = wanted.some(([value]) => value === chosen) ? chosen : "";
}
