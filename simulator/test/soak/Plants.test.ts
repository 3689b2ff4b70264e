import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { plants } from "../../soak/Plants.ts"
import { relapses } from "../../soak/Relapses.ts"

test.each([...plants, ...relapses])("$name: fits the source that it is planted in", ({ file, instead, of }) => {
  const source = readFileSync(new URL(`../../../packages/${file}`, import.meta.url), "utf8")
  expect(source.split(instead)).toHaveLength(2)
  expect(of).not.toBe(instead)
})
