import { soakWorld } from "./WorldSoak.ts"
const first = Number(process.argv[2] ?? 1),
  n = Number(process.argv[3] ?? 10)
const seen = new Set<string>()
const t = performance.now()
let events = 0
for (let s = first; s < first + n; s++) {
  const a = performance.now()
  const r = await soakWorld(s)
  events += r.events
  for (const g of r.goals) seen.add(g)
  if (r.faults.length) console.log("seed", s, (performance.now() - a).toFixed(0), r.events, r.faults.slice(0, 4))
}
const { goals } = await import("./Goals.ts")
console.log(
  ((performance.now() - t) / 1000).toFixed(1),
  "s",
  events,
  "events; missing:",
  goals.filter((g) => !seen.has(g)),
)
