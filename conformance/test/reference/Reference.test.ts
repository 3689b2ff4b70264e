import { readdirSync, readFileSync } from "node:fs"
import { once } from "node:events"
import { isBuiltin } from "node:module"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { makeOrganization } from "../../reference/control.ts"
import { Fields } from "../../reference/fields.ts"
import { serve } from "../../reference/server.ts"
import { World } from "../../reference/world.ts"
import { cases } from "../../src/cases/Cases.ts"
import { findClause } from "../../src/clauses/Clauses.ts"
import { levelOf } from "../../src/run/Capabilities.ts"
import { type ConformanceOptions, runConformance } from "../../src/run/Conformance.ts"

const folder = new URL("../../reference/", import.meta.url)

interface Running {
  readonly options: ConformanceOptions
  readonly close: () => void
}

const start = async (world: World): Promise<Running> => {
  const [made] = makeOrganization(world, new Fields({})).shown.keys
  const server = serve(world, { controlled: true }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    options: { baseUrl: url, controlUrl: url, key: made?.key ?? "" },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const judge = async (world: World, chosen: Pick<ConformanceOptions, "cases" | "only">) => {
  const { close, options } = await start(world)
  try {
    return await runConformance({ ...options, ...chosen })
  } finally {
    close()
  }
}

/** Cases that fill a minute of requests take most of the time; two of them are enough here, and a whole run has all. */
const isFlood = (id: string) =>
  /^(?:rate|model)\//.test(id) && !/^rate\/(?:ceiling\/knowledge|sliding\/weighted)/.test(id)

const told = (result: Awaited<ReturnType<typeof runConformance>>) =>
  result.cases
    .filter(({ verdict }) => !["pass", "note", "n/a"].includes(verdict))
    .map(({ id, checks }) => ({ id, checks }))

describe("the second implementation", () => {
  it("shares no line with ours: it imports Node and itself, nothing else", () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".ts"))
    expect(files.length).toBeGreaterThan(30)
    for (const name of files) {
      const source = readFileSync(new URL(name, folder), "utf8")
      for (const [, specifier = ""] of source.matchAll(/\bfrom "([^"]+)"/g)) {
        expect([name, specifier, isBuiltin(specifier) || files.includes(specifier.slice(2))]).toEqual([
          name,
          specifier,
          true,
        ])
      }
      expect([name, /\bimport\(/.test(source)]).toEqual([name, false])
    }
  })

  it("holds in whatever a key, fixtures and the clock show", async () => {
    const judged = cases.filter(({ id, requires }) => levelOf(requires) <= 2 && !isFlood(id))
    const result = await judge(new World(), { cases: judged })
    expect(told(result)).toEqual([])
    expect(result.cases.filter(({ verdict }) => verdict === "pass" || verdict === "note").length).toBeGreaterThan(130)
  })

  it("holds in a call, a campaign and a webhook from one end to the other", async () => {
    const only = [
      "calls/lifecycle/outcomes",
      "campaigns/dispatch/*",
      "webhooks/events/*",
      "webhooks/deliveries/attempts",
    ]
    const result = await judge(new World(), { only })
    expect(told(result)).toEqual([])
  })

  it("is blamed by the right sentence for a bug that is planted in it", async () => {
    const world = new World()
    const stop = world.lifecycle.stop.bind(world.lifecycle)
    world.lifecycle.stop = (...args) => {
      const answer = stop(...args)
      return answer.status === 200 ? { ...answer, body: { ...Object(answer.body), status: "cancelled" } } : answer
    }
    const result = await judge(world, { only: ["calls/stop/scheduled"] })
    const blamed = result.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === "fail"))
    expect(blamed.length).toBeGreaterThan(0)
    const quotes = new Set(blamed.flatMap(({ clauses }) => clauses.map((id) => findClause(id)?.quote)))
    expect([...quotes]).toEqual([
      "Fields `execution_id`, `status` (always `canceled`), `canceled_before_dial` (always true)",
    ])
  })
})
