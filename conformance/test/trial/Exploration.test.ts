import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Client } from "../../src/http/Client.ts"
import type { Case } from "../../src/run/Case.ts"
import { runConformance } from "../../src/run/Conformance.ts"
import { expectModel, explore } from "../../src/trial/Exploration.ts"
import { fakeServer, type Routes } from "../run/FakeServer.ts"

interface Model {
  count: number
}

class Add implements fc.AsyncCommand<Model, Client> {
  readonly #by: number

  constructor(by: number) {
    this.#by = by
  }

  check = () => true

  async run(model: Model, client: Client): Promise<void> {
    model.count += this.#by
    const answer = await client.post("/v2/counter", { by: this.#by })
    expectModel("adds", answer.at("count") === model.count, `${String(answer.at("count"))}, not ${model.count}`)
  }

  toString = () => `add ${this.#by}`
}

const counting: Case = {
  id: "model/counter",
  title: "A counter counts",
  clauses: ["ME-1", "ME-3"],
  requires: ["http"],
  run: (trial) =>
    explore<Model, Client>(trial, {
      topics: { adds: "ME-1", resets: "ME-3" },
      commands: [fc.integer({ min: 1, max: 30 }).map((by) => new Add(by))],
      setup: async () => {
        await trial.primary.delete("/v2/counter")
        return { model: { count: 0 }, real: trial.primary }
      },
      sequences: 30,
      maxCommands: 20,
    }),
}

/** A counter that loses what goes beyond its ceiling. */
const counter = (ceiling: number): Routes => {
  let count = 0
  return {
    "DELETE /v2/counter": () => {
      count = 0
      return [200, {}]
    },
    "POST /v2/counter": async (request) => {
      const body: unknown = await request.json()
      count = Math.min(ceiling, count + Number(Object(body).by))
      return [200, { count }]
    },
  }
}

const judge = async (ceiling: number, seed = 1) => {
  const report = await runConformance({
    baseUrl: "http://server.test",
    key: "gat_keykeykeykeykey",
    fetch: fakeServer(counter(ceiling)),
    cases: [counting],
    seed,
  })
  return report.cases.find(({ id }) => id === "model/counter")?.checks
}

describe("exploration", () => {
  it("records every topic when the server goes as the model", async () => {
    expect(await judge(1_000_000)).toEqual([
      { id: "adds", verdict: "pass", clauses: ["ME-1"] },
      { id: "resets", verdict: "pass", clauses: ["ME-3"] },
    ])
  })

  it("shrinks a contradiction to the shortest sequence and blames its topic alone", async () => {
    const checks = await judge(40)
    expect(checks?.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["adds", "fail"],
      ["resets", "pass"],
    ])
    const commands = checks?.[0]?.got?.match(/add \d+/g) ?? []
    const sum = commands.reduce((total, command) => total + Number(command.slice(4)), 0)
    // One less would not have shown it.
    expect(sum).toBe(41)
    expect(commands.length).toBeLessThan(5)
  })

  it("finds the same sequence again with the same seed", async () => {
    const [first, again] = [await judge(40, 7), await judge(40, 7)]
    expect(first?.[0]?.got).toBe(again?.[0]?.got)
  })
})
