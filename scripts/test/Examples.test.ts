import type { Json } from "@carillon/core"
import { assert, describe, it } from "vitest"
import { examples } from "../../packages/api/src/ExampleData.ts"
import { runExamples } from "../examples/ExampleRun.ts"

/** Every place in a value, whatever it holds; the places of a list are one. */
const placesIn = (value: Json, at = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) return [at, ...value.flatMap((item) => placesIn(item, `${at}[]`))]
  if (typeof value !== "object" || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, `${at}.${name}`))]
}

describe("the examples of the API documents", () => {
  it("are what the simulator answers today: run `npm run examples` where they are not", async () => {
    const [kept, found] = [examples, await runExamples()].map((all) =>
      [...new Set(placesIn(JSON.parse(JSON.stringify(all))))].toSorted(),
    )
    assert.deepStrictEqual(kept, found)
  })
})
