import { assert, describe, it } from "@effect/vitest"
import type { ApiKey } from "@carillon/core"
import { MemorySlots } from "@carillon/core/memory"
import { TestWorld } from "@carillon/core/testing"
import { Context, Deferred, Effect, Layer } from "effect"
import { Dispatcher } from "../src/Dispatcher.ts"
import type { EdgeResponse } from "../src/Edge.ts"
import { keyRow, keyText, type Sent, toEdge } from "./World.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const { agentId, organizationId } = TestWorld

/** What is sent, and how many resources of it there may be. */
interface Keyed {
  readonly sent: Pick<Sent, "target" | "body" | "bytes" | "headers">
  /** The field of the answer that names what was made. */
  readonly names: "execution_id" | "campaign_id" | "batch_id"
}

const to_number = "+15555553310"

const boundary = "part"

const upload = Buffer.from(
  [
    `--${boundary}\r\nContent-Disposition: form-data; name="agent_id"\r\n\r\n${agentId}\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="list.csv"\r\n\r\nto_number\n${to_number}\n\r\n`,
    `--${boundary}--\r\n`,
  ].join(""),
)

const requests = {
  "a call that is dialled at once": {
    sent: { target: "/v2/calls", body: { agent_id: agentId, to_number } },
    names: "execution_id",
  },
  "a call that is booked": {
    sent: {
      target: "/v2/calls",
      body: { agent_id: agentId, to_number, scheduled_at: new Date(TestWorld.epoch + 3_600_000).toISOString() },
    },
    names: "execution_id",
  },
  "a campaign with contacts": {
    sent: { target: "/v2/campaigns", body: { name: "Spring", agent_id: agentId, contacts: [{ to_number }] } },
    names: "campaign_id",
  },
  "a batch": {
    sent: { target: "/v2/batches", body: { agent_id: agentId, contacts: [{ to_number }] } },
    names: "batch_id",
  },
  "a batch that is uploaded": {
    sent: {
      target: "/v2/batches/upload",
      bytes: upload,
      headers: { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": String(upload.length) },
    },
    names: "batch_id",
  },
} as const satisfies Readonly<Record<string, Keyed>>

const text = keyText(7)

const furniture: Partial<ApiKey> = { organization_id: organizationId }

/** What befalls a process at a use of a port: it dies before it, or when it was done and nobody has heard so, or it stands still until it is let go on. */
type Fate = "dies before" | "dies after" | "stands still before"

/** So many turns of the scheduler are enough for what runs in no time. */
const untilStill: Effect.Effect<void> = Effect.forEach(Array.from({ length: 400 }), () => Effect.yieldNow, {
  discard: true,
})

/** A world in which processes meet their fate at the n-th use of a port after each was armed. */
const mortal = (nth: number, fate: Fate) => {
  let count = 0
  let isArmed = false
  const gate = Deferred.makeUnsafe<void>()
  const world: TestWorld.World = new TestWorld.World({
    slots: new MemorySlots.SlotTable(),
    script: () => TestWorld.ordinary,
    rows: [{ put: "api_key", row: keyRow(text, furniture) }],
    interpose: (_operation, effect) =>
      Effect.suspend(() => {
        if (!isArmed || count++ !== nth) return effect
        isArmed = false
        if (fate === "stands still before") return Effect.andThen(Deferred.await(gate), effect)
        const dying = Effect.andThen(
          Effect.sync(() => world.kill()),
          Effect.never,
        )
        return fate === "dies after" ? Effect.andThen(effect, dying) : dying
      }),
  })
  return {
    world,
    arm: () => {
      count = 0
      isArmed = true
    },
    /** Whether no process has met its fate. */
    isSpared: () => isArmed,
    /** A process that stood still goes on. */
    goOn: Effect.andThen(Deferred.succeed(gate, undefined), untilStill),
  }
}

/** Starts an engine and whoever answers requests on it. */
const started = Effect.fnUntraced(function* (world: TestWorld.World) {
  yield* world.start()
  const { dispatch } = Context.get(
    yield* world.run(Layer.buildWithScope(Dispatcher.layer, yield* Effect.scope)),
    Dispatcher,
  )
  return Effect.fnUntraced(function* ({ sent }: Keyed) {
    const headers = { ...sent.headers, "idempotency-key": "k" }
    const answering = yield* world.admit(dispatch(toEdge({ method: "POST", key: text, ...sent, headers })))
    yield* untilStill
    const exit = answering.pollUnsafe()
    return exit === undefined ? null : yield* Effect.flatten(exit)
  })
})

type Send = Effect.Success<ReturnType<typeof started>>

/** Sends a request again, as its answers say when, until it is answered otherwise, or the process is dead. */
const sentUntilAnswered = Effect.fnUntraced(function* (world: TestWorld.World, send: Send, keyed: Keyed) {
  const until = world.now + 2 * minute
  for (;;) {
    const answer = yield* send(keyed)
    if (world.isDown) return null
    if (answer !== null && answer.status !== 409) return answer
    assert.isBelow(world.now, until, "a retry is answered at last")
    // Its time is to be true; whoever is told to come back in a second may do so a little later.
    const seconds = Math.max(5, Number(answer?.headers["Retry-After"] ?? 0))
    yield* world.advance(seconds * second)
  }
})

const madeBy = (world: TestWorld.World, { names }: Keyed): ReadonlyArray<string> => {
  const page = { page: 1, page_size: 100 }
  switch (names) {
    case "execution_id":
      return world.calls().map(({ execution_id }) => execution_id)
    case "campaign_id":
      return world.tables.campaigns.page(organizationId, [], page).items.map(({ campaign_id }) => campaign_id)
    case "batch_id":
      return world.tables.batches.page(organizationId, {}, page).items.map(({ batch_id }) => batch_id)
  }
}

/** Has so many processes meet their fate one after the other, each at its n-th use of a port. Returns whether the first of them did. */
const trial = Effect.fnUntraced(function* (keyed: Keyed, fate: Fate, nth: number, processes: number) {
  const where = `${fate} use ${nth}`
  const { arm, goOn, isSpared, world } = mortal(nth, fate)
  const first = yield* started(world)
  arm()
  yield* first(keyed)
  if (isSpared()) return false
  let answer: EdgeResponse | null = null
  for (let more = processes - 1; answer === null; more--) {
    const again = yield* started(world)
    if (more > 0) arm()
    answer = yield* sentUntilAnswered(world, again, keyed)
  }
  assert.include([201, 202], answer.status, `${where}: ${answer.body}`)
  const body: Readonly<Record<string, string>> = JSON.parse(answer.body ?? "{}")
  const made = [body[keyed.names] ?? ""]
  yield* goOn
  assert.deepStrictEqual(madeBy(world, keyed), made, where)
  yield* world.advance(2 * hour)
  assert.deepStrictEqual(madeBy(world, keyed), made, where)
  assert.isAtMost(world.dials.length, 1, where)
  const repeated = yield* (yield* started(world))(keyed)
  assert.strictEqual(repeated?.headers["Idempotent-Replayed"], "true", where)
  assert.strictEqual(repeated?.body, answer.body, where)
  return true
}, Effect.scoped)

/** Tries each use of a port of a request; returns how many there were. */
const everywhere = Effect.fnUntraced(function* (keyed: Keyed, fate: Fate, processes: number = 1) {
  let nth = 0
  while (yield* trial(keyed, fate, nth, processes)) nth += 1
  return nth
})

describe("a request with an Idempotency-Key whose process is gone", () => {
  for (const [name, keyed] of Object.entries(requests)) {
    for (const fate of ["dies before", "dies after", "stands still before"] as const) {
      it.effect(`is answered when it comes again, and done once: ${name}; its process ${fate} any use of a port`, () =>
        Effect.gen(function* () {
          assert.isAbove(yield* everywhere(keyed, fate), 7)
        }),
      )
    }
  }

  it.effect("is so where the next process dies as well", () =>
    Effect.gen(function* () {
      for (const name of ["a call that is dialled at once", "a batch"] as const) {
        assert.isAbove(yield* everywhere(requests[name], "dies after", 2), 7)
      }
    }),
  )
})
