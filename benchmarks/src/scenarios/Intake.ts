import { monitorEventLoopDelay } from "node:perf_hooks"
import { CsvContacts } from "@carillon/core/domain"
import { parse as csvParse } from "csv-parse/sync"
import { Result } from "effect"
import { inferSchema, initParser } from "udsv"
import { openInMemory } from "../engine/InMemory.ts"
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

/** A piece of work that is over in a few milliseconds is done so many times in a round. */
const repeats = 10

const makeCsv = (): Uint8Array => {
  const line = "+15551000000,Ada Lovelace,City 100,10000,\n".length
  const padding = "x".repeat(Math.floor(csvBytes / contacts) - line - 4)
  const lines = rows(contacts, padding).map((row) => Object.values(row).join(","))
  return new TextEncoder().encode(`to_number,name,city,order_id,padding\n${lines.join("\n")}\n`)
}

export const intakeNames = { json: "POST /v2/campaigns, stored", csv: "Carillon: contacts, checked" } as const

/** The whole way of a request: key, limits, scope, reading, decoding, storing; nobody is rung before the start. */
const accepted = (jsonContacts: string): Contender => ({
  name: intakeNames.json,
  round: async () => {
    const { agentId, ask, carillon } = await openInMemory()
    const body = `{"name":"x","agent_id":"${agentId}","start_time":"2040-01-01T00:00:00Z","contacts":${jsonContacts}}`
    const bytes = new TextEncoder().encode(body)
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    const round = await timed(async () => {
      const { status } = await ask("POST", "/v2/campaigns", bytes)
      return { operations: contacts, errors: status === 201 ? 0 : 1 }
    })
    delays.disable()
    await carillon.close()
    return { ...round, errors: round.errors + (delays.max / nanosecondsPerMs > stallMaxMs ? 1 : 0) }
  },
})

const jsonParse = "JSON.parse alone"

const parsed = (jsonBytes: Uint8Array): Contender => ({
  name: jsonParse,
  round: () =>
    timed(() => {
      let errors = 0
      for (let nth = 0; nth < repeats; nth++) {
        const value: unknown = JSON.parse(new TextDecoder().decode(jsonBytes))
        if (!Array.isArray(value) || value.length !== contacts) errors += 1
      }
      return { operations: contacts * repeats, errors }
    }),
})

const ours = (csvFile: Uint8Array): Contender => ({
  name: intakeNames.csv,
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
})

const udsvName = "udsv: objects"

const udsv = (csvFile: Uint8Array): Contender => ({
  name: udsvName,
  round: () =>
    timed(() => {
      const text = new TextDecoder().decode(csvFile)
      const objects = initParser(inferSchema(text)).stringObjs(text)
      return { operations: contacts, errors: objects.length === contacts ? 0 : 1 }
    }),
})

const csvParseObjects = (csvBuffer: Buffer): Contender => ({
  name: "csv-parse: objects",
  round: () =>
    timed(() => {
      const objects: ReadonlyArray<unknown> = csvParse(csvBuffer, { columns: true })
      return { operations: contacts, errors: objects.length === contacts ? 0 : 1 }
    }),
})

export const intake: Scenario = {
  name: "intake",
  question:
    "How many contacts a second are taken in, with nobody else waiting more than 20 ms (a longer stall is an error)?",
  comparisons: function* () {
    const json = JSON.stringify(rows(contacts, "x"))
    const bytes = new TextEncoder().encode(json)
    yield { title: "50,000 contacts as JSON", reference: jsonParse, contenders: [accepted(json), parsed(bytes)] }
    const csv = makeCsv()
    const contenders = [ours(csv), udsv(csv), csvParseObjects(Buffer.from(csv))]
    yield { title: "a CSV file of 20 MiB", reference: udsvName, contenders }
  },
}
