// Loads a Carillon server and judges it by thresholds; ends with 1 where one does not hold.
//
//   URL=http://127.0.0.1:4010 KEY=… AGENT=… SECONDS=30 node autocannon.ts
import autocannon from "autocannon"

const text = (name: string): string => {
  const value = process.env[name]
  if (value === undefined || value === "") throw new Error(`Set ${name}.`)
  return value
}

const figure = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

const url = text("URL")
const agent_id = text("AGENT")
const headers = { authorization: `Bearer ${text("KEY")}`, "content-type": "application/json" }

/** What has to hold: milliseconds that 99 of 100 answers take at most, and answers a second. */
const thresholds = { p99Ms: figure("P99_MS", 250), perSecond: figure("PER_SECOND", 200) }

/** Numbers of the simulator whose calls are completed after ten seconds of talk. */
let serial = 0
const nextNumber = (): string => `+9990001${String(serial++).padStart(8, "0")}`

const result = await autocannon({
  url,
  headers,
  connections: figure("CONNECTIONS", 10),
  duration: figure("SECONDS", 30),
  requests: [
    {
      method: "POST",
      path: "/v2/calls",
      setupRequest: (request) => ({ ...request, body: JSON.stringify({ agent_id, to_number: nextNumber() }) }),
    },
    { method: "GET", path: "/v2/calls?page_size=20" },
  ],
})

const { errors, latency, non2xx, requests } = result
const judged = [
  {
    what: `99 of 100 answers within ${thresholds.p99Ms} ms`,
    got: `${latency.p99} ms`,
    holds: latency.p99 <= thresholds.p99Ms,
  },
  {
    what: `${thresholds.perSecond} answers a second`,
    got: `${requests.average}`,
    holds: requests.average >= thresholds.perSecond,
  },
  { what: "no answer but 2xx", got: `${non2xx} others`, holds: non2xx === 0 },
  { what: "no connection lost", got: `${errors} lost`, holds: errors === 0 },
]
for (const { got, holds, what } of judged) console.log(`${holds ? "holds" : "FAILS"}  ${what}: ${got}`)
process.exitCode = judged.every(({ holds }) => holds) ? 0 : 1
