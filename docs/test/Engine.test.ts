import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const textOf = (path: string) => readFileSync(join(root, path), "utf8")

it("the page on the engine shows its code as it is", () => {
  const blocks = [...textOf("docs/concepts/engine.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code)
  const sources = globSync("packages/core/src/**/*.ts", { cwd: root }).map(textOf)
  expect(blocks).not.toEqual([])
  expect(blocks.filter((code) => !sources.some((source) => source.includes(code)))).toEqual([])
})

it("each list of files on the page of walks is as long as its table says", () => {
  const page = textOf("docs/internals/walks.md")
  const rows = [...page.matchAll(/^\| ([A-Z][^|]+?)(?:, read once)? \| (\d+) \| [^|]+ \| \d+ \| (\d+) \|/gm)]
  const told = rows.map(([, walk = "", now, before]) => [walk, Number(now), Number(before)])
  const sections = page.split(/^## /m).slice(1)
  const listed = sections.map((section) => {
    const [now = "", before = ""] = section.split("\nBefore:\n")
    const title = section.slice(0, section.indexOf("\n"))
    return [title, ...[now, before].map((list) => list.match(/^\d+\. /gm)?.length)]
  })
  expect(told).toEqual(listed)
})
