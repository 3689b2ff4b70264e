import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { beforeAll, expect, test } from "vitest"
import { relapses } from "../../soak/Relapses.ts"
import type { Relapsed } from "../../soak/relapsing.ts"

const page = readFileSync(new URL("../../../docs/internals/interleavings.md", import.meta.url), "utf8")

/** Takes each repair back in one process beside this one, and explores. */
const relapsing = async (): Promise<ReadonlyMap<string, Relapsed>> => {
  const script = fileURLToPath(new URL("../../soak/relapsing.ts", import.meta.url))
  const options = ["--conditions=@carillon/source", "--disable-warning=ExperimentalWarning"]
  const exploring = spawn(process.execPath, [...options, script], { stdio: ["ignore", "pipe", "inherit"] })
  const [said] = await Promise.all([text(exploring.stdout), once(exploring, "close")])
  const found = said
    .trim()
    .split("\n")
    .map((line): Relapsed => JSON.parse(line))
  return new Map(found.map((one) => [one.name, one]))
}

let found: ReadonlyMap<string, Relapsed> = new Map()

beforeAll(async () => {
  found = await relapsing()
}, 300_000)

test.each(relapses)("$name: the explorer finds it again, and nothing without it", ({ meets, name }) => {
  const { played, sound, told } = found.get(name) ?? { played: 0, sound: [], told: null }
  expect(told).toContain(`npm run soak:interleavings -- --scene "${meets[0]}"`)
  expect(played).toBeGreaterThan(0)
  expect(sound).toEqual([])
})

test.each(relapses)("$name: stands in the page with where it was found", ({ meets, name }) => {
  const [scene, first, ...others] = meets
  expect(page).toContain(
    `| ${name} | ${scene}: \`${first}\` | ${others.map((other) => `\`${other}\``).join(", then ")} |`,
  )
})
