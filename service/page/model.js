// The page's data: the last view, the growth of counters, and series of the last two minutes.

const WINDOW = 120;  // seconds of a series
const RECENT = 10;   // seconds that "now" means for rates

/** The values of one quantity over the last two minutes of the service's time. */
class Series {
  constructor() { this.points = []; }
  add(time, value) {
    this.points.push([time, value]);
    while (this.points.length > 0 && this.points[0][0] < time - WINDOW) this.points.shift();
  }
  get last() { return this.points.length > 0 ? this.points[this.points.length - 1][1] : 0; }
}

export class Model {
  constructor() { this.forget(); }

  forget() {
    this.view = null;
    this.earlier = [];
    this.series = new Map();
    this.samples = [];
    this.names = [];
    this.interval = 0.05;
    this.lastSample = 0;
    this.stuckSince = null;
  }

  /** Takes a view from the server. Returns true if it comes from another service than the view before. */
  take(view) {
    const before = this.view;
    const restarted = before !== null && (before.process !== view.process || view.age_seconds < before.age_seconds);
    if (restarted) this.forget();
    this.takeSamples(view.samples);
    // Requests share views, so the server may send the same view again. Then nothing is new.
    if (!restarted && before !== null && view.age_seconds === before.age_seconds) return false;
    this.view = view;
    this.earlier.push(view);
    while (this.earlier.length > 2 && this.earlier[1].age_seconds < view.age_seconds - RECENT) this.earlier.shift();
    this.derive();
    return restarted;
  }

  takeSamples(samples) {
    this.interval = samples.interval_seconds;
    // The indices of names change when the server removes some names.
    if (samples.names.length < this.names.length || this.names.some((name, i) => samples.names[i] !== name)) {
      this.samples = [];
    }
    this.names = samples.names;
    for (const [number, time, codelets, clients] of samples.rows) {
      this.samples.push({time, codelets, clients});
      this.lastSample = number;
    }
    while (this.samples.length > 0 && this.samples[0].time < this.samples[this.samples.length - 1].time - WINDOW) {
      this.samples.shift();
    }
  }

  /** The oldest stored view, about RECENT seconds old. */
  get base() { return this.earlier[0]; }
  get span() { return Math.max(1e-9, this.view.age_seconds - this.base.age_seconds); }

  /** Returns the growth per second of a counter. `pick` returns the counter of a view, or undefined. */
  rate(pick) {
    if (this.earlier.length < 2) return 0;
    const now = pick(this.view), then = pick(this.base);
    return now === undefined ? 0 : Math.max(0, now - (then ?? 0)) / this.span;
  }

  /** Returns the growth per second between only the last two views, for lines that show changes. */
  latestRate(pick) {
    if (this.earlier.length < 2) return 0;
    const view = this.earlier[this.earlier.length - 1], previous = this.earlier[this.earlier.length - 2];
    const now = pick(view), then = pick(previous);
    return now === undefined ? 0 : Math.max(0, now - (then ?? 0)) / Math.max(1e-9, view.age_seconds - previous.age_seconds);
  }

  get(name) {
    if (!this.series.has(name)) this.series.set(name, new Series());
    return this.series.get(name);
  }

  record(name, value) { this.get(name).add(this.view.age_seconds, value); }

  derive() {
    const view = this.view;
    const busy = view.workers.filter((worker) => worker.task !== "" || worker.codelet !== "").length;
    this.busy = busy;
    this.usable = view.workers.filter((worker) => !worker.lost).length;
    this.inDeques = view.workers.reduce((sum, worker) => sum + worker.deque_length, 0);
    this.ready = Math.max(this.inDeques + view.entry_queue, view.clients.reduce((sum, client) => sum + client.ready, 0));
    this.inFlight = view.sessions.reduce((sum, job) => sum + job.submitted - job.ended, 0);
    // Tasks are in flight but no worker is busy: the page gives a hint if this lasts.
    const stuck = busy === 0 && this.inFlight > 0;
    this.stuckSince = stuck ? (this.stuckSince ?? view.age_seconds) : null;
    // With only one view, the growth of counters is not known.
    if (this.earlier.length < 2) return;
    this.record("busy", this.usable > 0 ? 100 * this.latestUtilization() : 0);
    this.record("tasks", this.latestRate((v) => v.workers.reduce((sum, worker) => sum + worker.tasks, 0)));
    this.record("ready", this.ready);
    this.record("deques", this.inDeques);
    this.record("entry", view.entry_queue);
    this.record("flight", this.inFlight);
    this.record("copied", this.latestRate((v) => totalCopied(v)));
    this.record("mail", this.longestWait().seconds);
    view.transfers.pairs.forEach((pair) => {
      this.record(`pair ${pair.from}-${pair.to}`, this.latestRate((v) => findPair(v, pair)?.bytes));
    });
    view.memories.forEach((memory, i) => this.record(`memory ${i}`, memory.used_bytes));
    view.mailboxes.forEach((box) => this.record(`waiting ${box.actor}`, this.waitingNow(box.actor)));
    view.predictions.forEach((of) => {
      this.record(`prediction ${of.codelet}/${of.kind}`, 100 * this.predictionError(of).now);
    });
  }

  /** Returns the fraction of the last seconds in which worker i was busy, between 0 and 1. */
  utilization(i) {
    const worker = this.view.workers[i];
    if (this.earlier.length < 2) return worker.task === "" && worker.codelet === "" ? 0 : 1;
    return Math.min(1, this.rate((v) => v.workers[i]?.busy_seconds));
  }

  /** Returns the `TeamUse` of cluster i for tasks of the last seconds; if there are none, for all tasks so far. */
  teamUse(i) {
    const all = this.view.workers[i].team, before = this.base.workers[i]?.team ?? {};
    const late = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, value - (before[key] ?? 0)]));
    return late.offered_seconds > 0 || late.unseen_seconds > 0 ? late : all;
  }

  /** Returns the mean utilization of all workers over the last seconds. */
  meanUtilization() {
    const sum = this.view.workers.reduce((total, _, i) => total + this.utilization(i), 0);
    return sum / Math.max(1, this.usable);
  }

  latestUtilization() {
    const workers = this.view.workers;
    if (this.earlier.length < 2) return this.busy / Math.max(1, this.usable);
    const sum = workers.reduce((total, _, i) => total + Math.min(1, this.latestRate((v) => v.workers[i]?.busy_seconds)), 0);
    return sum / Math.max(1, this.usable);
  }

  /** Returns the mean time that an actor's messages waited in the last seconds. */
  waitingNow(actor) {
    const find = (v) => v.mailboxes.find((box) => box.actor === actor)?.waiting;
    const now = find(this.view), then = find(this.base) ?? {count: 0, mean_seconds: 0};
    const count = now.count - then.count;
    if (count <= 0 || this.earlier.length < 2) return 0;
    return Math.max(0, (now.count * now.mean_seconds - then.count * then.mean_seconds) / count);
  }

  longestWait() {
    let longest = {actor: "", seconds: 0};
    for (const box of this.view.mailboxes) {
      const seconds = this.waitingNow(box.actor);
      if (seconds > longest.seconds) longest = {actor: box.actor, seconds};
    }
    return longest;
  }

  /** Returns the mean relative errors since the start (`all`) and of the last seconds (`now`). */
  predictionError(of) {
    const find = (v) => v.predictions.find((one) => one.codelet === of.codelet && one.kind === of.kind);
    const then = find(this.base) ?? {tasks: 0, relative_error_sum: 0};
    const tasks = of.tasks - then.tasks;
    const all = of.tasks > 0 ? of.relative_error_sum / of.tasks : 0;
    return {all, now: tasks > 0 ? Math.max(0, (of.relative_error_sum - then.relative_error_sum) / tasks) : all};
  }

  /** Returns the fraction of all workers' time in the last seconds that was spent on a job. */
  share(job) {
    const rates = this.view.sessions.map((one) => this.rate((v) => v.sessions.find((s) => s.session === one.session)?.worker_seconds));
    const total = rates.reduce((sum, rate) => sum + rate, 0);
    const own = rates[this.view.sessions.indexOf(job)];
    return total > 0 ? own / total : 0;
  }

  /** Returns the share of the workers that a job gets by its weight, compared with all jobs that have work. */
  fairShare(job) {
    const active = this.view.sessions.filter((one) => one.submitted > one.ended || this.share(one) > 0.01);
    const total = active.reduce((sum, one) => sum + one.weight, 0);
    return active.includes(job) && total > 0 ? job.weight / total : 0;
  }
}

export function findPair(view, pair) {
  return view.transfers.pairs.find((one) => one.from === pair.from && one.to === pair.to);
}

function totalCopied(view) {
  const all = view.transfers;
  return all.bytes_host_to_device + all.bytes_device_to_host + all.bytes_device_to_device;
}
