import { assert, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { Pacing } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import { textOf } from "../src/AnswerPieces.ts"
import { boundedPage, rowsOf } from "../src/PageText.ts"

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

it.effect("a list that has another name, and stands behind other members, is written row by row, too", () =>
  Effect.gen(function* () {
    const done: Array<string> = []
    const pacing = Effect.sync(() => void done.push("turn"))
    const text = "x".repeat(200_000)
    const row = (key: string) => ({
      toJSON: () => {
        done.push(key)
        return { key, text }
      },
    })
    const buckets = rowsOf(["first", "second"], row)
    const body = { from_date: "2026-01-05", left_out: undefined, names: ["a"], buckets, total: 2 }
    const reply = yield* Effect.provideService(boundedPage({ status: 200, body }), Pacing, pacing)
    assert.deepStrictEqual(done, ["turn", "first", "turn", "second"])
    const all = [
      { key: "first", text },
      { key: "second", text },
    ]
    const expected = JSON.stringify({ from_date: "2026-01-05", names: ["a"], buckets: all, total: 2 })
    assert.strictEqual("written" in reply ? textOf(reply.written) : null, expected)
  }),
)

it.effect(
  "rows may take exactly as much as an answer carries, as in the stores: what stands between them does not count",
  () =>
    Effect.gen(function* () {
      const rowsOfTogether = (characters: number) => [
        "x".repeat(characters - limits.pageBytes / 2 - 4),
        "x".repeat(limits.pageBytes / 2),
      ]
      const page = (characters: number) =>
        Effect.result(boundedPage({ status: 200, body: { data: rowsOfTogether(characters) } }))
      assert.isTrue(Result.isSuccess(yield* page(limits.pageBytes)))
      assert.isTrue(Result.isFailure(yield* page(limits.pageBytes + 1)))
    }),
)
