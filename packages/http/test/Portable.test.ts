import { assert, describe, it } from "@effect/vitest"
import {
  AuditTrail,
  Dialling,
  Engine,
  Erasure,
  KeptEvents,
  Organizations,
  Portable,
  Retention,
  Verification,
} from "@carillon/core"
import { newPhoneNumber } from "@carillon/core/domain"
import { holdersOf, put } from "@carillon/core/ports"
import { memoryRows } from "@carillon/core/memory"
import { testSecrets, TestWorld } from "@carillon/core/testing"
import { Effect } from "effect"
import {
  contacts,
  elsewhere,
  everything,
  exported,
  imported,
  importedPieceByPiece,
  inSmallPieces,
  lived,
  numberOf,
  type Place,
  source,
  sourceWith,
} from "./Moved.ts"

const { agentId, organizationId } = TestWorld

const othersNumber = (phone_number: string) => {
  const identity = { phone_number_id: "pn_other", organization_id: "org_other", phone_number, created_at: 0 }
  return { put: "phone_number", row: newPhoneNumber(identity) } as const
}

/** What is the same before and after, but for the one record of the import. */
const assertSame = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) => {
  for (const [target, answer] of before) assert.strictEqual(after.get(target), answer, target)
}

const trailOf = ({ world }: Place) => world.run(Effect.flatMap(AuditTrail, (trail) => trail.verify(organizationId, {})))

describe("an organization that moves", () => {
  it.effect("is read as before, and goes on where it stood", () =>
    Effect.gen(function* () {
      const from = yield* source
      const { campaign_id, execution_id } = yield* lived(from)
      const before = yield* everything(from)
      assert.isAbove(before.size, 200)
      const { lines, report } = yield* exported(from)
      assert.deepInclude(report, { documents_left_out: 0 })
      const to = yield* elsewhere()
      to.world.now = from.world.now
      const { counts } = yield* imported(to, lines)
      assert.deepStrictEqual(counts, report.counts)
      for (const kind of ["agent", "call", "call_media", "contact", "entries", "document", "event", "delivery"]) {
        assert.include(Object.keys(counts), kind)
      }
      assertSame(before, yield* everything(to))
      assert.deepInclude(yield* trailOf(to), { valid: true, checked: (yield* trailOf(from)).checked + 1 })
      const read = Effect.flatMap(KeptEvents, (events) => events.read("oldest"))
      assert.deepStrictEqual(yield* to.world.run(read), yield* from.world.run(read))
      // Whoever was not called is, once, and the booked call comes at its time.
      yield* to.ask({ method: "POST", target: `/v2/campaigns/${campaign_id}/resume` })
      yield* to.world.advance(2 * 3_600_000)
      const called = from.world.dials.filter((dial) => dial.campaign_id === campaign_id).length
      const firsts = to.world.dials.filter((dial) => dial.campaign_id === campaign_id && dial.retry_count === 0)
      assert.isAbove(called, 0)
      assert.isAbove(firsts.length, 0)
      const dialled = [...from.world.dials, ...to.world.dials].filter(
        (dial) => dial.campaign_id === campaign_id && dial.retry_count === 0,
      )
      assert.lengthOf(new Set(dialled.map(({ to_number }) => to_number)), 10)
      assert.lengthOf(dialled, 10)
      assert.lengthOf(
        to.world.dials.filter((dial) => dial.execution_id === execution_id),
        1,
      )
      const { text } = yield* to.ask({ target: `/v2/campaigns/${campaign_id}` })
      assert.strictEqual(JSON.parse(text ?? "")["status"], "completed")
    }),
  )

  it.effect("is finished by the same file where its import broke off, wherever that was", () =>
    Effect.gen(function* () {
      const from = yield* source
      yield* lived(from)
      const before = yield* everything(from)
      const whole = yield* exported(from)
      const lines = inSmallPieces(whole.lines, 7)
      const { pieces, to } = yield* importedPieceByPiece(from, lines)
      assert.isAbove(pieces, 30)
      assertSame(before, yield* everything(to))
      assert.deepInclude(yield* trailOf(to), { valid: true })
      const commits = to.world.commits.length
      assert.deepInclude(yield* imported(to, lines), { pieces, pieces_before: pieces })
      assert.deepInclude(yield* Effect.flip(imported(to, whole.lines)), { _tag: "StateConflict" })
      assert.lengthOf(to.world.commits, commits)
    }),
  )

  it.effect("is finished though something is recorded of it once it is there, and its trail verifies", () =>
    Effect.gen(function* () {
      const from = yield* source
      yield* lived(from)
      const lines = inSmallPieces((yield* exported(from)).lines, 1)
      let left = 0
      const to = yield* elsewhere({
        interpose: (operation, effect) => {
          if (operation !== "store.commit") return effect
          left -= 1
          return left < 0 ? TestWorld.away : effect
        },
      })
      to.world.now = from.world.now
      const person = numberOf(999)
      const erase = to.world.run(Effect.flatMap(Erasure, (erasure) => erasure.erase(organizationId, person)))
      let recorded = 0
      for (let before = 0; ; before++) {
        left = 1
        const exit = yield* Effect.exit(imported(to, lines))
        left = Infinity
        if (exit._tag === "Success") break
        assert.include(String(exit.cause), "DependencyUnavailable")
        assert.isBelow(before, lines.length)
        const erased = yield* Effect.exit(erase)
        if (erased._tag === "Success") recorded += 1
        else assert.include(JSON.stringify(erased), "Organization not found")
      }
      assert.isAbove(recorded, 10)
      const { checked, valid } = yield* trailOf(to)
      assert.deepStrictEqual(
        { checked, valid },
        { checked: (yield* trailOf(from)).checked + recorded + 1, valid: true },
      )
    }),
  )

  it.effect("goes on by itself where dialling was only held, and not before all of it is there", () =>
    Effect.gen(function* () {
      const from = yield* source
      const body = { name: "A", agent_id: agentId, contacts: contacts(1, 41), retry_policy: { max_retries: 0 } }
      const { json } = yield* from.ask({ method: "POST", target: "/v2/campaigns", body })
      const campaign = `/v2/campaigns/${String(json["campaign_id"])}`
      yield* from.ask({ method: "POST", target: `${campaign}/contacts`, body: { contacts: contacts(11, 60) } })
      yield* from.ask({ method: "POST", target: "/v2/batches", body: { agent_id: agentId, contacts: contacts(4, 80) } })
      yield* from.world.advance(20_000)
      yield* from.world.run(Effect.flatMap(Dialling, (dialling) => dialling.hold("It moves.")))
      yield* from.world.advance(3_600_000)
      const { lines } = yield* exported(from)
      const { to } = yield* importedPieceByPiece(from, inSmallPieces(lines, 1))
      yield* to.world.advance(2 * 3_600_000)
      const first = [...from.world.dials, ...to.world.dials].filter(({ retry_count }) => retry_count === 0)
      assert.isAbove(from.world.dials.length, 0)
      assert.lengthOf(first, 16)
      assert.lengthOf(new Set(first.map(({ to_number }) => to_number)), 16)
      assert.strictEqual((yield* to.ask({ target: campaign })).json["status"], "completed")
    }),
  )

  it.effect("is refused before anything is written where the file is not as it was written", () =>
    Effect.gen(function* () {
      const from = yield* source
      yield* lived(from)
      const { lines } = yield* exported(from)
      const to = yield* elsewhere()
      const [first = "", second = ""] = lines
      const changed = second.replace('"outcome":"allowed"', '"outcome":"refused"')
      assert.notStrictEqual(changed, second)
      const format = first.replace('"format":1', '"format":2')
      for (const file of [
        [],
        lines.slice(0, -1),
        lines.slice(0, 20),
        [first, changed, ...lines.slice(2)],
        [...lines.slice(0, 10), ...lines.slice(11)],
        [...lines, second],
        [format, ...lines.slice(1)],
        ["{}\n"],
        [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, 40)],
      ]) {
        assert.deepInclude(yield* Effect.flip(imported(to, file)), { _tag: "InvalidField", field: "file" })
        assert.strictEqual(to.world.tables.organizations.size, 0)
      }
      assert.lengthOf(
        to.world.commits.filter(({ changes }) => changes.length > 0),
        0,
      )
    }),
  )

  it.effect("is refused where its secrets do not open, or one of its numbers is another's", () =>
    Effect.gen(function* () {
      const from = yield* source
      yield* lived(from)
      const { lines } = yield* exported(from)
      const keyless = yield* elsewhere({ secrets: testSecrets(["two"]) })
      const unread = yield* Effect.flip(imported(keyless, lines))
      assert.include(String(unread), "StateConflict")
      assert.strictEqual(keyless.world.tables.organizations.size, 0)
      const taken = yield* elsewhere({ rows: [othersNumber("+15552001235")] })
      assert.deepInclude(yield* Effect.flip(imported(taken, lines)), { _tag: "StateConflict" })
      assert.strictEqual(taken.world.tables.organizations.size, 0)
      // One that is registered between the look and the commit is refused as well.
      let isNext = true
      const number = "+15552001235"
      const late = yield* elsewhere({
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (operation !== "store.commit" || !isNext) return effect
            isNext = false
            late.world.write(othersNumber(number), { put: "guard", guard: holdersOf(number) })
            return effect
          }),
      })
      assert.deepInclude(yield* Effect.flip(imported(late, lines)), {
        message: "One of its phone numbers was registered here meanwhile. Import it again.",
      })
      assert.include(String((yield* Effect.flip(imported(late, lines))).message), "is not available")
      assert.strictEqual(late.world.tables.organizations.size, 0)
      // Under another first key everything is sealed anew.
      const turned = yield* elsewhere({ secrets: testSecrets(["two", "one"]) })
      yield* imported(turned, lines)
      for (const subscription of turned.world.tables.subscriptions.of(organizationId)) {
        for (const [, value] of subscription.headers) assert.include(value, "carillon-sealed:two:")
      }
    }),
  )
})

describe("an organization that is not at rest", () => {
  const refusal = (place: Place) => Effect.map(Effect.flip(exported(place)), (error) => JSON.stringify(error))

  it.effect("is not exported, and what is under way is said", () =>
    Effect.gen(function* () {
      const place = yield* source
      const { world } = place
      const contact = { contacts: contacts(1, 80) }
      yield* place.ask({ method: "POST", target: "/v2/campaigns", body: { name: "A", agent_id: agentId, ...contact } })
      assert.include(yield* refusal(place), "batches that are not paused, while dialling is not held: 1")
      yield* world.advance(3_000)
      assert.include(yield* refusal(place), "live calls: 1")
      yield* world.advance(3_600_000)
      yield* exported(place)
    }),
  )

  it.effect("is not exported where something was written while it was read", () =>
    Effect.gen(function* () {
      const place = yield* source
      yield* place.ask({ method: "POST", target: "/v2/webhooks", body: { callback_url: "https://a.example.com/" } })
      let done = false
      const write = (text: string) =>
        Effect.suspend(() => {
          if (done || !text.startsWith('{"kind":"agent"')) return Effect.void
          done = true
          return Effect.asVoid(place.ask({ method: "POST", target: "/v2/agents", body: { display_name: "New" } }))
        })
      const exporting = place.world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
      assert.deepInclude(yield* Effect.flip(exporting), { _tag: "StateConflict" })
      yield* exporting
    }),
  )

  it.effect("is not exported where the carrier wrote what no trail tells", () =>
    Effect.gen(function* () {
      const place = yield* source
      const { world } = place
      const { call } = yield* world.placed({ to_number: numberOf(1) })
      yield* world.advance(3_600_000)
      let done = false
      const corrected = { execution_id: call.execution_id, call_sid: null, type: "corrected" } as const
      // Behind all rows: the key of the customer is the last line but one.
      const write = (text: string) =>
        Effect.suspend(() => {
          if (done || !text.startsWith('{"kind":"api_key"')) return Effect.void
          done = true
          const report = { ...corrected, at: world.now, end: { duration_seconds: 999 }, facts: {} }
          const late = world.run(Effect.flatMap(Engine, (engine) => engine.report(report)))
          return Effect.orDie(Effect.andThen(late, world.advance(660_000)))
        })
      const exporting = world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
      assert.deepInclude(yield* Effect.flip(exporting), { _tag: "StateConflict" })
      assert.isTrue(done)
      yield* exporting
    }),
  )

  it.effect("is not exported where it was charged meanwhile, which raises no revision", () =>
    Effect.gen(function* () {
      const { world } = yield* source
      let done = false
      const write = (text: string) =>
        Effect.sync(() => {
          if (done || !text.startsWith('{"kind":"api_key"')) return
          done = true
          world.write({ put: "debit", organization_id: organizationId, amount: 1 })
        })
      const exporting = world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
      assert.deepInclude(yield* Effect.flip(exporting), { _tag: "StateConflict" })
      yield* exporting
    }),
  )

  it.effect("is not exported where a call came in meanwhile, and is over by the end", () =>
    Effect.gen(function* () {
      const { world } = yield* source
      yield* world.placed({ to_number: numberOf(1) })
      yield* world.advance(3_600_000)
      const engine = world.service(Engine)
      const ends = Effect.gen(function* () {
        const came = { from_number: numberOf(2), to_number: "+15552001234", call_sid: "leg_in" }
        const { execution_id } = yield* engine.arrive({ organization_id: organizationId, agent_id: agentId, ...came })
        const base = { execution_id, at: world.now, call_sid: "leg_in" }
        yield* engine.report({ ...base, type: "answered" })
        const facts = { recording_url: null, cost: null, media: null }
        const how = { hangup_by: "customer", hangup_reason: "user_hangup", error: null } as const
        const end = { status: "completed", duration_seconds: 10, answered_by_voicemail: false, ...how } as const
        yield* engine.report({ ...base, type: "ended", end })
        yield* engine.report({ ...base, type: "final", end, facts })
        yield* world.advance(660_000)
      })
      let done = false
      const write = (text: string) =>
        Effect.suspend(() => {
          if (done || !text.startsWith('{"kind":"api_key"')) return Effect.void
          done = true
          return Effect.orDie(world.run(ends))
        })
      const exporting = world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
      assert.deepInclude(yield* Effect.flip(exporting), { _tag: "StateConflict" })
      assert.isTrue(done)
      yield* exporting
    }),
  )
})

describe("an organization that keeps rows for a time, and has numbers that must not be called", () => {
  const day = 24 * 3_600_000
  const gone = "retention_days"
  const suppressed = (nth: number) => numberOf(200 + nth)

  const keep = ({ world }: Place, retention_days: number | null) =>
    world.run(Effect.flatMap(Organizations, (tenants) => tenants.change(organizationId, { retention_days })))

  const verified = ({ world }: Place) =>
    world.run(Effect.flatMap(Verification, (verification) => verification.verify(organizationId)))

  const purgeOf = ({ world }: Place) => memoryRows(world.tables).accounts.purge(organizationId)

  /** A customer of some weeks: most of it is gone, some of it is not. */
  const old = Effect.fnUntraced(function* (options: Partial<TestWorld.WorldOptions> = {}) {
    const from = yield* sourceWith(options)
    const { ask, world } = from
    const { campaign_id } = yield* lived(from)
    const post = (target: string, body: object) => ask({ method: "POST", target: `/v2${target}`, body })
    const said = { reason: "opt_out", source: "a list", note: "since May" }
    const ends = new Date(world.now + day).toISOString()
    yield* post("/suppressions", { to_numbers: [1, 2, 3].map(suppressed), ...said })
    yield* post("/suppressions", { to_numbers: [3, 4].map(suppressed), agent_id: agentId })
    yield* post("/suppressions", { to_numbers: [suppressed(5)], campaign_id, expires_at: ends, ...said })
    yield* post("/suppressions", { to_numbers: [suppressed(6)] })
    yield* post("/suppressions/remove", { to_numbers: [suppressed(6)] })
    const body = { name: "Skipped", agent_id: agentId, contacts: [{ to_number: suppressed(1) }, ...contacts(1, 81)] }
    yield* post("/campaigns", body)
    yield* world.advance(3 * 3_600_000)
    yield* keep(from, 7)
    yield* world.advance(9 * day)
    yield* post("/campaigns", { ...body, name: "Late", contacts: [{ to_number: suppressed(2) }, ...contacts(3, 90)] })
    yield* world.advance(3_600_000)
    assert.isNotNull((yield* purgeOf(from))?.calls_before ?? null)
    return { campaign_id, from }
  })

  /** Ranges of usage that begin and end in the middle of a minute. */
  const figuresOf = Effect.fnUntraced(function* ({ ask, world }: Place, since: number) {
    const answers: Array<string> = []
    for (const to of [since + 90_500, since + day + 1, world.now]) {
      const range = `from_date=${new Date(since + 500).toISOString()}&to_date=${new Date(to).toISOString()}`
      for (const group of ["day", "agent", "campaign"]) {
        answers.push(`${(yield* ask({ target: `/v2/usage?${range}&group_by=${group}` })).text}`)
      }
    }
    return answers
  })

  it.effect("is read as before, with every figure of what is gone, verifies, and goes on to forget", () =>
    Effect.gen(function* () {
      const since = (yield* source).world.now
      const { from } = yield* old()
      const before = yield* everything(from)
      const figures = yield* figuresOf(from, since)
      const sound = yield* verified(from)
      assert.deepStrictEqual(sound.faults, [])
      const { lines, report } = yield* exported(from)
      assert.deepInclude(report.counts, { purge: 1, organization: 1, callee: 5 })
      for (const kind of ["tally", "usage"] as const) assert.isAbove(report.counts[kind] ?? 0, 0, kind)
      assert.notInclude(lines.join(""), suppressed(6))
      const to = yield* elsewhere()
      to.world.now = from.world.now
      yield* imported(to, lines)
      assertSame(before, yield* everything(to))
      assert.deepStrictEqual(yield* figuresOf(to, since), figures)
      const there = yield* verified(to)
      assert.deepStrictEqual(there.faults, [])
      assert.deepStrictEqual({ ...there.rows, audit_records: 0 }, { ...sound.rows, audit_records: 0 })
      assert.deepInclude(yield* purgeOf(to), { place: null, calls_before: (yield* purgeOf(from))?.calls_before ?? 0 })
      // Nobody who must not be called is, and what is over goes there as it would have here.
      const refused = yield* to.ask({
        method: "POST",
        target: "/v2/calls",
        body: { agent_id: agentId, to_number: suppressed(3) },
      })
      assert.strictEqual(refused.status, 409)
      yield* to.world.advance(9 * day)
      assert.lengthOf(
        to.world.calls().filter(({ campaign_id }) => campaign_id === null),
        0,
      )
      assert.deepStrictEqual((yield* verified(to)).faults, [])
      const again = yield* exported(to)
      const third = yield* elsewhere()
      third.world.now = to.world.now
      yield* imported(third, again.lines)
      assert.deepStrictEqual(yield* figuresOf(third, since), yield* figuresOf(to, since))
      assert.deepStrictEqual((yield* verified(third)).faults, [])
    }),
  )

  it.effect("loses nothing of it before all of it is there, however late it comes", () =>
    Effect.gen(function* () {
      const { from } = yield* old()
      yield* from.ask({ method: "POST", target: "/v2/calls", body: { agent_id: agentId, to_number: numberOf(95) } })
      yield* from.world.advance(3_600_000)
      const { lines } = yield* exported(from)
      const executions = (kind: string, of: ReadonlyArray<string>) =>
        of
          .filter((line) => line.startsWith(`{"kind":"${kind}"`))
          .map((line): string => JSON.parse(line).row.execution_id)
      assert.isAbove(executions("call_media", lines).length, 2)
      assert.isAbove(executions("delivery", lines).length, 2)
      // A walk could begin each day.
      const daily = (piece: number) => (piece % 25 === 0 ? day + 60_000 : 0)
      const { to } = yield* importedPieceByPiece(from, inSmallPieces(lines, 1), 9 * day, daily)
      assert.strictEqual(to.world.tables.organizations.get(organizationId)?.[gone], 7)
      // From then on it goes, and all that is its own.
      yield* to.world.advance(1.5 * day)
      const { calls } = to.world.tables
      const goneNow = executions("call", lines).filter((id) => calls.get(id) === undefined)
      assert.isAbove(goneNow.length, 2)
      for (const id of goneNow) assert.isUndefined(calls.media(id), id)
      const left = yield* exported(to)
      for (const id of executions("delivery", left.lines)) assert.isDefined(calls.get(id), id)
      assert.deepStrictEqual((yield* verified(to)).faults, [])
    }),
  )

  it.effect("comes in though what it has to spend changes as its last piece is written", () =>
    Effect.gen(function* () {
      const { from } = yield* old()
      const { lines } = yield* exported(from)
      for (const parity of [0, 1]) {
        let commits = 0
        const to: Place = yield* elsewhere({
          interpose: (operation, effect) =>
            Effect.suspend(() => {
              if (operation !== "store.commit") return effect
              const here = to.world.tables.organizations.get(organizationId)
              commits += 1
              if (here !== undefined && commits % 2 === parity) {
                const paid = { put: "debit", organization_id: organizationId, amount: 1 } as const
                to.world.write(put("organization", here, here), paid)
              }
              return effect
            }),
        })
        to.world.now = from.world.now
        const { wallet } = from.world.tables.organizations.get(organizationId) ?? { wallet: { balance: 0 } }
        yield* imported(to, inSmallPieces(lines, 100))
        const here = to.world.tables.organizations.get(organizationId)
        assert(here !== undefined)
        assert.strictEqual(here[gone], 7)
        assert.isBelow(here.wallet.balance, wallet.balance)
      }
    }),
  )

  it.effect("is not exported while rows are being taken away, and where that began in the middle", () =>
    Effect.gen(function* () {
      let commits = Infinity
      const interpose: TestWorld.WorldOptions["interpose"] = (operation, effect) => {
        if (operation !== "store.commit") return effect
        commits -= 1
        return commits < 0 ? TestWorld.away : effect
      }
      const { from } = yield* old({ interpose })
      const { world } = from
      yield* keep(from, 8)
      yield* world.run(Effect.flatMap(Retention, (retention) => retention.sweep(organizationId)))
      assert.isNotNull((yield* purgeOf(from))?.place)
      const refused = yield* Effect.flip(exported(from))
      assert.include(String(refused.message), "rows that were kept for their time are being taken away")
      yield* world.advance(3_600_000)
      yield* keep(from, null)
      yield* world.advance(0)
      // One that an operator began, and that breaks off before it is told of.
      let done = false
      const purge = Effect.flatMap(Retention, (retention) => retention.purge(organizationId, world.now))
      const write = (text: string) =>
        Effect.gen(function* () {
          if (done || !text.startsWith('{"kind":"call"')) return
          done = true
          commits = 3
          yield* Effect.exit(world.run(purge))
          commits = Infinity
        })
      const exporting = world.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
      assert.deepInclude(yield* Effect.flip(exporting), { _tag: "StateConflict" })
      assert.isNotNull((yield* purgeOf(from))?.place)
      yield* exporting
    }),
  )

  it.effect("keeps rows for as long as somebody has said there while it came in", () =>
    Effect.gen(function* () {
      const { from } = yield* old()
      const lines = inSmallPieces((yield* exported(from)).lines, 50)
      let left = 4
      const to = yield* elsewhere({
        interpose: (operation, effect) => {
          if (operation !== "store.commit") return effect
          left -= 1
          return left < 0 ? TestWorld.away : effect
        },
      })
      to.world.now = from.world.now
      yield* Effect.flip(imported(to, lines))
      left = Infinity
      yield* keep(to, 365)
      yield* imported(to, lines)
      assert.deepInclude(to.world.tables.organizations.get(organizationId), { retention_days: 365 })
    }),
  )

  it.effect("moves with a batch of which only some contacts are gone", () =>
    Effect.gen(function* () {
      const from = yield* source
      const { ask, world } = from
      const body = { name: "Large", agent_id: agentId, contacts: contacts(700, 0) }
      const made = yield* ask({ method: "POST", target: "/v2/campaigns", body })
      const campaign = `/v2/campaigns/${String(made.json["campaign_id"])}`
      yield* ask({ method: "POST", target: `${campaign}/cancel` })
      yield* world.advance(9 * day)
      yield* keep(from, 7)
      const step = world.run(Effect.flatMap(Retention, (retention) => retention.sweep(organizationId)))
      // Its row says that they are going, then the first of them go.
      for (let steps = 0; (yield* purgeOf(from))?.place?.of !== "contacts" || steps < 2; steps++) yield* step
      yield* keep(from, null)
      yield* step
      const batchId = String(made.json["batch_id"])
      const left = from.world.tables.contacts.rows(batchId, 0, 700)
      assert.isAbove(left.length, 0)
      assert.isBelow(left.length, 700)
      const { lines } = yield* exported(from)
      const to = yield* elsewhere()
      to.world.now = world.now
      yield* imported(to, lines)
      assert.deepStrictEqual(to.world.tables.contacts.rows(batchId, 0, 700), left)
      const read = (place: Place) => place.ask({ target: `${campaign}/stats` })
      assert.strictEqual((yield* read(to)).text, (yield* read(from)).text)
      assert.deepStrictEqual((yield* verified(to)).faults, [])
      // The rest goes there.
      yield* keep(to, 7)
      yield* to.world.advance(2 * day)
      assert.lengthOf(to.world.tables.contacts.rows(batchId, 0, 700), 0)
      assert.strictEqual((yield* read(to)).text, (yield* read(from)).text)
    }),
  )
})
