import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { planted, plants, replacements } from "../../soak/Plants.ts"
import { relapses } from "../../soak/Relapses.ts"

test.each([...plants, ...relapses])("$name: fits the source that it is planted in", (plant) => {
  const source = readFileSync(new URL(`../../../packages/${plant.file}`, import.meta.url), "utf8")
  expect(planted(source, plant)).not.toBe(source)
  for (const { instead, of } of replacements(plant)) expect(of).not.toBe(instead)
})
