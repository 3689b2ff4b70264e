import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import * as fc from "fast-check"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { AuditStore } from "../audit/ports/AuditStore.ts"
import type { Call } from "../calls/rules/Call.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import type { Change, Commit } from "../engine/rules/Commit.ts"
import type { SlotDemand } from "../Changes.ts"
import { batchesOf } from "../engine/rules/Guards.ts"
import { type Conflict, numberTaken, Store } from "../engine/ports/Store.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { PortError } from "../Errors.ts"
import { KeyStore } from "../keys/ports/KeyStore.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { law } from "./Law.ts"
import { refusalOf } from "./Refusals.ts"
import {
  fresh,
  sampleAgent,
  sampleAudit,
  sampleCall,
  sampleCommit,
  sampleEpoch,
  sampleKey,
  sampleOrganization,
  samplePhoneNumber,
  sampleSlot,
} from "./Samples.ts"

/** `Store` is seen through the reading ports, so all of them come with it. */
export type StorePorts = Store | CallStore | AgentStore | KeyStore | AccountStore | AuditStore | Wakeups

const put = Effect.fnUntraced(function* (organizationId: string, ...changes: ReadonlyArray<Change>) {
  yield* (yield* Store).commit(sampleCommit(organizationId, { changes }))
})

const balanceOf = Effect.fnUntraced(function* (organizationId: string) {
  return (yield* (yield* AccountStore).organization(organizationId))?.wallet.balance
})

const auditCount = Effect.fnUntraced(function* (organizationId: string) {
  return (yield* (yield* AuditStore).after(organizationId, 0, 100)).length
})

/** How many wake-ups of one subject are due; what others have set is not looked at. */
const dueOf = Effect.fnUntraced(function* (subject: string) {
  const claims = yield* (yield* Wakeups).claimDue(sampleEpoch, 1_000_000, { owner: "suite", ms: 60_000 })
  return claims.filter((claim) => claim.subject === subject).length
})

const assertConflict = (refusal: Conflict | PortError | null, kind: Conflict["kind"], id: string) =>
  assert.deepInclude(refusal, { _tag: "Conflict", kind, id })

/** A dialled call with its line. */
const dialled = (organizationId: string, changes: Partial<Call> = {}): Call => {
  const call = sampleCall(organizationId, { dial: "intended", ...changes })
  return { ...call, slot: sampleSlot(call, null) }
}

/** Lays down what every adapter of `Store` must do: whole or not at all, by revision, once per commit id. */
export const suite = <E>(name: string, layer: Layer.Layer<StorePorts, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("of commits that come at the same time each applies or conflicts for itself", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const calls = yield* CallStore
        const accounts = yield* AccountStore
        yield* law(
          fc.array(fc.constantFrom("fits", "stale", "twin", "rests on a stale row"), { maxLength: 12 }),
          Effect.fnUntraced(function* (kinds) {
            const organizationId = fresh("org_")
            yield* put(organizationId, { put: "organization", row: sampleOrganization(organizationId) })
            const rows = kinds.map(() => sampleCall(organizationId))
            yield* put(organizationId, ...rows.map((row) => ({ put: "call", row }) as const))
            const commits = kinds.map((kind, nth): Commit => {
              const before = rows[kind === "twin" ? Math.max(0, nth - 1) : nth]!
              const row: Call = {
                ...before,
                revision: kind === "stale" ? 5 : 2,
                status: "ringing",
                summary: String(nth),
              }
              return sampleCommit(organizationId, {
                expect: kind === "rests on a stale row" ? [{ kind: "agent", id: "agt_unknown", revision: 1 }] : [],
                changes: [
                  { put: "call", row },
                  { put: "debit", organization_id: organizationId, amount: 1 },
                ],
                audit: [sampleAudit(organizationId)],
              })
            })
            const exits = yield* Effect.forEach(commits, (commit) => Effect.exit(store.commit(commit)), {
              concurrency: "unbounded",
            })
            let applied = 0
            for (const [nth, row] of rows.entries()) {
              const stored = yield* calls.find(organizationId, row.execution_id)
              const takers = commits.flatMap(({ changes }, by) =>
                changes[0]?.put === "call" && changes[0].row.execution_id === row.execution_id ? [by] : [],
              )
              const successful = takers.filter((by) => Exit.isSuccess(exits[by]!))
              // Who expects the right revision is refused only for another who got the row.
              const able = takers.filter((by) => kinds[by] === "fits" || kinds[by] === "twin")
              assert.strictEqual(successful.length, Math.min(1, able.length), `row ${nth} of ${kinds.join()}`)
              assert.strictEqual(stored?.summary ?? null, successful[0] === undefined ? null : String(successful[0]))
              applied += successful.length
            }
            const organization = yield* accounts.organization(organizationId)
            assert.strictEqual(organization?.wallet.balance, 100 - applied)
            assert.strictEqual(yield* auditCount(organizationId), applied)
          }),
        )
      }),
    )

    it.effect("writes every kind of row, and the readers see it", () =>
      Effect.gen(function* () {
        const organizationId = fresh("org_")
        const organization = sampleOrganization(organizationId)
        const number = samplePhoneNumber(organizationId, "+15555550101")
        const key = sampleKey(organizationId)
        const agent = sampleAgent(organizationId)
        const call = sampleCall(organizationId)
        const media = {
          execution_id: call.execution_id,
          organization_id: organizationId,
          revision: 1,
          transcript: [{ role: "agent", content: "Hello, “Ada” 👋", start_ms: 0, end_ms: null }],
          setup: null,
          turns: [],
        }
        const platform = yield* (yield* AccountStore).platform
        const installation = {
          platform_id: "platform" as const,
          revision: (platform?.revision ?? 0) + 1,
          concurrency: 1000,
        }
        yield* put(
          organizationId,
          { put: "platform", row: installation },
          { put: "organization", row: organization },
          { put: "phone_number", row: number },
          { put: "api_key", row: key },
          { put: "agent", row: agent },
          { put: "call", row: call },
          { put: "call_media", row: media },
        )
        const accounts = yield* AccountStore
        const calls = yield* CallStore
        assert.deepStrictEqual(yield* accounts.platform, installation)
        assert.deepStrictEqual(yield* accounts.organization(organizationId), organization)
        assert.deepStrictEqual(yield* accounts.number(organizationId, number.phone_number), number)
        assert.deepStrictEqual(yield* (yield* KeyStore).findByHash(key.hash), key)
        assert.deepStrictEqual(yield* (yield* AgentStore).find(organizationId, agent.agent_id), agent)
        assert.deepStrictEqual(yield* calls.find(organizationId, call.execution_id), call)
        assert.deepStrictEqual(yield* calls.media(organizationId, call.execution_id), media)
      }),
    )

    it.effect("writes nothing of a commit of which one row has changed meanwhile, wherever it stands", () =>
      law(
        fc.record({ position: fc.nat(4), revision: fc.constantFrom(0, 1, 3, 7) }),
        Effect.fnUntraced(function* ({ position, revision }) {
          const store = yield* Store
          const organizationId = fresh("org_")
          const known = sampleCall(organizationId)
          yield* put(
            organizationId,
            { put: "organization", row: sampleOrganization(organizationId) },
            { put: "call", row: known },
          )
          const agent = sampleAgent(organizationId)
          const key = sampleKey(organizationId)
          const call = sampleCall(organizationId)
          const changes: Array<Change> = [
            { put: "agent", row: agent },
            { put: "api_key", row: key },
            { put: "call", row: call },
            { put: "debit", organization_id: organizationId, amount: 1 },
          ]
          changes.splice(position, 0, { put: "call", row: { ...known, revision, to_number: "+15555550199" } })
          const refusal = yield* refusalOf(
            store.commit(
              sampleCommit(organizationId, {
                changes,
                wakeups: [{ set: { kind: "call", subject: call.execution_id, at: sampleEpoch } }],
                audit: [sampleAudit(organizationId)],
              }),
            ),
          )
          assertConflict(refusal, "call", known.execution_id)
          const calls = yield* CallStore
          assert.deepStrictEqual(yield* calls.find(organizationId, known.execution_id), known)
          assert.isNull(yield* calls.find(organizationId, call.execution_id))
          assert.isNull(yield* (yield* AgentStore).find(organizationId, agent.agent_id))
          assert.isNull(yield* (yield* KeyStore).findByHash(key.hash))
          assert.strictEqual(yield* balanceOf(organizationId), 100)
          assert.strictEqual(yield* auditCount(organizationId), 0)
          assert.strictEqual(yield* dueOf(call.execution_id), 0)
        }),
        { numRuns: 20 },
      ),
    )

    it.effect("holds what a commit expects of rows that it does not change, 0 standing for none", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const agent = sampleAgent(organizationId)
        yield* put(organizationId, { put: "agent", row: agent })
        const expecting = (id: string, revision: number) =>
          refusalOf(
            store.commit(
              sampleCommit(organizationId, {
                expect: [{ kind: "agent", id, revision }],
                changes: [{ put: "call", row: sampleCall(organizationId) }],
              }),
            ),
          )
        assert.isNull(yield* expecting(agent.agent_id, 1))
        assertConflict(yield* expecting(agent.agent_id, 2), "agent", agent.agent_id)
        assertConflict(yield* expecting(agent.agent_id, 0), "agent", agent.agent_id)
        const absent = fresh("agt_")
        assert.isNull(yield* expecting(absent, 0))
        assertConflict(yield* expecting(absent, 1), "agent", absent)
        const { total } = yield* (yield* CallStore).page(organizationId, {}, { page: 1, page_size: 10 })
        assert.strictEqual(total, 2)
      }),
    )

    it.effect("lets nobody join a set unseen by who closes it, and those who join do not refuse one another", () =>
      law(
        fc.array(fc.constantFrom("joined", "joins", "closes"), { minLength: 1, maxLength: 12 }),
        Effect.fnUntraced(function* (comers) {
          const store = yield* Store
          const calls = yield* CallStore
          const organizationId = fresh("org_")
          const guard = batchesOf(fresh("cmp_"))
          const door = sampleAgent(organizationId)
          yield* put(organizationId, { put: "agent", row: door })
          const members = Effect.map(calls.page(organizationId, {}, { page: 1, page_size: 1 }), ({ total }) => total)
          const joining = Effect.suspend(() =>
            store.commit(
              sampleCommit(organizationId, {
                expect: [{ kind: "agent", id: door.agent_id, revision: 1 }],
                changes: [
                  { put: "guard", guard },
                  { put: "call", row: sampleCall(organizationId) },
                ],
              }),
            ),
          )
          const look = Effect.gen(function* () {
            const [version = 0] = yield* store.versions([guard])
            const seen = yield* members
            const row = { ...door, revision: 2, agent_name: String(seen) }
            const draft = { expect: [{ guard, version }], changes: [{ put: "agent" as const, row }] }
            return Effect.as(store.commit(sampleCommit(organizationId, draft)), seen)
          })
          // Some have looked, or have come, before the others come at once with those who close.
          const left: Array<Effect.Effect<number | null, Conflict | PortError>> = []
          for (const comer of comers) {
            const come = Effect.as(joining, null)
            if (comer === "closes") left.push(yield* look)
            else left.push(comer === "joins" ? come : Effect.succeed(yield* come))
          }
          const exits = yield* Effect.forEach(left, (one) => Effect.exit(one), { concurrency: "unbounded" })
          const closed = exits.flatMap((exit) => (Exit.isSuccess(exit) && exit.value !== null ? [exit.value] : []))
          const joined = exits.filter((exit) => Exit.isSuccess(exit) && exit.value === null).length
          const present = yield* members
          assert.isAtMost(closed.length, 1)
          // Who has closed the set has seen everyone in it; where nobody has, everyone came in.
          assert.strictEqual(present, closed[0] ?? joined)
          if (closed.length === 0) assert.strictEqual(joined, comers.filter((comer) => comer !== "closes").length)
        }),
        { numRuns: 30 },
      ),
    )

    it.effect("holds at which version a guard stands, 0 for one that was never raised", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const [guard, other] = [batchesOf(fresh("cmp_")), batchesOf(fresh("cmp_"))]
        const expecting = (version: number) =>
          refusalOf(store.commit(sampleCommit(organizationId, { expect: [{ guard, version }] })))
        assert.isNull(yield* expecting(0))
        assertConflict(yield* expecting(1), guard.set, guard.id)
        const raising = sampleCommit(organizationId, { changes: [{ put: "guard", guard }] })
        yield* Effect.all([store.commit(raising), store.commit(raising)], { concurrency: 2 })
        assert.deepStrictEqual(yield* store.versions([other, guard]), [0, 1])
        assert.isNull(yield* expecting(1))
        assertConflict(yield* expecting(0), guard.set, guard.id)
        // Who joins and closes at once expects the version before its own.
        const both = { expect: [{ guard, version: 1 }], changes: [{ put: "guard", guard }] } as const
        yield* store.commit(sampleCommit(organizationId, both))
        assertConflict(yield* refusalOf(store.commit(sampleCommit(organizationId, both))), guard.set, guard.id)
        assert.deepStrictEqual(yield* store.versions([guard]), [2])
      }),
    )

    it.effect("applies a commit that is sent again once, in a row and at once", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        yield* put(organizationId, { put: "organization", row: sampleOrganization(organizationId) })
        const call = sampleCall(organizationId)
        const commit = sampleCommit(organizationId, {
          changes: [
            { put: "call", row: call },
            { put: "debit", organization_id: organizationId, amount: 3 },
          ],
          audit: [sampleAudit(organizationId)],
        })
        yield* Effect.all([store.commit(commit), store.commit(commit), store.commit(commit)], { concurrency: 3 })
        yield* put(organizationId, { put: "call", row: { ...call, revision: 2 } })
        yield* store.commit(commit)
        assert.strictEqual(yield* balanceOf(organizationId), 97)
        assert.strictEqual(yield* auditCount(organizationId), 1)
        assert.strictEqual((yield* (yield* CallStore).locate(call.execution_id))?.revision, 2)
      }),
    )

    it.effect("lets every one of many writers change one row, each after the one before", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const calls = yield* CallStore
        const organizationId = fresh("org_")
        const call = sampleCall(organizationId)
        yield* put(organizationId, { put: "call", row: call })
        const writers = 12
        const increment = Effect.gen(function* () {
          const row = yield* calls.find(organizationId, call.execution_id)
          assert(row !== null)
          yield* Effect.yieldNow
          const next = { ...row, revision: row.revision + 1, retry_count: row.retry_count + 1 }
          yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "call", row: next }] }))
        }).pipe(Effect.retry({ times: 10 * writers, while: (error) => error._tag === "Conflict" }))
        yield* Effect.all(
          Array.from({ length: writers }, () => increment),
          { concurrency: writers },
        )
        const row = yield* calls.find(organizationId, call.execution_id)
        assert.deepInclude(row, { revision: writers + 1, retry_count: writers })
      }),
    )

    it.effect("adds up debits that come at once, and no put of an organization that was read before swallows one", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const organization = sampleOrganization(organizationId)
        yield* put(organizationId, { put: "organization", row: organization })
        const debits = Array.from({ length: 20 }, (_, n) =>
          put(
            organizationId,
            { put: "call", row: sampleCall(organizationId) },
            { put: "debit", organization_id: organizationId, amount: (n + 1) / 4 },
          ),
        )
        yield* Effect.all(debits, { concurrency: 20 })
        assert.strictEqual(yield* balanceOf(organizationId), 47.5)
        const account = { kind: "organization", id: organizationId } as const
        yield* store.commit(
          sampleCommit(organizationId, {
            expect: [{ ...account, revision: 1 }],
            changes: [{ put: "organization", row: { ...organization, revision: 2, name: "Another" } }],
          }),
        )
        const renamed = (yield* store.rows([account])).of(account)
        assert.deepInclude(renamed, { revision: 2, name: "Another", wallet: { balance: 47.5, currency: "USD" } })
      }),
    )

    it.effect("sets a balance from what it was when it was read, and to the last digit where nothing was charged", () =>
      Effect.gen(function* () {
        const organizationId = fresh("org_")
        const debit = (amount: number): Change => ({ put: "debit", organization_id: organizationId, amount })
        const set = (from: number, to: number): Change => ({
          put: "balance",
          organization_id: organizationId,
          from,
          to,
        })
        yield* put(organizationId, { put: "organization", row: sampleOrganization(organizationId) })
        yield* put(organizationId, debit(0.13))
        assert.strictEqual(yield* balanceOf(organizationId), 99.87)
        yield* put(organizationId, set(99.87, 25.1))
        assert.strictEqual(yield* balanceOf(organizationId), 25.1)
        yield* put(organizationId, debit(5))
        // Who sets it has read it before that.
        yield* put(organizationId, set(25.1, 200))
        assert.strictEqual(yield* balanceOf(organizationId), 195)
      }),
    )

    it.effect("sets and clears wake-ups in the commit itself", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const call = sampleCall(organizationId)
        const subject = call.execution_id
        const wakeup = { set: { kind: "call" as const, subject, at: sampleEpoch } }
        yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "call", row: call }], wakeups: [wakeup] }))
        assert.strictEqual(yield* dueOf(subject), 1)
        yield* store.commit(sampleCommit(organizationId, { wakeups: [wakeup] }))
        yield* store.commit(sampleCommit(organizationId, { wakeups: [{ clear: { kind: "call", subject } }] }))
        assert.strictEqual(yield* dueOf(subject), 0)
      }),
    )

    it.effect("admits exactly as many as the levels leave room for, however many come at once", () =>
      law(
        fc.record({
          organization: fc.integer({ min: 0, max: 6 }),
          agent: fc.option(fc.integer({ min: 0, max: 4 })),
          held: fc.nat(3),
          dials: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 12 }),
        }),
        Effect.fnUntraced(function* ({ organization, agent, held, dials }) {
          const store = yield* Store
          const organizationId = fresh("org_")
          const demands = (agentId: string): ReadonlyArray<SlotDemand> => [
            { level: "platform", key: "platform", ceiling: null },
            { level: "organization", key: organizationId, ceiling: organization },
            { level: "agent", key: agentId, ceiling: agent },
          ]
          const agentOf = (name: string) => `agt_${name}_${organizationId}`
          const standing = Array.from({ length: held }, () => dialled(organizationId, { agent_id: agentOf("a") }))
          yield* put(organizationId, ...standing.map((row) => ({ put: "call" as const, row })))
          const exits = yield* Effect.all(
            dials.map((name) => {
              const row = dialled(organizationId, { agent_id: agentOf(name) })
              const commit = sampleCommit(organizationId, { changes: [{ put: "call", row }] })
              return Effect.exit(store.admit(commit, demands(row.agent_id)))
            }),
            { concurrency: dials.length },
          )
          const calls = yield* CallStore
          const [all = 0, a = 0, b = 0] = yield* calls.holding([
            { level: "organization", key: organizationId, ceiling: null },
            { level: "agent", key: agentOf("a"), ceiling: null },
            { level: "agent", key: agentOf("b"), ceiling: null },
          ])
          const admitted = exits.filter(Exit.isSuccess).length
          assert.strictEqual(all, held + admitted)
          assert.strictEqual(a + b, all)
          assert.isAtMost(all, Math.max(organization, held))
          if (agent !== null) assert.isAtMost(a, Math.max(agent, held))
          if (agent !== null) assert.isAtMost(b, agent)
          // Nobody was turned away from a line that is still free.
          for (const name of new Set(dials.filter((_, n) => Exit.isFailure(exits[n]!)))) {
            const used = name === "a" ? a : b
            assert(all >= organization || (agent !== null && used >= agent), `refused ${name} at ${used} of ${agent}`)
          }
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("admits one of calls of a lane to a number while it holds a line, however many come at once", () =>
      law(
        fc.record({
          isHeld: fc.boolean(),
          dials: fc.array(fc.record({ lane: fc.nat(1), number: fc.nat(1) }), { minLength: 1, maxLength: 12 }),
        }),
        Effect.fnUntraced(function* ({ isHeld, dials }) {
          const store = yield* Store
          const calls = yield* CallStore
          const organizationId = fresh("org_")
          const lanes = [fresh("cmp_"), fresh("cmp_")]
          const rowOf = (lane: number, number: number) =>
            dialled(organizationId, { campaign_id: lanes[lane] ?? "", to_number: `+1555555012${number}` })
          const ahead = rowOf(0, 0)
          yield* put(organizationId, { put: "call", row: ahead })
          if (!isHeld) {
            const over: Call = { ...ahead, revision: 2, status: "completed", final_report_at: sampleEpoch }
            yield* put(organizationId, { put: "call", row: over })
          }
          const levels: ReadonlyArray<SlotDemand> = [{ level: "organization", key: organizationId, ceiling: null }]
          const admitted = yield* Effect.forEach(
            dials,
            ({ lane, number }) => {
              const row = rowOf(lane, number)
              const free = { lane_id: row.campaign_id ?? "", to_number: row.to_number }
              const commit = sampleCommit(organizationId, { expect: [{ free }], changes: [{ put: "call", row }] })
              return Effect.map(refusalOf(store.admit(commit, levels)), (refusal) => {
                if (refusal === null) return [row]
                assert.deepInclude(refusal, numberTaken(free))
                return []
              })
            },
            { concurrency: "unbounded" },
          )
          const rows = [...(isHeld ? [ahead] : []), ...admitted.flat()]
          for (const { lane, number } of dials) {
            const { campaign_id, to_number } = rowOf(lane, number)
            const own = rows.filter((row) => row.campaign_id === campaign_id && row.to_number === to_number)
            assert.strictEqual(own.length, 1)
            assert.deepStrictEqual(yield* calls.onNumber(campaign_id ?? "", to_number), own[0])
          }
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("names the first full level of an admission and writes nothing of it", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const organizationId = fresh("org_")
        const agentId = fresh("agt_")
        const levels = (organization: number, agent: number): ReadonlyArray<SlotDemand> => [
          { level: "platform", key: "platform", ceiling: null },
          { level: "organization", key: organizationId, ceiling: organization },
          { level: "agent", key: agentId, ceiling: agent },
        ]
        const admitting = (row: Call): Commit =>
          sampleCommit(organizationId, {
            changes: [{ put: "call", row }],
            wakeups: [{ set: { kind: "call", subject: row.execution_id, at: sampleEpoch } }],
            audit: [sampleAudit(organizationId)],
          })
        const first = admitting(dialled(organizationId, { agent_id: agentId }))
        yield* store.admit(first, levels(2, 1))
        const second = dialled(organizationId, { agent_id: agentId })
        const byAgent = yield* refusalOf(store.admit(admitting(second), levels(2, 1)))
        assert.deepInclude(byAgent, { _tag: "AdmissionRefused", level: "agent", used: 1, max: 1 })
        const byOrganization = yield* refusalOf(store.admit(admitting(second), levels(0, 1)))
        assert.deepInclude(byOrganization, { _tag: "AdmissionRefused", level: "organization", used: 1, max: 0 })
        assert.isNull(yield* (yield* CallStore).locate(second.execution_id))
        assert.strictEqual(yield* dueOf(second.execution_id), 0)
        assert.strictEqual(yield* auditCount(organizationId), 1)
        // What was admitted stays admitted when it is sent again, full or not.
        yield* store.admit(first, levels(0, 0))
        assert.strictEqual(yield* auditCount(organizationId), 1)
      }),
    )
  })
