import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { relapses } from "../../soak/Plants.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(`../../soak/${path}`, import.meta.url))

/** Plays a pair, with a repair taken back or as the engine is; returns how it ended, and what was said. */
const explored = async (meets: readonly [string, string, string], plant: string | null) => {
  const [scene, first, other] = meets
  const planting = plant === null ? [] : ["--import", fileOf("Planting.ts")]
  const options = ["--until-fault", "--scene", scene, "--first", first, "--other", other]
  const exploring = spawn(
    process.execPath,
    ["--conditions=@carillon/source", ...planting, fileOf("interleavings.ts"), ...options],
    { env: { ...process.env, ...(plant === null ? {} : { PLANT: plant }) }, stdio: ["ignore", "pipe", "inherit"] },
  )
  const [said, [code]] = await Promise.all([text(exploring.stdout), once(exploring, "close")])
  return { code: Number(code), said }
}

test.each(relapses)(
  "$name: the explorer finds it again, and nothing without it",
  { timeout: 120_000 },
  async (relapse) => {
    const planted = await explored(relapse.meets, relapse.name)
    expect(planted.said).toContain("npm run soak:interleavings -- --scene")
    expect(planted.code).toBe(1)
    const repaired = await explored(relapse.meets, null)
    expect([repaired.code, repaired.said]).toEqual([0, expect.stringContaining("0 kinds of violations")])
  },
)
