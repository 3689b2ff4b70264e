import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { pages } from "../../scripts/pages/Pages.ts"

const folder = new URL("../reference/", import.meta.url)

describe("the reference pages", () => {
  for (const [name, page] of Object.entries(pages)) {
    it(`${name} says what the code says: run \`npm run node -- scripts/pages.ts\` where it does not`, () => {
      assert.strictEqual(readFileSync(new URL(name, folder), "utf8"), page())
    })
  }

  it("are all made from the code", () => {
    assert.sameMembers(readdirSync(folder), Object.keys(pages))
  })

  it("leave no option without its meaning, and no row without a word in each column", () => {
    for (const [name, page] of Object.entries(pages)) {
      const rows = page()
        .split("\n")
        .filter((line) => line.startsWith("| `") && !line.startsWith("| `--"))
      for (const row of rows) assert.notMatch(row, /\|\s+\|/, name)
    }
  })
})
