// Asks the service for a view twice a second while the page is visible, and shows the answers.

import {Model} from "./model.js";
import * as panels from "./panels.js";
import * as words from "./words.js";

const PERIOD = 500;     // milliseconds
const PATIENCE = 4000;  // milliseconds that an answer may take

const $ = (id) => document.getElementById(id);
const model = new Model();
let colours = "codelet";
let goneSince = null;
let timer = null;

// ---- Asking ----

async function get(address) {
  const answer = await fetch(address, {signal: AbortSignal.timeout(PATIENCE), cache: "no-store", credentials: "same-origin"});
  if (answer.status === 401) throw new Error("the service wants its token: open this page once as /?token=TOKEN");
  if (!answer.ok) throw new Error((await answer.text()).trim() || `the service answered ${answer.status}`);
  return answer.json();
}

async function poll() {
  timer = null;
  const started = performance.now();
  let view = null;
  try {
    view = await get(`view.json?since=${model.lastSample}`);
  } catch (error) {
    gone(error);
  }
  if (view !== null) {
    model.take(view);
    back();
    show();
  }
  if (!document.hidden) timer = setTimeout(poll, Math.max(50, PERIOD - (performance.now() - started)));
}

/** While the page is hidden, it sends no requests; it continues when it becomes visible again. */
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && timer === null) poll();
});

function gone(error) {
  goneSince ??= Date.now();
  const known = error instanceof TypeError || error.name === "TimeoutError" || error.name === "AbortError";
  $("gone").textContent = `The service does not answer (for ${words.longDuration((Date.now() - goneSince) / 1000)})` +
    `${known ? "" : `: ${error.message}`}. ${model.view === null ? "" : "Below is what it said last. "}Trying again…`;
  $("gone").hidden = false;
  $("state").textContent = "gone";
  $("state").className = "pill bad";
  document.body.classList.add("stale");
  document.title = "gone – Troupe";
}

function back() {
  if (goneSince === null) return;
  goneSince = null;
  $("gone").hidden = true;
  document.body.classList.remove("stale");
}

// ---- Showing ----

const TABS = ["now", "workers", "mailboxes", "data", "predictions", "why"];
const shown = () => TABS.find((name) => !$(name).hidden);

function show() {
  if (model.view === null) return;
  panels.header(model);
  panels.tiles(model);
  // Draw only the visible tab.
  const name = shown();
  name === "now" ? panels.now(model, colours) : panels[name](model);
}

function choose(name, focus = false) {
  if (!TABS.includes(name)) name = "now";
  for (const one of TABS) {
    const tab = $(`tab-${one}`);
    $(one).hidden = one !== name;
    tab.setAttribute("aria-selected", String(one === name));
    tab.tabIndex = one === name ? 0 : -1;
  }
  if (focus) $(`tab-${name}`).focus();
  if (location.hash.slice(1) !== name) history.replaceState(null, "", `#${name}`);
  show();
}

for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => choose(name));
document.querySelector(".tabs").addEventListener("keydown", (event) => {
  const at = TABS.indexOf(shown());
  const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1}[event.key];
  if (to === undefined) return;
  event.preventDefault();
  choose(TABS[(to + TABS.length) % TABS.length], true);
});
window.addEventListener("hashchange", () => choose(location.hash.slice(1)));
window.addEventListener("resize", show);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);

for (const kind of ["codelet", "job"]) {
  $(`by-${kind}`).addEventListener("click", () => {
    colours = kind;
    for (const one of ["codelet", "job"]) $(`by-${one}`).setAttribute("aria-pressed", String(one === kind));
    show();
  });
}

$("timeline").addEventListener("pointermove", (event) => {
  const text = panels.tipAt(model, event.offsetX, event.offsetY);
  const tip = $("tip");
  tip.hidden = text === null;
  if (text === null) return;
  tip.textContent = text;
  tip.style.left = `${Math.max(0, Math.min(event.offsetX + 14, $("timeline").clientWidth - tip.offsetWidth))}px`;
  tip.style.top = `${event.offsetY + 16}px`;
});
$("timeline").addEventListener("pointerleave", () => { $("tip").hidden = true; });

// ---- Why ----

async function ask() {
  const session = $("why-job").value;
  $("asked").textContent = "asking…";
  try {
    const report = await get(session === "" ? "why.json" : `why.json?session=${session}`);
    $("answer").textContent = report.text.trim();
    $("answer").hidden = false;
    $("why-hint").hidden = true;
    $("asked").textContent = `as of ${new Date().toLocaleTimeString("en-GB")}`;
  } catch (error) {
    $("asked").textContent = error instanceof TypeError ? "the service does not answer" : error.message;
  }
}
$("ask").addEventListener("click", ask);
$("jobs").addEventListener("click", (event) => {
  const session = event.target.dataset?.session;
  if (session === undefined) return;
  choose("why", true);
  $("why-job").value = session;
  ask();
});

choose(location.hash.slice(1));
poll();
