import {
  type Call,
  CallStore,
  directDial,
  DomainClock,
  Gate,
  newCall,
  Reconciler,
  type SlotAnswer,
  SlotLevels,
  type SlotLevel,
  SlotNews,
  SlotStore,
} from "@carillon/core"
import { RedisConnection, RedisSlots } from "@carillon/redis"
import { Context, Effect, Layer, Scope } from "effect"
import { Proxy } from "../../../scripts/servers/Proxy.ts"
import type { RedisProcess } from "./RedisServer.ts"

/** A dial's levels, and their ceilings. */
export type Demands = ReadonlyArray<{ readonly level: SlotLevel; readonly key: string; readonly ceiling: number }>

export const ceilings: Readonly<Record<SlotLevel, number>> = { platform: 6, organization: 4, agent: 3, campaign: 2 }

export const demandsOf = (nth: number): Demands => {
  const organization = nth % 2
  const keys: Readonly<Record<SlotLevel, string>> = {
    platform: "platform",
    organization: `org_${organization}`,
    agent: `agt_${organization}_${nth % 3}`,
    campaign: `cmp_${organization}`,
  }
  return SlotLevels.slotLevels
    .filter((level) => level !== "campaign" || nth % 5 === 0)
    .map((level) => ({ level, key: keys[level], ceiling: ceilings[level] }))
}

/** What is committed and what the carrier sees: the truth that every process shares and no fault touches. */
export class Truth {
  readonly #rows = new Map<string, Call>()
  readonly #live = new Map<string, number>()
  /** What should never be: more legs than a ceiling allows. */
  readonly overAdmissions: Array<string> = []
  dialled = 0
  /** Domain time: real, and wound on at the end. */
  aheadMs = 0

  readonly now = () => Date.now() + this.aheadMs

  commit(executionId: string, demands: Demands, fence: number): void {
    const request = { agent_id: "agt", to_number: "+15555550100", from_number: null, variables: {}, metadata: {} }
    const organization = demands.find(({ level }) => level === "organization")?.key ?? ""
    const placed = { ...request, scheduled_at: null, record: false, timeout_seconds: 30 }
    this.#rows.set(executionId, {
      ...newCall(organization, executionId, placed, directDial, this.now()),
      slot: { member: executionId, fence, levels: demands },
    })
  }

  end(executionId: string): void {
    this.#rows.delete(executionId)
  }

  /** A leg that the carrier carries until the scope closes. */
  dial(demands: Demands) {
    const count = ({ level, key, ceiling }: Demands[number], by: number) => {
      const line = `${level} ${key}`
      const live = (this.#live.get(line) ?? 0) + by
      this.#live.set(line, live)
      if (live > ceiling) this.overAdmissions.push(`${line}: ${live} of ${ceiling}`)
    }
    return Effect.acquireRelease(
      Effect.sync(() => {
        this.dialled += 1
        for (const demand of demands) count(demand, 1)
      }),
      () => Effect.sync(() => demands.forEach((demand) => count(demand, -1))),
    )
  }

  /** A page of rows is as old as its way is long. */
  readonly calls = Layer.mock(CallStore)({
    locate: (executionId) => Effect.sync(() => this.#rows.get(executionId) ?? null),
    holders: (after, limit) =>
      Effect.suspend(() => {
        const rows = [...this.#rows.values()]
          .filter(({ execution_id }) => after === null || execution_id > after)
          .toSorted((a, b) => (a.execution_id < b.execution_id ? -1 : 1))
        return Effect.delay(Effect.succeed(rows.slice(0, limit)), 5)
      }),
  })
}

/** One process: its own line to Redis, its own store on it, its own reconciler. */
export interface Process {
  readonly proxy: Proxy
  readonly slots: SlotStore["Service"]
  readonly reconcile: Effect.Effect<void, unknown>
  /** The dials that it was told of. */
  readonly told: Set<string>
  dialled: number
}

const reconciling = Reconciler.layer.pipe(
  Layer.provide(
    Layer.effect(
      Gate,
      Effect.map(SlotStore, (slots) => {
        const gate: Partial<Gate["Service"]> = {
          granted: () => undefined,
          reconciled: () => Effect.void,
          resend: Effect.void,
          release: (_, executionId, fence) => Effect.ignore(slots.release(executionId, fence ?? 0, Date.now())),
        }
        return gate as Gate["Service"]
      }),
    ),
  ),
)

export const openProcess = Effect.fnUntraced(function* (
  server: RedisProcess,
  truth: Truth,
  answerMs?: number,
): Effect.fn.Return<Process, never, Scope.Scope> {
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => Proxy.open(server.port)),
    (opened) => Effect.promise(() => opened.close()),
  )
  const services = yield* Layer.build(
    reconciling.pipe(
      Layer.provideMerge(RedisSlots.layer),
      Layer.provide(RedisConnection.layer({ url: proxy.url, ...(answerMs === undefined ? {} : { answerMs }) })),
      Layer.provide(truth.calls),
      Layer.provide(Layer.succeed(DomainClock, { now: truth.now })),
    ),
  )
  const told = new Set<string>()
  Context.get(services, SlotNews).subscribe((ids) => ids.forEach((id) => told.add(id)))
  return {
    proxy,
    slots: Context.get(services, SlotStore),
    reconcile: Context.get(services, Reconciler).tick,
    told,
    dialled: 0,
  }
})

/** How long a reservation lasts: short, so that what was lost comes back while the test runs. */
export const reservationMs = 400

export const acquire = (
  { slots }: Process,
  truth: Truth,
  executionId: string,
  demands: Demands,
  waitMs: number | null = null,
): Effect.Effect<SlotAnswer, unknown> =>
  Effect.suspend(() => {
    const now = truth.now()
    return slots.acquire({
      execution_id: executionId,
      organization_id: demands.find(({ level }) => level === "organization")?.key ?? "",
      levels: demands,
      now,
      reservedUntil: now + (waitMs ?? 0) + reservationMs,
      waitUntil: waitMs === null ? null : now + waitMs,
    })
  })
