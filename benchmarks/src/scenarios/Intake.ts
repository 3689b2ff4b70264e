import { monitorEventLoopDelay } from "node:perf_hooks"
import { CsvContacts } from "@carillon/core"
import { Simulator } from "@carillon/simulator"
import { parse as csvParse } from "csv-parse/sync"
import { Result } from "effect"
import { inferSchema, initParser } from "udsv"
import { type Contender, type Scenario, timed } from "../Harness.ts"

const contacts = 50_000
const csvBytes = 20 * 1024 * 1024
const sliceBytes = 64 * 1024
const nanosecondsPerMs = 1e6

/** Nobody else may have to wait longer than this while a request is taken in. */
const stallMaxMs = 20

const names = ["Ada Lovelace", "Grace Hopper", "Rahul Sharma", "Zoë Müller", "Jean-Luc Dupont"]

const rows = (count: number, padding: string) =>
  Array.from({ length: count }, (_, nth) => ({
    to_number: `+1555${1_000_000 + nth}`,
    name: names[nth % names.length]!,
    city: `City ${nth % 300}`,
    order_id: String(nth),
    padding,
  }))

const jsonContacts = JSON.stringify(rows(contacts, "x"))

const csvFile = (() => {
  const line = "+15551000000,Ada Lovelace,City 100,10000,\n".length
  const padding = "x".repeat(Math.floor(csvBytes / contacts) - line - 4)
  const lines = rows(contacts, padding).map((row) => Object.values(row).join(","))
  return new TextEncoder().encode(`to_number,name,city,order_id,padding\n${lines.join("\n")}\n`)
})()

/** The whole way of a request: key, limits, scope, reading, decoding, storing; nobody is rung before the start. */
const accepted: Contender = {
  name: "POST /v2/campaigns, stored",
  round: async () => {
    const simulator = await Simulator.start({ seed: 1, clock: "manual", limits: "off" })
    const { agent_id, key } = simulator.info
    const body = `{"name":"x","agent_id":"${agent_id}","start_time":"2040-01-01T00:00:00Z","contacts":${jsonContacts}}`
    const bytes = new TextEncoder().encode(body)
    const headers = new Map([
      ["authorization", `Bearer ${key}`],
      ["content-type", "application/json"],
    ])
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    const round = await timed(async () => {
      const status = await new Promise<number>((resolve) => {
        const header = (name: string) => headers.get(name) ?? null
        const request = { method: "POST", target: "/v2/campaigns", header, body: bytes }
        simulator.handle(request, (response) => resolve(response.status))
      })
      return { operations: contacts, errors: status === 201 ? 0 : 1 }
    })
    delays.disable()
    await simulator.close()
    return { ...round, errors: round.errors + (delays.max / nanosecondsPerMs > stallMaxMs ? 1 : 0) }
  },
}

const parsed: Contender = {
  name: "JSON.parse alone",
  round: () =>
    timed(() => {
      const bytes = new TextEncoder().encode(jsonContacts)
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
      return { operations: contacts, errors: Array.isArray(value) && value.length === contacts ? 0 : 1 }
    }),
}

const ours: Contender = {
  name: "Carillon: contacts, checked",
  round: () =>
    timed(() => {
      const reader = new CsvContacts("contacts.csv")
      for (let from = 0; from < csvFile.length; from += sliceBytes)
        reader.push(csvFile.subarray(from, from + sliceBytes))
      const read = reader.finish()
      return {
        operations: contacts,
        errors: Result.isSuccess(read) && read.success.contacts.length === contacts ? 0 : 1,
      }
    }),
}

const udsv: Contender = {
  name: "udsv: objects",
  round: () =>
    timed(() => {
      const text = new TextDecoder().decode(csvFile)
      const objects = initParser(inferSchema(text)).stringObjs(text)
      return { operations: contacts, errors: objects.length === contacts ? 0 : 1 }
    }),
}

const csvParseObjects: Contender = {
  name: "csv-parse: objects",
  round: () =>
    timed(() => {
      const objects: ReadonlyArray<unknown> = csvParse(Buffer.from(csvFile), { columns: true })
      return { operations: contacts, errors: objects.length === contacts ? 0 : 1 }
    }),
}

export const intake: Scenario = {
  name: "intake",
  question:
    "How many contacts a second are taken in, with nobody else waiting more than 20 ms (a longer stall is an error)?",
  comparisons: function* () {
    yield { title: "50,000 contacts as JSON", reference: parsed.name, contenders: [accepted, parsed] }
    yield { title: "a CSV file of 20 MiB", reference: udsv.name, contenders: [ours, udsv, csvParseObjects] }
  },
}
