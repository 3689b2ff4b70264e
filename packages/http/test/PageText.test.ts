import { assert, it } from "@effect/vitest"
import { Pacing } from "@carillon/core"
import { Effect } from "effect"
import { boundedPage } from "../src/PageText.ts"

it.effect("a page is written in a turn of its own, the first row as well; one without rows waits for none", () =>
  Effect.gen(function* () {
    const done: Array<string> = []
    const pacing = Effect.sync(() => void done.push("turn"))
    const row = (name: string, characters: number) => ({
      toJSON: () => {
        done.push(name)
        return "x".repeat(characters)
      },
    })
    const written = (data: ReadonlyArray<object>) =>
      Effect.provideService(boundedPage({ status: 200, body: { data, pagination: {} } }), Pacing, pacing)
    yield* written([row("first", 600_000), row("second", 10), row("third", 10)])
    assert.deepStrictEqual(done, ["turn", "first", "turn", "second", "third"])
    done.length = 0
    yield* written([])
    assert.deepStrictEqual(done, [])
  }),
)
