import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { namesOrganization, parseQuery } from "../src/Query.ts"

const pairs = fc.array(
  fc.tuple(fc.constantFrom("a", "b", "__proto__", "organization_id"), fc.constantFrom("1", "2", "x y", "é", "")),
)

describe("parseQuery", () => {
  it("keeps every distinct value of a parameter in order", () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const query = parseQuery(new URLSearchParams(given).toString())
        for (const name of new Set(given.map(([name]) => name))) {
          const values = given.filter(([other]) => other === name).map(([, value]) => value)
          const [first] = values
          const distinct = values.filter((value, nth) => nth === 0 || value !== values[0])
          if (new Set(values).size === 1) expect(query[name]).toBe(first)
          else expect([query[name]].flat().filter((value, nth) => nth === 0 || value !== first)).toEqual(distinct)
        }
        expect(Object.keys(query).length).toBe(new Set(given.map(([name]) => name)).size)
      }),
    )
  })

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseQuery(text)
      }),
    )
    expect(parseQuery("%zz=%&a=%ff")).toEqual({ "%zz": "%", a: "\ufffd" })
  })
})

describe("namesOrganization", () => {
  it.each([
    ["", true],
    ["organization_id=org_1", true],
    ["organization_id=org_1&organization_id=org_1", true],
    ["organization_id=", false],
    ["organization_id", false],
    ["organization_id=org_2", false],
    ["organization_id=org_1&organization_id=org_2", false],
    ["organization_id=org_2&organization_id=org_1", false],
    ["organization_id=ORG_1", false],
    ["organization%5Fid=org_2", false],
    ["Organization_id=org_2", true],
  ])("%s: %s", (text, named) => {
    expect(namesOrganization(parseQuery(text), "org_1")).toBe(named)
  })
})
