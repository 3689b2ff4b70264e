import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Contender, type Scenario, timed } from "../Harness.ts"
import { World } from "../World.ts"

const contacts = 1_000_000
const perRequest = 50_000

const collect = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const heapBytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

/** One request's contacts as text, as they come in. */
const chunk = (nth: number): string => {
  const from = nth * perRequest
  const rows = Array.from({ length: perRequest }, (_, row) => ({
    to_number: `+1555${10_000_000 + from + row}`,
    name: `Person ${(from + row) % 5_000}`,
    city: `City ${row % 300}`,
    order_id: String(from + row),
  }))
  return JSON.stringify(rows)
}

const chunks = Math.ceil(contacts / perRequest)

const plain: Contender = {
  name: "a plain array of the same objects",
  round: async () => {
    const before = heapBytes()
    const all: Array<unknown> = []
    const round = await timed(() => {
      for (let nth = 0; nth < chunks; nth++) {
        const rows: unknown = JSON.parse(chunk(nth))
        if (Array.isArray(rows)) for (const row of rows) all.push(row)
      }
      return { operations: all.length }
    })
    return { ...round, bytes: heapBytes() - before, errors: all.length === contacts ? 0 : 1 }
  },
}

/** Pending contacts of campaigns that have not begun, as a running engine holds them. */
const pending: Contender = {
  name: "Carillon: pending contacts of twenty campaigns",
  round: async () => {
    const world = await World.start({ limits: "off" })
    const { agent_id } = world.simulator.info
    const before = heapBytes()
    const round = await timed(async () => {
      for (let nth = 0; nth < chunks; nth++) {
        const settings = { name: "x", agent_id, start_time: "2040-01-01T00:00:00Z" }
        const body = `${JSON.stringify(settings).slice(0, -1)},"contacts":${chunk(nth)}}`
        await world.ask("POST", "/v2/campaigns", body)
      }
      return { operations: contacts }
    })
    const bytes = heapBytes() - before
    await world.close()
    return { ...round, bytes }
  },
}

export const memory: Scenario = {
  name: "memory",
  question: "How many bytes of the heap does a pending contact take?",
  comparisons: function* () {
    yield { title: "a million pending contacts", reference: plain.name, contenders: [pending, plain] }
  },
}
