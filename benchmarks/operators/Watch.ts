import { setTimeout as sleep } from "node:timers/promises"
import type { Place } from "./Place.ts"

const lookMs = 500
const windowMs = 6_000
const samples = 30
const backMaxMs = 180_000
const nineTenths = 0.9

/** A line of a log, or an alert in a state, that was not there before, and after how long. */
export interface Sign {
  readonly from: "log" | "pending" | "firing" | "panel"
  readonly what: string
  readonly afterMs: number
}

const isLine = /\b(WARN|ERROR|INFO)\b/

/** The lines that somebody reads; annotations stand below them. */
const linesOf = (log: string): ReadonlyArray<string> => log.split("\n").filter((line) => isLine.test(line))

const alertsOf = async ({ prometheus }: Place): Promise<ReadonlyArray<Omit<Sign, "afterMs">>> =>
  (await prometheus.alerts()).map(({ labels, state }) => ({
    from: state === "firing" ? "firing" : "pending",
    what: labels["alertname"] ?? "",
  }))

/** What an operator sees of panels of the dashboard that have no alert, or a late one. */
const panels: Readonly<Record<string, string>> = {
  "How long the carrier takes to answer a dial":
    "histogram_quantile(0.5, sum by (le, carrier) (rate(carillon_dial_duration_seconds_bucket[30s]))) > 2.5",
  "Webhooks a second, by the endpoints' answers":
    'sum by (outcome) (rate(carillon_webhook_attempt_duration_seconds_count{outcome!="delivered"}[30s])) > 0',
}

const panelsOf = async ({ prometheus }: Place): Promise<ReadonlyArray<Omit<Sign, "afterMs">>> => {
  const seen = await Promise.all(
    Object.entries(panels).map(async ([what, query]) => ((await prometheus.query(query)).length > 0 ? [what] : [])),
  )
  return seen.flat().map((what) => ({ from: "panel", what }))
}

const nameOf = ({ from, what }: Omit<Sign, "afterMs">): string => `${from} ${what}`

/** Looks at the logs and the alerts until a moment, and notes what is new, each once. */
export const signsUntil = async (place: Place, until: number): Promise<ReadonlyArray<Sign>> => {
  const began = Date.now()
  const known = (await place.engines.logs()).map(({ length }) => length)
  const shown = async () => [...(await alertsOf(place)), ...(await panelsOf(place))]
  const before = new Set((await shown()).map(nameOf))
  const seen = new Map<string, Sign>()
  while (Date.now() < until) {
    const logs = await place.engines.logs()
    const lines = logs.flatMap((log, nth) =>
      linesOf(log.slice(known[nth])).map((what) => ({ from: "log" as const, what })),
    )
    for (const sign of [...lines, ...(await shown())]) {
      const name = nameOf(sign)
      if (!before.has(name) && !seen.has(name)) seen.set(name, { ...sign, afterMs: Date.now() - began })
    }
    await sleep(lookMs)
  }
  return [...seen.values()]
}

/** How many legs live on an average of some seconds. */
export const legsOfWindow = async ({ vendor }: Place): Promise<number> => {
  let sum = 0
  for (let nth = 0; nth < samples; nth++) {
    sum += vendor.legs
    await sleep(windowMs / samples)
  }
  return sum / samples
}

/** How long it takes until a window begins in which nine tenths as many live as usual; null where that takes too long. */
export const backAfter = async (place: Place, usual: number): Promise<number | null> => {
  const began = Date.now()
  for (;;) {
    const after = Date.now() - began
    if ((await legsOfWindow(place)) >= nineTenths * usual) return after
    if (after > backMaxMs) return null
  }
}
