const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** @param {number} at */
const iso = (at) => new Date(at).toISOString()

/** @param {number} at `09:00:00` */
export const time = (at) => iso(at).slice(11, 19)

/** @param {number} at `09:00:00.250` */
export const exactTime = (at) => iso(at).slice(11, 23)

/** @param {number} at `Mon 5 Jan 2026` */
export const date = (at) => {
  const moment = new Date(at)
  return `${days[moment.getUTCDay()]} ${moment.getUTCDate()} ${months[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`
}

/**
 * A moment beside another one: its time, and its date where that is another day.
 *
 * @param {number} at
 * @param {number} now
 */
export const moment = (at, now) =>
  iso(at).slice(0, 10) === iso(now).slice(0, 10) ? time(at) : `${date(at)}, ${time(at)}`

/** @param {number} value */
export const count = (value) => value.toLocaleString("en-US")

/**
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`

/** @param {number} ms `1 h 5 min`, `12 s`, `250 ms` */
export const duration = (ms) => {
  if (ms < second) return `${Math.round(ms)} ms`
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`
  if (ms < minute) return `${Math.round(ms / second)} s`
  if (ms < hour)
    return ms % minute < second
      ? `${Math.floor(ms / minute)} min`
      : `${Math.floor(ms / minute)} min ${Math.floor((ms % minute) / second)} s`
  if (ms < day) return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`
  return `${Math.floor(ms / day)} d ${Math.floor((ms % day) / hour)} h`
}

/** @param {number} ms `+1.250 s` */
export const offset = (ms) =>
  ms < minute ? `+${(ms / second).toFixed(ms < 10 * second ? 2 : 1)} s` : `+${duration(ms)}`
