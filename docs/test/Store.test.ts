import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { RateStore } from "@carillon/core/ports"
import { RateStoreSuite } from "@carillon/core/testing"
import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import { layerSqlite } from "../examples/rate-store.ts"

const directory = mkdtempSync(join(tmpdir(), "carillon-docs-"))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

RateStoreSuite.suite("RateStore of the guide", layerSqlite(":memory:"))

it("the guide shows the store that is run here", () => {
  const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
  expect(text("docs/guides/store.md")).toContain(text("docs/examples/rate-store.ts"))
})

it("the store of the guide is away where its database cannot be written, and counts again where it can", async () => {
  const file = join(directory, "rates.db")
  const other = new DatabaseSync(file)
  const outcome = Effect.gen(function* () {
    const rates = yield* RateStore
    const hit = Effect.map(rates.hit("org", "calls.create", 2, 0), ({ allowed }) => allowed)
    const first = yield* hit
    yield* Effect.sync(() => other.exec("begin exclusive"))
    const away = yield* Effect.flip(hit)
    yield* Effect.sync(() => other.exec("commit"))
    return [first, away, yield* hit, yield* hit]
  })
  expect(await Effect.runPromise(Effect.provide(outcome, layerSqlite(file)))).toEqual([
    true,
    expect.objectContaining({ _tag: "DependencyUnavailable", dependency: "rate_limit_store" }),
    true,
    false,
  ])
  other.close()
})
