import { Timestamp } from "@carillon/core/domain"
import type { Glance } from "../Simulator.ts"

/** How often the line is drawn anew, in real time. */
const everyMs = 1_000

const count = (value: number): string => value.toLocaleString("en-US")

/** How a world stands, in one line. */
export const progressText = ({ calls, eventsPerSecond, live, now, requests, violations, waiting }: Glance): string =>
  [
    Timestamp.formatUtc(now),
    `${count(requests)} requests`,
    `${count(calls)} calls`,
    `${count(live)} live`,
    `${count(waiting)} waiting`,
    `${count(eventsPerSecond)} events/s`,
    `${count(violations)} violations`,
  ].join(" · ")

/** Keeps a line at the end of the terminal up to date while something happens. Returns how to stop. */
export const showProgress = (glance: () => Glance, write: (text: string) => void): (() => void) => {
  let drawn = -1
  const timer = setInterval(() => {
    const now = glance()
    const sum = now.requests + now.calls + now.live + now.eventsPerSecond
    if (sum === drawn) return
    drawn = sum
    write(`\r\u001b[2K${progressText(now)}`)
  }, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    if (drawn >= 0) write("\n")
  }
}
