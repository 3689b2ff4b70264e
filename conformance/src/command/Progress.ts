/** How far a run has come, told while it goes on. */
import type { Progress } from "../run/Course.ts"
import type { Console } from "./Console.ts"

/** Where nothing can be replaced, a line is printed no oftener than this, and no oftener than for each tenth of the cases. */
const betweenLinesMs = 10_000
const parts = 10

/** What is known of the time before this much has passed is chance. */
const firstGuessMs = 1_000

const duration = (ms: number): string => {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

/** Where a run stands, in words; it takes `leastMs` at the least. */
export const progressText = ({ ended, of }: Progress, elapsedMs: number, leastMs: number): string => {
  const stands = `${ended} of ${of} cases`
  if (ended === 0 || ended >= of || elapsedMs < firstGuessMs) return stands
  const left = Math.max((elapsedMs / ended) * (of - ended), leastMs - elapsedMs)
  return `${stands}, about ${duration(left)} left`
}

/** Tells how far the run has come: in place at a terminal, otherwise in a few lines. */
export const progressOn = (
  console: Pick<Console, "err" | "progress">,
  now: () => number,
): ((progress: Progress, leastMs: number) => void) => {
  const began = now()
  let toldAt = began
  let toldPart = 0
  return (progress, leastMs) => {
    if (progress.of === 0) return
    const text = progressText(progress, now() - began, leastMs)
    if (console.progress !== undefined) return console.progress(text)
    const part = Math.floor((progress.ended / progress.of) * parts)
    if (part <= toldPart || now() - toldAt < betweenLinesMs) return
    toldAt = now()
    toldPart = part
    console.err(`${text}\n`)
  }
}
