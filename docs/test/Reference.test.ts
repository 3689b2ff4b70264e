import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { pages } from "../../scripts/pages/Pages.ts"

const docs = new URL("../", import.meta.url)

describe("the pages that follow from the code", () => {
  for (const [name, page] of Object.entries(pages)) {
    it(`${name} says what the code says: run \`npm run node -- scripts/pages.ts\` where it does not`, () => {
      assert.strictEqual(readFileSync(new URL(name, docs), "utf8"), page())
    })
  }

  it("are all that stands in the reference", () => {
    const reference = readdirSync(new URL("reference/", docs)).map((name) => `reference/${name}`)
    assert.sameMembers(
      reference,
      Object.keys(pages).filter((name) => name.startsWith("reference/")),
    )
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
