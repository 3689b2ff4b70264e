import { readFileSync } from "node:fs"
import { type DialCommand, Telephony } from "@carillon/core"
import { Effect } from "effect"
import twilio from "twilio"
import { assert, describe, it } from "vitest"
import { twilioDocument } from "../../../scripts/vendors/TwilioDocument.ts"
import type { TwilioOptions } from "../src/index.ts"
import { Contract } from "./Contract.ts"
import { accountSid, authToken, type Seen } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

const path = twilioDocument()
const contract = path === null ? null : new Contract(JSON.parse(readFileSync(path, "utf8")))

const voices: ReadonlyArray<Partial<TwilioOptions>> = [
  {},
  { machineDetection: { onMachine: "go_on" }, maxCallSeconds: 900 },
  { voice: () => ({ type: "relay", url: "wss://media.example.com/talk" }) },
  { voice: () => ({ type: "sip", address: "sip:agent@voice.example.com" }) },
]

const commands: ReadonlyArray<DialCommand> = [
  commandFor("+12125550100"),
  commandFor("+12125550101", { record: true, timeout_seconds: 5, from_number: "+12125550199" }),
  commandFor("+12125550102", { record: true }),
  commandFor("+12125550103", { execution_id: "exec_(a)*!'~&=?#+" }),
  commandFor("+12125550120"),
]

/** Every request that the adapter makes in the lives of these calls. */
const requests = async (): Promise<ReadonlyArray<Seen>> => {
  const seen: Array<Seen> = []
  for (const options of voices) {
    const { carrier, farEnd } = staged(options)
    await Effect.gen(function* () {
      const { dial, find, hangup } = yield* Telephony
      for (const command of commands) {
        const id = command.execution_id
        yield* dial(command)
        yield* find(id)
        yield* hangup(id, null)
        yield* Effect.promise(async () => {
          while (!farEnd.isAt(id, "in-progress") && (await farEnd.step()));
        })
        yield* hangup(id, null)
        yield* Effect.promise(async () => {
          while (!farEnd.isAt(id, "completed") && (await farEnd.step()));
        })
        yield* find(id)
      }
    }).pipe(Effect.provide(carrier), Effect.scoped, Effect.runPromise)
    seen.push(...farEnd.seen)
  }
  return seen
}

/** A request as Twilio's SDK makes it. */
interface Made {
  readonly method: string
  readonly uri: string
  readonly params?: Record<string, unknown>
  readonly data?: Record<string, unknown>
}

/** The SDK, which sends nothing, and what it would have sent last. */
const sdk = () => {
  let last: Made | null = null
  const answer = { statusCode: 200, body: JSON.stringify({ calls: [], events: [], recordings: [] }), headers: {} }
  const httpClient = {
    request: async (made: Made) => {
      last = made
      return answer
    },
  }
  const client = twilio(accountSid, authToken, { httpClient: httpClient as never })
  return {
    client,
    made: (): Made => {
      assert(last !== null)
      return last
    },
  }
}

const lowered = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
const valuesOf = (pairs: URLSearchParams): Record<string, string | ReadonlyArray<string>> => {
  const all: Record<string, string | ReadonlyArray<string>> = {}
  for (const name of new Set(pairs.keys())) {
    const values = pairs.getAll(name)
    all[name] = name.endsWith("Event") ? values : (values[0] ?? "")
  }
  return all
}
const asText = (value: unknown): unknown => (Array.isArray(value) ? value.map(String) : String(value))

/** Has the SDK make the same request of the same parameters. What the SDK's methods do not know is lost on the way. */
const again = async (seen: Seen): Promise<Made> => {
  const { client, made } = sdk()
  const [, sid = "", sub] = /Calls\/([^/.]+)(?:\/(\w+))?\.json$/.exec(seen.path) ?? []
  const form = Object.fromEntries(Object.entries(valuesOf(seen.form)).map(([name, value]) => [lowered(name), value]))
  if (sub === "Events") await client.calls(sid).events.page({ pageSize: 100 })
  else if (sub === "Recordings") await client.calls(sid).recordings.page({ pageSize: 20 })
  else if (sid !== "" && seen.method === "POST") await client.calls(sid).update(form)
  else if (sid !== "") await client.calls(sid).fetch()
  else if (seen.method === "POST") await client.calls.create(form as never)
  else {
    const { "StartTime>": after, ...query } = Object.fromEntries(seen.query)
    const more = after === undefined ? {} : { startTimeAfter: new Date(after) }
    const named = Object.fromEntries(Object.entries(query).map(([name, value]) => [lowered(name), value]))
    const asked = { ...named, ...more }
    await client.calls.page(asked as never)
  }
  return made()
}

describe("every request", () => {
  it("is one that Twilio's SDK makes of the same parameters", async () => {
    const seen = await requests()
    const kinds = new Set<string>()
    for (const one of seen) {
      const { data = {}, method, params = {}, uri } = await again(one)
      kinds.add(`${one.method} ${one.path.replace(/CA\w{32}/, "CA")}`)
      assert.strictEqual(`${method.toUpperCase()} ${new URL(uri).pathname}`, `${one.method} ${one.path}`)
      const form = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, asText(value)]))
      assert.deepStrictEqual(form, valuesOf(one.form))
      assert.sameMembers(Object.keys(params), [...one.query.keys()])
      for (const [name, value] of one.query) {
        // The SDK writes times whole where Twilio's document asks for a day.
        assert.isTrue(String(params[name]).startsWith(value), `${name} is ${params[name]}`)
      }
    }
    const base = `/2010-04-01/Accounts/${accountSid}/Calls`
    assert.sameMembers(
      [...kinds],
      [
        `POST ${base}.json`,
        `GET ${base}.json`,
        `GET ${base}/CA.json`,
        `POST ${base}/CA.json`,
        `GET ${base}/CA/Recordings.json`,
        `GET ${base}/CA/Events.json`,
      ],
    )
  })

  if (contract === null) {
    it("cannot be run: against Twilio's API document (neither the npm registry nor TWILIO_OPENAPI has it)", ({
      skip,
    }) => skip())
  } else {
    it("is one that Twilio's API document allows", async () => {
      for (const seen of await requests())
        assert.deepStrictEqual(contract.faults(seen), [], `${seen.method} ${seen.path}`)
    })

    it("would be seen if the document did not allow it", async () => {
      const [dial] = (await requests()).filter(({ method }) => method === "POST")
      assert(dial !== undefined)
      const changes: ReadonlyArray<readonly [string, (form: URLSearchParams) => void]> = [
        ["To", (form) => form.delete("To")],
        ["Extra", (form) => form.set("Extra", "1")],
        ["Timeout", (form) => form.set("Timeout", "soon")],
        ["StatusCallback", (form) => form.set("StatusCallback", "nowhere")],
        ["StatusCallbackMethod", (form) => form.set("StatusCallbackMethod", "PUT")],
        ["Timeout", (form) => form.append("Timeout", "6")],
      ]
      for (const [name, change] of changes) {
        const form = new URLSearchParams(dial.form)
        change(form)
        assert.match(contract.faults({ ...dial, form }).join(), new RegExp(name))
      }
      assert.isNotEmpty(contract.faults({ ...dial, path: `${dial.path}x` }))
      assert.isNotEmpty(contract.faults({ ...dial, method: "PUT" }))
    })
  }
})
