import { assert, describe, it } from "@effect/vitest"
import type { ApiKey } from "@carillon/core"
import { MemorySlots } from "@carillon/core/memory"
import { TestWorld } from "@carillon/core/testing"
import { Context, Effect, Layer } from "effect"
import { Dispatcher } from "../src/Dispatcher.ts"
import { keyRow, keyText, type Sent, toEdge } from "./World.ts"

const second = 1_000
const minute = 60 * second

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

const requests: Readonly<Record<string, Keyed>> = {
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
}

const text = keyText(7)

const furniture: Partial<ApiKey> = { organization_id: organizationId }

/** A world in which the process dies at the n-th use of a port after it was armed: before it, or when it was done and nobody has heard so. */
const mortal = (nth: number, isDone: boolean, script: (typeof TestWorld)["ordinary"] = TestWorld.ordinary) => {
  let count = 0
  let isArmed = false
  const world: TestWorld.World = new TestWorld.World({
    slots: new MemorySlots.SlotTable(),
    script: () => script,
    rows: [{ put: "api_key", row: keyRow(text, furniture) }],
    interpose: (_operation, effect) =>
      Effect.suspend(() => {
        if (!isArmed || count++ !== nth) return effect
        const dying = Effect.andThen(
          Effect.sync(() => world.kill()),
          Effect.never,
        )
        return isDone ? Effect.andThen(effect, dying) : dying
      }),
  })
  return {
    world,
    arm: (armed: boolean) => void (isArmed = armed),
    count: () => count,
  }
}

/** Starts an engine and whoever answers requests on it. */
const started = Effect.fnUntraced(function* (world: TestWorld.World) {
  yield* world.start()
  const { dispatch } = Context.get(yield* world.run(Layer.build(Dispatcher.layer)), Dispatcher)
  return Effect.fnUntraced(function* ({ sent }: Keyed) {
    const headers = { ...sent.headers, "idempotency-key": "k" }
    const answering = yield* world.admit(dispatch(toEdge({ method: "POST", key: text, ...sent, headers })))
    yield* world.advance(0)
    const exit = answering.pollUnsafe()
    return exit === undefined ? null : yield* Effect.flatten(exit)
  })
})

/** Sends a request again, as its answers say when, until it is answered otherwise. Returns the answer. */
const sentUntilAnswered = Effect.fnUntraced(function* (
  world: TestWorld.World,
  send: Effect.Success<ReturnType<typeof started>>,
  keyed: Keyed,
) {
  const until = world.now + 2 * minute
  for (;;) {
    const answer = yield* send(keyed)
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

/** Has the process die at each use of a port while it serves a request. Returns how often there was an answer after a death. */
const everyDeath = Effect.fnUntraced(function* (keyed: Keyed, isDone: boolean) {
  let deaths = 0
  let uses = 1
  for (let nth = 0; nth < uses; nth++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const where = `dead ${isDone ? "after" : "before"} use ${nth}`
        const { arm, count, world } = mortal(nth, isDone)
        const first = yield* started(world)
        arm(true)
        yield* first(keyed)
        arm(false)
        // One that died may have had more to do: the last one lives.
        uses = Math.max(uses, world.isDown ? nth + 2 : count())
        if (!world.isDown) return
        deaths += 1
        const again = yield* started(world)
        const answer = yield* sentUntilAnswered(world, again, keyed)
        assert.include([201, 202], answer.status, `${where}: ${answer.body}`)
        const body: Readonly<Record<string, unknown>> = JSON.parse(answer.body ?? "{}")
        assert.deepStrictEqual(madeBy(world, keyed), [body[keyed.names]], where)
        yield* world.advance(10 * minute)
        assert.isAtMost(world.dials.length, 1, where)
        const repeated = yield* again(keyed)
        assert.deepStrictEqual(repeated?.headers["Idempotent-Replayed"], "true", where)
        assert.strictEqual(repeated?.body, answer.body, where)
      }),
    )
  }
  return deaths
})

describe("a request with an Idempotency-Key whose process dies", () => {
  for (const [name, keyed] of Object.entries(requests)) {
    for (const isDone of [false, true]) {
      it.effect(`is answered when it comes again, once made: ${name}, ${isDone ? "after" : "before"} each use of a port`, () =>
        Effect.gen(function* () {
          assert.isAbove(yield* everyDeath(keyed, isDone), 3)
        }),
      )
    }
  }
})
