import { assert } from "@effect/vitest"
import { createHash } from "node:crypto"
import { type DialCommand, Engine, Plans, Portable, Secrets, TextExtractor } from "@carillon/core"
import { testSecrets, TestWorld } from "@carillon/core/testing"
import { Effect, Layer, ManagedRuntime, type Scope, Stream } from "effect"
import { Dispatcher, edgeHandler } from "../src/Dispatcher.ts"
import { formOf, pdf } from "./Forms.ts"
import { type Answer, keyRow, keyText, plans, send, type Sent } from "./World.ts"

const { agentId, organizationId, ordinary, World } = TestWorld

const key = keyText(7)
export const numberOf = (nth: number): string => `+1555300${1_000 + nth}`
export const contacts = (count: number, from: number) =>
  Array.from({ length: count }, (_, nth) => ({
    to_number: numberOf(from + nth),
    variables: { name: `N${nth}`, "\\": 1 },
  }))

/** Every third number is busy, every fourth goes on under another record; the others talk. */
const script = ({ to_number }: DialCommand): TestWorld.Script => {
  const nth = Number(to_number.slice(-3))
  if (nth % 3 === 0) return { ...ordinary, end: { status: "busy", duration_seconds: null, hangup_reason: "dial_busy" } }
  const reports = [...ordinary.reports, [18_000, "analysis"]] as const
  return {
    ...ordinary,
    reports: nth % 4 === 0 ? [...reports.slice(0, 3), [7_000, "recovered"], ...reports.slice(3)] : reports,
    facts: {
      recording_url: "https://recordings.example.com/1.wav",
      cost: {
        total: 0.25,
        breakdown: { llm: 0.25, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
      },
      media: {
        transcript: [{ role: "user", content: `I am ${to_number}.`, start_ms: 0, end_ms: 900 }],
        setup: null,
        turns: null,
      },
    },
  }
}

export interface Place {
  readonly world: TestWorld.World
  readonly ask: (sent: Sent) => Effect.Effect<Answer>
}

/** A world with an engine, and a server in front of it. */
const served = (options: TestWorld.WorldOptions): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.gen(function* () {
    const secrets = options.secrets ?? testSecrets(["one"])
    const world = new World({ script, keepEvents: true, ...options, secrets })
    yield* world.start()
    const references = Layer.mergeAll(
      Layer.succeed(Plans, plans),
      Layer.succeed(Secrets, secrets),
      Layer.succeed(TextExtractor, { extract: () => Effect.succeed("Parking is free. ".repeat(200)) }),
    )
    const ground = Layer.mergeAll(world.ground(), references)
    const runtime = ManagedRuntime.make(
      Dispatcher.layer.pipe(Layer.provideMerge(Engine.layer), Layer.provideMerge(ground)),
    )
    yield* Effect.addFinalizer(() => Effect.promise(() => runtime.dispose()))
    const { dispatch } = yield* Effect.promise(() => runtime.runPromise(Dispatcher))
    const handle = edgeHandler(runtime.runFork, dispatch)
    return { world, ask: (sent) => Effect.promise(() => send(handle, { key, ...sent })) }
  })

export const sourceWith = (options: Partial<TestWorld.WorldOptions>) =>
  served({
    rows: [{ put: "api_key", row: keyRow(key, { organization_id: organizationId }) }],
    organization: { concurrency: { organization: 2, per_agent: null, enforced: true } },
    ...options,
  })

export const source = sourceWith({})

export const elsewhere = (options: Partial<TestWorld.WorldOptions> = {}) =>
  served({ isEmpty: true, seed: "elsewhere", ...options })

/** What a customer has done in some weeks. */
export const lived = Effect.fnUntraced(function* ({ ask, world }: Place) {
  const post = Effect.fnUntraced(function* (target: string, body: object) {
    const answer = yield* ask({ method: "POST", target: `/v2${target}`, body })
    assert.isBelow(answer.status, 300, `${target} ${answer.text}`)
    return answer.json
  })
  const agent_id = agentId
  const { agent_id: other } = yield* post("/agents", { display_name: "Other" })
  const { agent_id: gone } = yield* post("/agents", { display_name: "Gone" })
  yield* ask({ method: "DELETE", target: `/v2/agents/${String(gone)}` })
  yield* post(`/agents/${agentId}/versions`, { variant_agent_id: other, version_name: "B", variant_traffic_pct: 50 })
  const { phone_number_id } = yield* post("/phone-numbers", { phone_number: "+15552001234", label: "Desk" })
  yield* post("/phone-numbers", { phone_number: "+15552001235" })
  yield* post("/inbound-agents", { agent_id, phone_number_id })
  yield* post("/providers", { provider_name: "openai", provider_value: "sk-0123456789abcdef" })
  yield* post("/webhooks", { agent_id, callback_url: "https://hooks.example.com/a", headers: { "X-Key": "hidden" } })
  yield* post("/webhooks", { callback_url: "https://hooks.example.com/b", secret: "whsec_own" })
  yield* post("/api-keys", { name: "Second" })
  const form = [{ name: "collection", value: "docs" }, pdf("Parking is free.")]
  const made = yield* ask({ method: "POST", target: "/v2/knowledge-bases", ...formOf(form) })
  assert.strictEqual(made.status, 201, `${made.text}`)
  yield* world.placed({ to_number: numberOf(1) })
  yield* world.placed({ to_number: numberOf(4) })
  yield* post("/campaigns", { name: "Done", agent_id, contacts: contacts(5, 10), retry_policy: { enabled: false } })
  yield* world.advance(3_600_000)
  yield* post("/batches", { agent_id, contacts: contacts(3, 20) })
  const { campaign_id: ended } = yield* post("/campaigns", { name: "Ended", agent_id, contacts: contacts(9, 30) })
  yield* world.advance(20_000)
  yield* post(`/campaigns/${String(ended)}/cancel`, {})
  yield* post("/campaigns", { name: "Empty", agent_id })
  const { campaign_id } = yield* post("/campaigns", { name: "Half", agent_id, contacts: contacts(8, 40) })
  yield* post(`/campaigns/${String(campaign_id)}/contacts`, { contacts: contacts(2, 60) })
  yield* world.advance(60_000)
  yield* post(`/campaigns/${String(campaign_id)}/pause`, {})
  const at = new Date(world.now + 7_200_000).toISOString()
  const { execution_id } = yield* post("/calls", { agent_id, to_number: numberOf(70), scheduled_at: at })
  yield* world.advance(3_600_000)
  return { campaign_id: String(campaign_id), execution_id: String(execution_id) }
})

const lists = [
  "/user/me",
  "/scopes",
  "/api-keys?page_size=100",
  "/calls?page_size=100",
  "/calls?page_size=100&status=busy",
  "/calls?page_size=3&page=2",
  "/agents?page_size=100",
  "/agents?status=ARCHIVED",
  "/campaigns?page_size=100",
  "/batches?page_size=100",
  "/webhooks?page_size=100",
  "/webhooks/deliveries?page_size=100",
  "/usage?group_by=agent",
  "/usage?group_by=campaign",
  "/usage",
  "/phone-numbers",
  "/inbound-agents",
  "/providers",
  "/suppressions?page_size=100",
  "/knowledge-bases",
  "/knowledge-bases/docs",
  "/knowledge-bases/docs/documents",
]

/** What is read of a thing by its id. */
const details: Readonly<Record<string, (id: string) => ReadonlyArray<string>>> = {
  exec: (id) =>
    ["", "/transcript", "/recording", "/timing", "?include_transcript=true"].map((rest) => `/calls/${id}${rest}`),
  agt: (id) => ["", "/executions?page_size=100", "/versions"].map((rest) => `/agents/${id}${rest}`),
  ver: (id) => [`/agents/${agentId}/versions/${id}`],
  cmp: (id) =>
    ["", "/stats", "/batches", "/contacts?page_size=100", "/explain", "/log?page_size=100"].map(
      (rest) => `/campaigns/${id}${rest}`,
    ),
  bat: (id) => ["", "/executions?page_size=100"].map((rest) => `/batches/${id}${rest}`),
  sub: (id) => [`/webhooks/${id}`],
  dlv: (id) => [`/webhooks/deliveries/${id}`],
  pn: (id) => [`/phone-numbers/${id}`],
  aud: (id) => [`/audit-logs/${id}`],
}

const idsIn = (text: string | null) => [...(text ?? "").matchAll(/\b([a-z]+)_[0-9a-z]{8,}\b/g)]

/** Everything that `GET` answers a customer, by its target. */
export const everything = Effect.fnUntraced(function* ({ ask }: Place) {
  const answers = new Map<string, string>()
  const read = (target: string): Effect.Effect<void> =>
    Effect.gen(function* () {
      if (answers.has(target)) return
      answers.set(target, "")
      const { status, text } = yield* ask({ target: `/v2${target}` })
      answers.set(target, `${status} ${text}`)
      const further = idsIn(text).flatMap(([id, prefix = ""]) => details[prefix]?.(id) ?? [])
      yield* Effect.forEach(further, read, { discard: true })
    })
  yield* Effect.forEach(lists, read, { discard: true })
  const trail = yield* ask({ target: "/v2/audit-logs?page_size=100" })
  for (const [id, prefix] of idsIn(trail.text)) if (prefix === "aud") yield* read(`/audit-logs/${id}`)
  return answers
})

export const exported = Effect.fnUntraced(function* ({ world }: Place) {
  const lines: Array<string> = []
  const write = (text: string) => Effect.sync(() => void lines.push(text))
  const report = yield* world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
  return { report, lines }
})

export const imported = ({ world }: Place, lines: ReadonlyArray<string>) =>
  world.run(Effect.flatMap(Portable, (portable) => portable.import(Stream.encodeText(Stream.fromIterable(lines)))))

/** The same lines with the sum that they have now. */
export const summed = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = lines.slice(0, -1)
  const sha256 = createHash("sha256").update(own.join("")).digest("hex")
  return [...own, `${JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ""), sha256 })}\n`]
}

/** The same file, cut into smaller pieces. */
export const inSmallPieces = (lines: ReadonlyArray<string>, together: number): ReadonlyArray<string> => {
  const [header = "", ...rest] = lines
  const first = `${JSON.stringify({ ...JSON.parse(header), piece: { lines: together, characters: 100_000 } })}\n`
  return summed([first, ...rest])
}

/**
 * Imports a file with a store that goes away after each commit; and each time the engine there repairs and looks at all that it finds, and some time
 * goes by.
 */
export const importedPieceByPiece = Effect.fnUntraced(function* (
  from: Place,
  lines: ReadonlyArray<string>,
  later = 0,
  pauseOf: (piece: number) => number = () => 0,
) {
  let left = 0
  const to = yield* elsewhere({
    interpose: (operation, effect) => {
      if (operation !== "store.commit") return effect
      left -= 1
      return left < 0 ? TestWorld.away : effect
    },
  })
  to.world.now = from.world.now + later
  for (let before = 0; ; before++) {
    left = 1
    const exit = yield* Effect.exit(imported(to, lines))
    left = Infinity
    if (exit._tag === "Success") {
      assert.strictEqual(exit.value.pieces_before, before)
      return { to, pieces: exit.value.pieces }
    }
    assert.include(String(exit.cause), "DependencyUnavailable")
    yield* to.world.run(Effect.flatMap(Engine, (engine) => Effect.andThen(engine.repair, engine.rebuildWakeups)))
    yield* to.world.advance(pauseOf(before))
  }
})
