import { assert, describe, it } from "vitest"
import { brokenReferences } from "../references/References.ts"

const specification = `# The API
Conventions used throughout:
- <a id="clause-conv-1"></a>All bodies are JSON.

## Calls
**POST /v2/calls** Places a call. | timeout_seconds | integer |

### Payload of \`done\`
1. One.
2. Two.

## Limits (per organization)
`
const readings = `# Readings
## Calls
- Fair share, exactly: by turns.
## Readings, where two are possible
`
const guide = `# Guide
## \`agents:read\`
## What it is, and why
`
const pages = new Map([
  ["docs/reference/specification.md", specification],
  ["docs/reference/decisions.md", readings],
  ["docs/guide.md", guide],
])
const paths = new Set([...pages.keys(), "docs/internals/decisions/0007-seven.md", "packages/core/src/A.ts"])
const repository = { pages, paths }

const inSource = (content: string) => brokenReferences({ path: "packages/core/src/A.ts", content }, repository)
const onPage = (content: string) => brokenReferences({ path: "docs/other.md", content }, repository)

describe("a reference that leads somewhere", () => {
  it("is a title: a heading, without what it adds; the beginning of a passage; a field", () => {
    const good = [
      `(specification, "Calls")`,
      `(Specification, "Limits")`,
      `(specification, "Payload")`,
      '(specification, "Payload of `done`")',
      `(specification, "Conventions used throughout")`,
      `(specification, "Payload" 2)`,
      `(specification, "Limits" and \`POST /v2/calls\`)`,
      "(specification, `timeout_seconds`)",
      `(decisions.md, "Fair share, exactly")`,
      `(decisions.md, "Calls" and "Readings")`,
      `(specification, "Calls"; decisions.md, "Calls", the rest)`,
      "the words of decisions.md",
      "decision 7",
      "see docs/guide.md",
    ]
    for (const text of good) assert.deepStrictEqual(inSource(`/** ${text} */`), [], text)
  })

  it("is a link to a file, a folder or a place", () => {
    const good = [
      "[a](guide.md)",
      "[a](./guide.md#agentsread)",
      "[a](/guide.md#agents-read)",
      "[a](guide.md#agents-read)",
      "[a](guide.md#what-it-is-and-why)",
      "[a](reference/specification.md#clause-conv-1)",
      "[a](internals/decisions)",
      "[a](../packages/core/src/A.ts)",
      "[a](https://elsewhere.test/none)",
      "```md\n[a](none.md)\n```",
      "`[a](none.md)`",
    ]
    for (const text of good) assert.deepStrictEqual(onPage(text), [], text)
  })
})

describe("a reference that leads nowhere is found, with its place", () => {
  const planted: ReadonlyArray<readonly [text: string, problem: string]> = [
    [`(specification, "Call")`, `docs/reference/specification.md has no "Call"`],
    [`(specification, "Payload" 3)`, `docs/reference/specification.md has no "Payload" 3`],
    [`(specification, "Calls" and \`DELETE /v2/calls\`)`, `docs/reference/specification.md has no "DELETE /v2/calls"`],
    [`(decisions.md, "Limits")`, `docs/reference/decisions.md has no "Limits"`],
    [`(decisions.md, "Calls" and "Nothing")`, `docs/reference/decisions.md has no "Nothing"`],
    [`(specification, "Calls"; decisions.md, "Fair")`, `docs/reference/decisions.md has no "Fair"`],
    ["as in decision 8", "there is no decision 8"],
    ["see readings.md", "there is no page readings.md"],
  ]

  for (const [text, problem] of planted) {
    it(`${text}: ${problem}`, () => {
      assert.deepStrictEqual(inSource(`const a = 1\n/** ${text} */`), [`packages/core/src/A.ts:2: ${problem}`])
    })
  }

  it("a citation that goes over two lines", () => {
    const problem = [`packages/core/src/A.ts:2: docs/reference/specification.md has no "Calling back"`]
    assert.deepStrictEqual(inSource(`/**\n * Waits (specification,\n * "Calling\n * back").\n */`), problem)
    assert.deepStrictEqual(inSource(`// One\n// (specification, "Calling\n// back").`), problem)
  })

  it("a link to a file, and to a place of a page", () => {
    const bad = ["none.md", "guide.md#none", "#none", "../../outside.md", "guide", "/none.md"]
    for (const target of bad) {
      assert.deepStrictEqual(onPage(`one\n[a](${target})`), [`docs/other.md:2: ${target} leads nowhere`])
    }
  })
})
