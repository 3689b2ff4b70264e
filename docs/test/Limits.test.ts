import { readFileSync } from "node:fs"
import { limits } from "@carillon/core"
import { expect, test } from "vitest"

const page = readFileSync(new URL("../guides/limits.md", import.meta.url), "utf8")

/** A bound by its name, such as `readingBytes.organization`. */
const boundOf = (name: string): unknown =>
  name
    .split(".")
    .reduce<unknown>((found, part) => (found instanceof Object ? Reflect.get(found, part) : undefined), limits)

const written = (name: string, bound: number): string => {
  if (!/bytes/i.test(name)) return bound.toLocaleString("en")
  return bound >= 1024 ** 2 ? `${bound / 1024 ** 2} MiB` : `${bound / 1024} KiB`
}

const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \| [^|]+ \| `([\w.]+)` \|$/gm)]

test.each(rows.map(([, figure = "", name = ""]) => [name, figure]))(
  "the page says of %s what the engine does: %s",
  (name, figure) => {
    const bound = boundOf(name)
    expect(typeof bound === "number" ? written(name, bound) : name).toBe(figure)
  },
)

test("the page names bounds", () => {
  expect(rows.length).toBeGreaterThan(10)
})
