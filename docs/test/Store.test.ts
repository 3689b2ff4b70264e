import { readFileSync } from "node:fs"
import { RateStoreSuite } from "@carillon/core/testing"
import { expect, it } from "vitest"
import { layerSqlite } from "../examples/rate-store.ts"

RateStoreSuite.suite("RateStore of the guide", layerSqlite(":memory:"))

it("the guide shows the store that is run here", () => {
  const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
  expect(text("docs/guides/store.md")).toContain(text("docs/examples/rate-store.ts"))
})
