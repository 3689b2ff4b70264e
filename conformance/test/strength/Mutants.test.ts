import { describe, expect, it } from "vitest"
import { clauses, findClause } from "../../src/clauses/Clauses.ts"
import { isJudgeable } from "../../src/run/ClauseCount.ts"
import { worn } from "./Mutant.ts"
import { mutants } from "./Mutants.ts"
import { needlessReasons, unopposed } from "./Unopposed.ts"

describe("the mutants", () => {
  it("have ids of their own, and clauses that a black box can see", () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
    expect(
      mutants.filter(({ clause }) => (findClause(clause)?.observable ?? "no") === "no").map(({ id }) => id),
    ).toEqual([])
  })

  it("leave out no clause that every server must keep and that can be seen", () => {
    const broken = new Set(mutants.map(({ clause }) => clause))
    expect(clauses.filter((clause) => isJudgeable(clause) && !broken.has(clause.id)).map(({ id }) => id)).toEqual([])
  })

  it("choose otherwise than each published reading that can be seen, or say why none could", () => {
    expect(unopposed()).toEqual([])
    expect(needlessReasons()).toEqual([])
  })

  it("show, a third of them, only where two conditions come together", () => {
    expect(mutants.filter(({ combined }) => combined).length * 3).toBeGreaterThanOrEqual(mutants.length)
  })
})

describe("a mutant", () => {
  const echo = async (request: Request) => Response.json({ path: new URL(request.url).pathname, data: [] })

  it("stands in front of a server, and leaves alone what it does not break", async () => {
    const mutant = mutants.find(({ breaks }) => breaks === "GET /v2/calls needs no scope instead of calls:read.")
    const server = worn(mutant?.defect ?? {}, echo)
    const answer = await server(new Request("http://server.test/v2/agents"))
    expect(await answer.json()).toEqual({ path: "/v2/agents", data: [] })
  })
})
