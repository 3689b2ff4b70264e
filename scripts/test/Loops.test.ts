import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/**
 * Modules with what goes on for as long as a process lives, and the module that starts it: there it outlasts its mistakes (`outlasting`). One that
 * dies would do so in silence, and the process would look well without it. A module that is new is refused until it is here.
 */
const loops: Readonly<Record<string, string>> = {
  "packages/core/src/metrics/Sampler.ts": "packages/core/src/metrics/Sampler.ts",
  "packages/core/src/operating/Driver.ts": "packages/core/src/operating/Driver.ts",
  "packages/core/src/operating/MachineClock.ts": "packages/core/src/operating/Driver.ts",
  "packages/core/src/telephony/carriers/Carriers.ts": "packages/core/src/telephony/carriers/Carriers.ts",
  "packages/core/src/telephony/carriers/Routed.ts": "packages/core/src/telephony/carriers/Carriers.ts",
  "packages/redis/src/Rebuild.ts": "packages/redis/src/Rebuild.ts",
}

const textOf = (module: string) => readFileSync(join(root, module), "utf8")

it("whatever goes on for as long as the process lives outlasts its mistakes", () => {
  const found = globSync("packages/*/src/**/*.ts", { cwd: root })
    .map((module) => module.replaceAll("\\", "/"))
    .filter((module) => /\bforkScoped\b|\bEffect\.forever\b/.test(textOf(module)))
  expect(found.toSorted()).toEqual(Object.keys(loops))
  for (const starter of Object.values(loops)) expect(textOf(starter)).toMatch(/\boutlasting\(/)
})
