import { Clock, Duration, Effect, Layer, Predicate, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClientError } from "effect/http"
import { CarillonClient, type EffectClient, IdempotencyKey } from "../src/effect.ts"
import { createClient } from "../src/promise.ts"
import type { Flaky } from "./Flaky.ts"

/** What came of something: an answer, or the code or the name of what was thrown. */
export type Came = { readonly ok: unknown } | { readonly failed: number | string }

/** A client of a flaky service, whichever dress it wears. */
export interface Dress {
  /** A read. */
  readonly me: () => Promise<Came>
  /** A write that honours `Idempotency-Key`. */
  readonly place: (to_number: string, idempotencyKey?: string) => Promise<Came>
  /** A write that does not. */
  readonly create: (display_name: string) => Promise<Came>
  readonly read: (execution_id: string) => Promise<Came>
  readonly removeCampaign: (campaign_id: string) => Promise<Came>
  /** Names of all agents, two to a page, and no further than so many. */
  readonly names: (atMost: number) => Promise<Came>
  readonly callEnd: (execution_id: string, atMostMs: number) => Promise<Came>
  /** What it waited, in milliseconds. */
  readonly waits: Array<number>
}

export interface DressOptions {
  readonly retries?: number
  readonly timeoutMs?: number
  readonly longestWaitMs?: number
  /** Done for every wait. */
  readonly onWait?: (ms: number) => Promise<unknown>
}

const inProcess = "http://carillon.test/"

export const inPromises = (flaky: Flaky, url: string | null, options: DressOptions = {}): Dress => {
  const { agent_id, key } = flaky.simulator.info
  const waits: Array<number> = []
  const { onWait, ...rest } = options
  const client = createClient({
    ...rest,
    baseUrl: url ?? inProcess,
    key,
    ...(url === null ? { fetch: flaky.fetch } : {}),
    sleep: async (ms) => {
      waits.push(ms)
      await onWait?.(ms)
    },
  })
  const came = async (asked: Promise<unknown>): Promise<Came> => {
    try {
      return { ok: await asked }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return { failed: "code" in error && typeof error.code === "number" ? error.code : error.name }
    }
  }
  return {
    waits,
    me: () => came(client.identity.me()),
    place: (to_number, idempotencyKey) =>
      came(
        client.calls.place(
          { payload: { agent_id, to_number } },
          idempotencyKey === undefined ? {} : { idempotencyKey },
        ),
      ),
    create: (display_name) => came(client.agents.create({ payload: { display_name } })),
    read: (execution_id) => came(client.calls.get({ params: { execution_id } })),
    removeCampaign: (campaign_id) => came(client.campaigns.remove({ params: { campaign_id } })),
    names: (atMost) =>
      came(
        (async () => {
          const names: Array<string> = []
          for await (const { display_name } of client.agents.list({ query: { page_size: 2 } })) {
            names.push(display_name)
            if (names.length === atMost) break
          }
          return names
        })(),
      ),
    callEnd: (execution_id, atMostMs) => came(client.callEnd(execution_id, { atMostMs })),
  }
}

/** The limit of an attempt in these tests, unless they say another: it is never reached. */
const neverMs = 3_600_000

/** A clock whose sleeps are over at once, but for the limits of attempts. */
const clockOf = (waits: Array<number>, { onWait, timeoutMs }: DressOptions): Clock.Clock => {
  const now = () => Date.now()
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: (duration) => {
      const ms = Duration.toMillis(duration)
      if (ms === neverMs) return Effect.never
      if (ms === timeoutMs) return Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))
      return Effect.promise(async () => {
        waits.push(ms)
        await onWait?.(ms)
      })
    },
  }
}

export const inEffect = (flaky: Flaky, url: string | null, options: DressOptions = {}): Dress => {
  const { agent_id, key } = flaky.simulator.info
  const waits: Array<number> = []
  const { longestWaitMs, retries, timeoutMs } = options
  const send: typeof globalThis.fetch = (input, init) => flaky.fetch(new Request(input, init))
  const layer = CarillonClient.layer({
    baseUrl: url ?? inProcess,
    key: Redacted.make(key),
    timeout: timeoutMs ?? neverMs,
    ...(retries === undefined ? {} : { retries }),
    ...(longestWaitMs === undefined ? {} : { longestWait: longestWaitMs }),
  }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(url === null ? Layer.succeed(FetchHttpClient.Fetch, send) : Layer.empty),
  )
  const came = <A, E>(asked: (client: EffectClient) => Effect.Effect<A, E>): Promise<Came> =>
    Effect.flatMap(CarillonClient, asked).pipe(
      Effect.match({
        onSuccess: (ok): Came => ({ ok }),
        onFailure: (error): Came => {
          if (!Predicate.hasProperty(error, "_tag")) throw error
          if (error instanceof HttpClientError.HttpClientError) {
            return { failed: error.reason._tag === "TransportError" ? "NoAnswer" : "UnexpectedAnswer" }
          }
          return { failed: Predicate.hasProperty(error, "error") ? Number(error.error) : String(error._tag) }
        },
      }),
      Effect.provideService(Clock.Clock, clockOf(waits, options)),
      Effect.provide(layer),
      Effect.runPromise,
    )
  return {
    waits,
    me: () => came((client) => client.identity.me()),
    place: (to_number, idempotencyKey) =>
      came((client) =>
        Effect.provideService(
          client.calls.place({ payload: { agent_id, to_number } }),
          IdempotencyKey,
          idempotencyKey ?? null,
        ),
      ),
    create: (display_name) => came((client) => client.agents.create({ payload: { display_name } })),
    read: (execution_id) => came((client) => client.calls.get({ params: { execution_id } })),
    removeCampaign: (campaign_id) => came((client) => client.campaigns.remove({ params: { campaign_id } })),
    names: (atMost) =>
      came((client) =>
        client.agents.list.stream({ query: { page_size: 2 } }).pipe(
          Stream.take(atMost),
          Stream.map(({ display_name }) => display_name),
          Stream.runCollect,
        ),
      ),
    callEnd: (execution_id, atMost) => came((client) => client.callEnd(execution_id, { atMost })),
  }
}
