import { type ClockMode, speedBounds } from "./VirtualClock.ts"

/** How virtual time passes, in words: `scaled:N` is N virtual seconds per real second. */
export type ClockText = "realtime" | "manual" | `scaled:${number}`

/** Reads the words; null where they say nothing. */
export const parseClock = (text: string): ClockMode | null => {
  if (text === "realtime" || text === "manual") return { mode: text }
  const speed = Number(/^scaled:(\d+(?:\.\d+)?)$/.exec(text)?.[1] ?? Number.NaN)
  return speed >= speedBounds.min && speed <= speedBounds.max ? { mode: "scaled", speed } : null
}

export const isClockText = (text: string): text is ClockText => parseClock(text) !== null
