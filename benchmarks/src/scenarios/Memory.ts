import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { allocated } from "../Allocated.ts"
import { type Ending, openInMemory } from "../engine/InMemory.ts"
import { type Contender, type Scenario, sized, timed } from "../Harness.ts"
import { World } from "../World.ts"
import { campaignDay } from "./CampaignDay.ts"
import { plain as pureRules } from "./VirtualTime.ts"

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

const plainArray = "a plain array of the same objects"

const plain = (chunks: number): Contender => ({
  name: plainArray,
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
    return { ...round, bytes: heapBytes() - before, errors: all.length === chunks * perRequest ? 0 : 1 }
  },
})

/** Pending contacts of campaigns that have not begun, as a running engine holds them. */
const pending = (chunks: number): Contender => ({
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
      return { operations: chunks * perRequest }
    })
    const bytes = heapBytes() - before
    await world.close()
    return { ...round, bytes }
  },
})

const turns = 10

/** A conversation of about a kilobyte, as it comes from a carrier: no two of them share a string. */
const said = (): Ending => {
  const transcript = Array.from({ length: turns }, (_, nth) => ({
    role: nth % 2 === 0 ? "agent" : "user",
    content: `Thank you, that is all I wanted to know about it, for the time being (${nth}).`,
    start_ms: nth * 1_000,
    end_ms: nth * 1_000 + 900,
  }))
  const ending: Ending = {
    facts: {
      recording_url: "https://carrier.test/recordings/1",
      cost: null,
      media: { transcript, setup: null, turns: null },
    },
    analysis: { summary: "They wanted to know about it.", sentiment: "positive", extracted_data: { wants: "to know" } },
  }
  return JSON.parse(JSON.stringify(ending))
}

/** What the store keeps of a call that is over, with what was said in it, its analysis and its audit record. */
const ended = (calls: number): Contender => ({
  name: "Carillon: calls that have ended, with what was said",
  round: async () => {
    const { ask, carillon, dial, endCalls } = await openInMemory({ ending: said })
    const before = heapBytes()
    const round = await timed(async () => {
      let errors = 0
      for (let nth = 0; nth < calls; nth++) if ((await ask("POST", "/v2/calls", dial)).status !== 201) errors += 1
      return { operations: calls, errors: errors + (await endCalls()) }
    })
    const bytes = heapBytes() - before
    await carillon.close()
    return { ...round, bytes }
  },
})

/** The same calls as their customer reads them, and what was said. */
const read = (calls: number): Contender => ({
  name: plainArray,
  round: async () => {
    const { ask, carillon, dial, endCalls } = await openInMemory()
    const { execution_id } = JSON.parse((await ask("POST", "/v2/calls", dial)).text)
    await endCalls()
    const { text } = await ask("GET", `/v2/calls/${execution_id}`)
    await carillon.close()
    const before = heapBytes()
    const all: Array<unknown> = []
    const round = await timed(() => {
      for (let nth = 0; nth < calls; nth++) all.push({ call: JSON.parse(text), said: said() })
      return { operations: calls }
    })
    return { ...round, bytes: heapBytes() - before, errors: all.length === calls ? 0 : 1 }
  },
})

export const memory: Scenario = {
  name: "memory",
  question:
    "How many bytes of the heap does a pending contact take, and an ended call, and how many does an attempt use up?",
  comparisons: function* (scale) {
    const chunks = sized(scale, 1, 20)
    const contacts = `${(chunks * perRequest).toLocaleString("en-US")} pending contacts`
    yield { title: contacts, reference: plainArray, contenders: [pending(chunks), plain(chunks)] }
    const calls = sized(scale, 500, 20_000)
    const endedCalls = `${calls.toLocaleString("en-US")} calls that have ended`
    yield { title: endedCalls, reference: plainArray, contenders: [ended(calls), read(calls)] }
    const day = sized(scale, 300, 3_000)
    const yardstick = pureRules(day, allocated)
    const title = "allocated for an attempt of a campaign, with its webhook"
    yield { title, reference: yardstick.name, contenders: [campaignDay(day, allocated), yardstick] }
  },
}
