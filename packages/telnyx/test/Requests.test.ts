import { existsSync, readFileSync } from "node:fs"
import { type DialCommand, Telephony } from "@carillon/core"
import { Effect } from "effect"
import Telnyx from "telnyx"
import { assert, describe, it } from "vitest"
import { dialBody } from "../src/Dial.ts"
import type { TelnyxOptions } from "../src/index.ts"
import { settingsOf } from "../src/Settings.ts"
import { spokenBy } from "../src/Voice.ts"
import { Contract } from "./Contract.ts"
import { apiKey, connectionId, publicKey, publicUrl, type Seen } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

const path = process.env["TELNYX_OPENAPI"]
const contract = path !== undefined && existsSync(path) ? new Contract(JSON.parse(readFileSync(path, "utf8"))) : null

const stream = { type: "stream", url: "wss://media.example.com/talk", codec: "OPUS", authToken: "t" } as const
const voices: ReadonlyArray<Partial<TelnyxOptions>> = [
  { voice: () => stream },
  { machineDetection: { onMachine: "hang_up" }, maxCallSeconds: 900 },
  { machineDetection: { onMachine: "go_on", mode: "detect" } },
  { voice: () => ({ type: "relay", url: "wss://media.example.com/talk", attributes: { greeting: "Hello" } }) },
  { voice: () => ({ type: "assistant", id: "assistant-1", instructions: "Be kind.", greeting: "Hello" }) },
  { voice: () => ({ type: "sip", address: "sip:agent@voice.example.com" }) },
  { voice: () => ({ type: "audio", url: "https://media.example.com/hello.mp3" }) },
]

const commands = (): ReadonlyArray<DialCommand> => [
  commandFor("+12125550100", { record: true, timeout_seconds: 1 }),
  commandFor("+12125550101", { record: true, from_number: "+12125550177" }),
  commandFor("+12125550102", { timeout_seconds: 900 }),
  commandFor("+12125550120", { execution_id: "exec_(a)*!'~&=?#+" }),
]

/** Every request that the adapter makes in the lives of these calls. */
const requests = async (): Promise<ReadonlyArray<Seen>> => {
  const seen: Array<Seen> = []
  for (const options of voices) {
    const { carrier, farEnd, reports } = staged(options)
    // What webhooks tell must be asked for.
    farEnd.silent = new Set(["call.hangup"])
    await Effect.gen(function* () {
      const { dial, find, hangup } = yield* Telephony
      for (const command of commands()) {
        const id = command.execution_id
        yield* dial(command)
        yield* find(id)
        yield* Effect.promise(async () => {
          while (!farEnd.isAt(id, "answered") && (await farEnd.step()));
        })
        yield* find(id)
        yield* hangup(id, null)
        yield* Effect.promise(async () => {
          while (!farEnd.isAt(id, "ended") && (await farEnd.step()));
        })
        yield* find(id)
        yield* hangup(id, null)
      }
    }).pipe(Effect.provide(carrier), Effect.scoped, Effect.runPromise)
    assert.isNotEmpty(reports)
    seen.push(...farEnd.seen)
  }
  return seen
}

/** What Telnyx's own SDK sends; it is answered nothing of use. */
const sdk = () => {
  const sent: Array<Seen> = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    assert.strictEqual(request.headers.get("authorization"), `Bearer ${apiKey}`)
    const url = new URL(request.url)
    const body = await request.text()
    sent.push({
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      body: body === "" ? {} : JSON.parse(body),
    })
    return Response.json({ data: [], meta: { total_pages: 1, page_number: 1 } })
  }
  return { client: new Telnyx({ apiKey, publicKey, fetch, maxRetries: 0 }), sent }
}

const settings = settingsOf({ apiKey, publicKey, connectionId, publicUrl, voice: () => stream })

/** Has the SDK ask for the same. Its parameters are typed by Telnyx's API document, of which it is made. */
const again = async ({ body, path: asked, query }: Seen): Promise<Seen> => {
  const { client, sent } = sdk()
  const [, kind, id = "", , action] = asked.replace("/v2", "").split("/").map(decodeURIComponent)
  const page = { "page[number]": Number(query.get("page[number]")), "page[size]": Number(query.get("page[size]")) }
  const of = (name: string) => {
    const value = query.get(`filter[${name}]`)
    return value === null ? {} : { [name]: value }
  }
  if (kind === "recordings") {
    await client.recordings.list({ filter: of("call_leg_id"), "page[size]": page["page[size]"] })
  } else if (kind === "call_events") {
    await client.callEvents.list({ filter: { ...of("leg_id"), ...of("connection_id"), ...of("to") }, ...page })
  } else if (kind === "connections") await client.connections.listActiveCalls(id, page)
  else if (action === "hangup") await client.calls.actions.hangup(id, {})
  else if (action === "transfer") await client.calls.actions.transfer(id, { to: "", ...body })
  else if (id !== "") await client.calls.retrieveStatus(id)
  else await client.calls.dial({ connection_id: "", from: "", to: "", ...body })
  const [last] = sent
  assert(last !== undefined)
  return last
}

describe("every request", () => {
  it("is one that Telnyx's SDK makes of the same parameters", async () => {
    const kinds = new Set<string>()
    for (const seen of await requests()) {
      const made = await again(seen)
      kinds.add(`${seen.method} ${seen.path.replace(/v3(:|%3A)leg-\d+/, "LEG")}`)
      assert.strictEqual(
        decodeURIComponent(`${made.method} ${made.path}`),
        decodeURIComponent(`${seen.method} ${seen.path}`),
      )
      assert.deepStrictEqual(made.body, seen.body)
      // The SDK has one word for the size of a page; the lists of calls that go on have had another one, too.
      const own = [...seen.query].filter(([name]) => name !== "page[limit]")
      assert.sameDeepMembers(own, [...made.query])
    }
    assert.sameMembers(
      [...kinds],
      [
        "POST /v2/calls",
        "GET /v2/calls/LEG",
        "POST /v2/calls/LEG/actions/hangup",
        "POST /v2/calls/LEG/actions/transfer",
        `GET /v2/connections/${connectionId}/active_calls`,
        "GET /v2/call_events",
        "GET /v2/recordings",
      ],
    )
  })

  it("that dials has the types of the SDK's parameters", () => {
    const dialled = dialBody(settings, commandFor("+12125550100"), "+12125550199", spokenBy(stream, "exec_1"))
    // Relays are open: their attributes are the host's.
    const { conversation_relay_config: _, ...body } = dialled
    const typed: Telnyx.CallDialParams = body
    assert.strictEqual(typed.connection_id, connectionId)
  })

  if (contract === null) {
    it("cannot be run: against Telnyx's API document (TELNYX_OPENAPI names no openapi/spec3.json of github.com/team-telnyx/openapi)", ({
      skip,
    }) => skip())
  } else {
    it("is one that Telnyx's API document allows", async () => {
      for (const seen of await requests())
        assert.deepStrictEqual(contract.faults(seen), [], `${seen.method} ${seen.path}`)
    })

    it("would be seen if the document did not allow it", async () => {
      const [dial] = (await requests()).filter(({ method }) => method === "POST")
      assert(dial !== undefined)
      const { to: _, ...without } = dial.body
      const changes: ReadonlyArray<readonly [string, Seen["body"]]> = [
        ["to", without],
        ["extra", { ...dial.body, extra: 1 }],
        ["timeout_secs", { ...dial.body, timeout_secs: "soon" }],
        ["webhook_url_method", { ...dial.body, webhook_url_method: "PUT" }],
      ]
      for (const [name, body] of changes) assert.match(contract.faults({ ...dial, body }).join(), new RegExp(name))
      assert.isNotEmpty(contract.faults({ ...dial, path: `${dial.path}/x/y/z` }))
      assert.isNotEmpty(contract.faults({ ...dial, method: "PUT" }))
    })
  }
})
