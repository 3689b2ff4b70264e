import { type ClockMode, speedBounds } from "./VirtualClock.ts"

/** Reads `realtime`, `manual` or `scaled:N`; null where it is none of them. */
export const parseClock = (text: string): ClockMode | null => {
  if (text === "realtime" || text === "manual") return { mode: text }
  const speed = Number(/^scaled:(\d+(?:\.\d+)?)$/.exec(text)?.[1] ?? Number.NaN)
  return speed >= speedBounds.min && speed <= speedBounds.max ? { mode: "scaled", speed } : null
}
