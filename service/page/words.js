// Texts for numbers and quantities.

function digits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function duration(seconds) {
  if (!(seconds > 0)) return "0 s";
  if (seconds < 999.5e-9) return `${digits(seconds * 1e9)} ns`;
  if (seconds < 999.5e-6) return `${digits(seconds * 1e6)} µs`;
  if (seconds < 0.9995) return `${digits(seconds * 1e3)} ms`;
  if (seconds < 119.5) return `${digits(seconds)} s`;
  return longDuration(seconds);
}

/** Returns words such as "2 h 13 min". */
export function longDuration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor(whole % 86400 / 3600)} h`;
}

export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  for (; count >= 1023.95 && unit + 1 < units.length; ++unit) count /= 1024;
  return unit === 0 ? `${Math.round(count)} B` : `${count.toFixed(1)} ${units[unit]}`;
}

export function perSecond(count) {
  return `${bytes(count)}/s`;
}

/** Returns a number such as 1,234,567. */
export function count(number) {
  return Math.round(number).toLocaleString("en-US");
}

/** Returns a rate without a unit, such as 0.4, 12 or 1,234. */
export function rate(number) {
  return number > 0 && number < 9.95 ? number.toFixed(1) : count(number);
}

export function percent(fraction) {
  return `${(100 * fraction).toFixed(fraction > 0 && fraction < 0.0995 ? 1 : 0)} %`;
}
