import { type Call, Gate, Reconciler } from "@carillon/core"
import { directDial, newCall, SlotLevels } from "@carillon/core/domain"
import { CallStore, DomainClock, type SlotAnswer, type SlotLevel, SlotNews, SlotStore } from "@carillon/core/ports"
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

/** How a call came by its line: when it asked, when its reservation ends, and when it was told that it holds the line. */
export interface Tenure {
  readonly askedAt: number
  readonly until: number
  heldAt: number | null
}

interface Committed {
  readonly call: Call
  readonly demands: Demands
  readonly tenure: Tenure
}

const lineOf = ({ key, level }: Demands[number]): string => `${level} ${key}`

/** What is committed and what the carrier sees: the truth that every process shares and no fault touches. */
export class Truth {
  readonly #rows = new Map<string, Committed>()
  readonly #strikes: Array<{ readonly began: number; ended: number }> = []
  readonly #live = new Map<string, number>()
  /** What should never be: more legs than a ceiling allows. */
  readonly overAdmissions: Array<string> = []
  dialled = 0
  /** Domain time: real, and wound on at the end. */
  aheadMs = 0

  readonly now = () => Date.now() + this.aheadMs

  /** A fault, from its begin to its end. */
  readonly strike = <A, E, R>(fault: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const strike = { began: this.now(), ended: Infinity }
      this.#strikes.push(strike)
      return Effect.ensuring(
        fault,
        Effect.sync(() => {
          strike.ended = this.now()
        }),
      )
    })

  /** Whether its line was its own from the question until it was held, or until now: no fault came between, and the reservation lasted. */
  #isUndisturbed({ askedAt, heldAt, until }: Tenure): boolean {
    const to = heldAt ?? this.now()
    return to < until && this.#strikes.every(({ began, ended }) => to < began || ended < askedAt)
  }

  /**
   * Commits a call while the committed calls leave room, as the engine does: a reservation alone proves nothing after a fault. Where none of those
   * who share the line was disturbed by one, the gate has given a line too many.
   */
  commit(executionId: string, demands: Demands, fence: number, tenure: Tenure): boolean {
    for (const demand of demands) {
      const others = [...this.#rows.values()].filter((row) => row.demands.some((one) => lineOf(one) === lineOf(demand)))
      if (others.length < demand.ceiling) continue
      const isCalm = [tenure, ...others.map((row) => row.tenure)].every((one) => this.#isUndisturbed(one))
      if (isCalm) this.overAdmissions.push(`${lineOf(demand)}: ${others.length + 1} of ${demand.ceiling} were given`)
      return false
    }
    const request = { agent_id: "agt", to_number: "+15555550100", from_number: null, variables: {}, metadata: {} }
    const organization = demands.find(({ level }) => level === "organization")?.key ?? ""
    const placed = { ...request, scheduled_at: null, record: false, timeout_seconds: 30 }
    const call: Call = {
      ...newCall(organization, executionId, placed, directDial, this.now()),
      // As the engine commits it before it dials: a call that is not meant to be dialled holds no line.
      dial: "intended",
      slot: { member: executionId, fence, levels: demands },
    }
    this.#rows.set(executionId, { call, demands, tenure })
    return true
  }

  end(executionId: string): void {
    this.#rows.delete(executionId)
  }

  /** A leg that the carrier carries until the scope closes. */
  dial(demands: Demands) {
    const count = (demand: Demands[number], by: number) => {
      const line = lineOf(demand)
      const live = (this.#live.get(line) ?? 0) + by
      this.#live.set(line, live)
      if (live > demand.ceiling) this.overAdmissions.push(`${line}: ${live} of ${demand.ceiling}`)
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
    locate: (executionId) => Effect.sync(() => this.#rows.get(executionId)?.call ?? null),
    holders: (after, limit) =>
      Effect.suspend(() => {
        const rows = [...this.#rows.values()]
          .map(({ call }) => call)
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
