import { readFileSync } from "node:fs"
import { Simulator } from "@carillon/simulator"
import { careless } from "../examples/called-once.ts"
import { assert, describe, it } from "vitest"
import { readFlags } from "../../simulator/src/cli/Flags.ts"
// Its tests run as part of this file.
import "../examples/called-once.test.ts"
import "../examples/reminders.test.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const guide = text("guides/testing.md")

/** The flags of every simulator that the guide starts. */
const starts = [...guide.matchAll(/^npx @carillon\/simulator (--.*)$/gm)].map(([, flags = ""]) => flags.split(" "))

/** The requests of the guide, in their order. */
const requests = (/```http\n([\s\S]*?)```/.exec(guide)?.[1] ?? "")
  .trim()
  .split("\n\n")
  .map((request) => {
    const [line = "", body] = request.split("\n")
    const [method = "", path = ""] = line.split(" ")
    return { method, path, body }
  })

describe("the guide to testing", () => {
  it("shows the files that are run here", () => {
    for (const file of ["called-once.test.ts", "called-once.ts", "reminders.test.ts"]) {
      assert.include(guide, text(`examples/${file}`))
    }
  })

  it("has a mistake that the test beside it finds: three calls where one was wanted", async () => {
    const simulator = await Simulator.start({ seed: 1, clock: "scaled:100" })
    const { agent_id, key } = simulator.info
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const place = (to_number: string) => {
      const body = JSON.stringify({ agent_id, to_number })
      return simulator.fetch(new Request("http://carillon.test/v2/calls", { method: "POST", headers, body }))
    }
    assert.isFalse(await careless(place, "+999200000000001"))
    const listed = await simulator.fetch(new Request("http://carillon.test/v2/calls", { headers }))
    assert.containSubset(await listed.json(), { pagination: { total: 3 } })
    await simulator.close()
  })

  it("starts simulators with flags that there are", () => {
    assert.lengthOf(starts, 2)
    for (const flags of starts) assert.isObject(readFlags(flags, {}, text))
  })

  it("has requests that do what it says, whoever sends them", async () => {
    const simulator = await Simulator.start({ seed: 1, clock: "manual" })
    const answers = new Map<string, string>()
    for (const { body, method, path } of requests) {
      const { agent_id, key } = simulator.info
      const response = await simulator.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: body.replace("{agent_id}", agent_id) }),
        }),
      )
      assert.isTrue(response.ok, `${method} ${path} was answered with ${response.status}`)
      answers.set(path, await response.text())
    }
    assert.lengthOf(requests, 8)
    assert.include(answers.get("/_sim/inbox/mine"), 'status\\":\\"busy')
    assert.include(answers.get("/_sim/invariants"), '"violations":[]')
    await simulator.close()
  })
})
