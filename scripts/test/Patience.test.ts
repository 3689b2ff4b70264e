import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { comesAbout, whileMoving } from "../patience.ts"

const stillMs = 200
const rows = Effect.succeed([{ campaign: "cmp_1", status: "active" }, "leg-1"])

it.live("waits for longer than its patience, as long as anything changes", () =>
  Effect.gen(function* () {
    const began = Date.now()
    const look = Effect.sync(() => ({ isThere: Date.now() - began > 3 * stillMs, progress: Date.now() }))
    yield* comesAbout("its end", { look, rows, stillMs })
    assert.isAbove(Date.now() - began, 3 * stillMs)
  }),
)

it.live("fails with the rows once nothing changes", () =>
  Effect.gen(function* () {
    const look = Effect.succeed({ isThere: false, progress: "3 of 4" })
    const waited = yield* Effect.exit(comesAbout("its end", { look, rows, stillMs }))
    assert(Exit.isFailure(waited))
    const [first, ...further] = Cause.pretty(waited.cause).split("\n")
    assert.include(first, "its end does not come about: nothing has changed for 0 s (3 of 4)")
    assert.deepStrictEqual(further.slice(0, 2), ['{"campaign":"cmp_1","status":"active"}', "leg-1"])
  }),
)

it.live("says so where the rows cannot be read either", () =>
  Effect.gen(function* () {
    const look = Effect.succeed({ isThere: false })
    const gone = Effect.fail(new Error("the database is away"))
    const waited = yield* Effect.exit(comesAbout("its end", { look, rows: gone, stillMs }))
    assert(Exit.isFailure(waited))
    assert.include(Cause.pretty(waited.cause), "the database is away")
  }),
)

it.live("lets a body of several steps go on while it moves, and ends it where it does not", () =>
  Effect.gen(function* () {
    const progress = Effect.succeed(1)
    assert.strictEqual(yield* whileMoving("it", Effect.succeed("done"), { progress, rows, stillMs }), "done")
    const stuck = yield* Effect.exit(whileMoving("it", Effect.never, { progress, rows, stillMs }))
    assert(Exit.isFailure(stuck))
    assert.include(Cause.pretty(stuck.cause), "it does not come about")
  }),
)
