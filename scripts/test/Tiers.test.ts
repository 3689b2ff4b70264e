import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { placeOf, tierProblems } from "../dependencies/Tiers.ts"

const root = join(import.meta.dirname, "..", "..", "packages", "core", "src")

const sources: Readonly<Record<string, string>> = Object.fromEntries(
  globSync("**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .map((path) => [path, readFileSync(join(root, path), "utf8")]),
)

/** What is found in the copy of a module that begins with one line more. Each module is judged by itself. */
const withLine = (path: string, line: string): ReadonlyArray<string> => {
  const source = sources[path]
  if (source === undefined) throw new Error(`There is no ${path} to plant it in.`)
  return tierProblems({ [path]: `${line}\n${source}` })
}

const withImport = (path: string, specifier: string): ReadonlyArray<string> =>
  withLine(path, `import type { Planted } from "${specifier}"`)

describe("The tiers of core", () => {
  it("are kept", () => {
    expect(Object.keys(sources).length).toBeGreaterThan(600)
    expect(tierProblems(sources)).toEqual([])
  })

  it("are all inhabited", () => {
    const places = new Set(Object.keys(sources).map(placeOf))
    expect(places).toEqual(new Set(["carrier", "entry", "memory", "ports", "rules", "services", "steps", "testing"]))
  })

  it.each([
    ["calls/rules/CallStatus.ts", "../ports/CallStore.ts", "rules must not import ports (calls/ports/CallStore.ts)"],
    ["calls/rules/CallStatus.ts", "../steps/StopCall.ts", "rules must not import steps (calls/steps/StopCall.ts)"],
    ["calls/rules/CallStatus.ts", "../Calls.ts", "rules must not import services (calls/Calls.ts)"],
    ["calls/rules/CallStatus.ts", "../../Sources.ts", "rules must not import ports (Sources.ts)"],
    ["calls/ports/CallStore.ts", "../steps/StopCall.ts", "ports must not import steps (calls/steps/StopCall.ts)"],
    ["calls/ports/CallStore.ts", "../Calls.ts", "ports must not import services (calls/Calls.ts)"],
    ["calls/steps/StopCall.ts", "../Calls.ts", "steps must not import services (calls/Calls.ts)"],
    ["calls/steps/StopCall.ts", "../../Engine.ts", "steps must not import services (Engine.ts)"],
    ["calls/Calls.ts", "../memory/CallTable.ts", "services must not import memory (memory/CallTable.ts)"],
    ["calls/Calls.ts", "../index.ts", "services must not import entry (index.ts)"],
    ["calls/Calls.ts", "../testing/Law.ts", "services must not import testing (testing/Law.ts)"],
    ["memory/CallTable.ts", "../calls/steps/StopCall.ts", "memory must not import steps (calls/steps/StopCall.ts)"],
    ["memory/CallTable.ts", "../calls/Calls.ts", "memory must not import services (calls/Calls.ts)"],
    ["phone/E164.ts", "../calls/rules/Call.ts", "must not import a noun (calls/rules/Call.ts)"],
    ["engine/rules/Commit.ts", "../../calls/rules/Call.ts", "must not import a noun (calls/rules/Call.ts)"],
    ["engine/ports/Store.ts", "../../calls/ports/CallStore.ts", "must not import a noun (calls/ports/CallStore.ts)"],
    ["engine/steps/Reading.ts", "../../calls/steps/StopCall.ts", "must not import a noun (calls/steps/StopCall.ts)"],
    ["engine/Steps.ts", "../webhooks/Outbox.ts", "must not import a noun (webhooks/Outbox.ts)"],
    ["engine/Steps.ts", "../Engine.ts", "must not import a noun (Engine.ts)"],
    ["Errors.ts", "./calls/rules/Call.ts", "must not import a noun (calls/rules/Call.ts)"],
  ])("see %s import %s", (path, specifier, problem) => {
    expect(withImport(path, specifier)).toEqual([`${path}: ${problem}`])
  })

  it("see every way to import", () => {
    const path = "calls/rules/CallStatus.ts"
    const problem = [`${path}: rules must not import services (calls/Calls.ts)`]
    expect(withLine(path, `import { Calls } from "../Calls.ts"`)).toEqual(problem)
    expect(withLine(path, `export * from "../Calls.ts"`)).toEqual(problem)
    expect(withLine(path, `export type { PlaceReply } from "../Calls.ts"`)).toEqual(problem)
    expect(withLine(path, `type Planted = import("../Calls.ts").Calls`)).toEqual(problem)
  })

  it.each([
    [`import { Context } from "effect"`, "Context"],
    [`import { Layer as Context } from "effect"`, "Layer"],
    [`import { effect } from "effect/Layer"`, "Layer"],
    [`import * as Planted from "effect/Context"`, "Context"],
    [`import * as Planted from "effect"`, "*"],
    [`export { Layer } from "effect"`, "Layer"],
    [`export * from "effect"`, "*"],
    [`export * from "effect/Layer"`, "Layer"],
  ])("see a rule that is a service: %s", (line, name) => {
    const path = "calls/rules/CallStatus.ts"
    expect(withLine(path, line)).toEqual([`${path}: a rule has no service, and imports ${name}`])
  })

  it.each([
    `import type { Context } from "effect"`,
    `import type * as Planted from "effect"`,
    `import type { Layer } from "effect/Layer"`,
    `export type { Layer } from "effect"`,
    `import * as Planted from "effect/encoding/Base64Url"`,
  ])("let a rule name a type, and what is no service: %s", (line) => {
    expect(withLine("calls/rules/CallStatus.ts", line)).toEqual([])
  })

  it("see a module at the root of which nobody says where it belongs", () => {
    expect(tierProblems({ "Planted.ts": "export const planted = 1" })).toEqual([
      "Planted.ts: scripts/dependencies/Tiers.ts does not say its tier",
    ])
  })
})
