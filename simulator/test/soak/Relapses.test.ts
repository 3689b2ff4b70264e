import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { Interleavings } from "@carillon/core/testing"
import { Effect, References } from "effect"
import { expect, test } from "vitest"
import { relapses } from "../../soak/Plants.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(`../../soak/${path}`, import.meta.url))

type Meeting = (typeof relapses)[number]["meets"]

/** Plays a pair with a repair taken back, in a process of its own; returns how it ended, and what was said. */
const planted = async ([scene, first, other]: Meeting, plant: string) => {
  const options = ["--until-fault", "--scene", scene, "--first", first, "--other", other]
  const exploring = spawn(
    process.execPath,
    ["--conditions=@carillon/source", "--import", fileOf("Planting.ts"), fileOf("interleavings.ts"), ...options],
    { env: { ...process.env, PLANT: plant }, stdio: ["ignore", "pipe", "inherit"] },
  )
  const [said, [code]] = await Promise.all([text(exploring.stdout), once(exploring, "close")])
  return { code: Number(code), said }
}

/** Plays a pair as the engine is; returns what was played, and what it breaks. */
const sound = async ([scene, first, other]: Meeting) => {
  const pair = Interleavings.pairs.find(
    (each) => each.scene.name === scene && each.first.name === first && each.second.name === other,
  )
  if (pair === undefined) throw new Error(`There is no pair of "${first}" and "${other}" where ${scene}.`)
  const played = await Effect.runPromise(
    Interleavings.playPair(pair).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )
  return { count: played.length, violations: played.flatMap(({ outcome }) => outcome.violations) }
}

test.each(relapses)("$name: the explorer finds it again, and nothing without it", async (relapse) => {
  const { code, said } = await planted(relapse.meets, relapse.name)
  expect(said).toContain("npm run soak:interleavings -- --scene")
  expect(code).toBe(1)
  const { count, violations } = await sound(relapse.meets)
  expect(count).toBeGreaterThan(0)
  expect(violations).toEqual([])
})
