import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { usage } from "../../conformance/src/command/Usage.ts"
import { ambientCaseId } from "../../conformance/src/run/Report.ts"
import { requirementSets } from "../../conformance/src/requirements/Requirements.ts"
import { set202611 } from "../../conformance/src/requirements/Set202611.ts"

const guide = readFileSync(new URL("../guides/judging.md", import.meta.url), "utf8")

/** What the guide shows of the command line, and nothing of other tools. */
const shown = guide.replaceAll(/start-my-server --port/g, "")

describe("the guide for those who judge", () => {
  it("names no option that the command line does not know, and every one that it does", () => {
    const known = new Set(usage.match(/(?<!-)--[a-z][a-z-]*/g))
    const named = new Set(shown.match(/(?<!-)--[a-z][a-z-]*/g))
    assert.deepEqual(
      [...named].filter((option) => !known.has(option)),
      [],
    )
    const told = [
      "--base-url",
      "--key",
      "--control-url",
      "--only",
      "--to",
      "--yes",
      "--shard",
      "--since",
      "--requirements",
    ]
    assert.deepEqual(
      told.filter((option) => !named.has(option)),
      [],
    )
  })

  it("has a row for each set of requirements, with how many cases it holds", () => {
    const rows = [...guide.matchAll(/^\| `(\d{4}-\d{2})` \| (\d+) \|/gm)].map(([, name, count]) => [
      name,
      Number(count),
    ])
    const own = Object.keys(set202611).filter((id) => id !== ambientCaseId)
    assert.deepEqual(rows, [[requirementSets[0], own.length]])
  })
})
