import { routes } from "@carillon/api"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { routeTable } from "../src/RouteTable.ts"

const find = routeTable(routes)

const segment = fc
  .string({ minLength: 1, maxLength: 128, unit: "grapheme-ascii" })
  .filter((text) => /^\P{C}+$/u.test(text))

const filled = (pattern: string, values: ReadonlyArray<string>): string => {
  let nth = 0
  return pattern.replace(/:\w+/g, () => values[nth++] ?? "")
}

describe("routeTable", () => {
  it("finds every route of the contract and decodes its parameters", () => {
    fc.assert(
      fc.property(fc.constantFrom(...routes), fc.array(segment, { minLength: 2, maxLength: 2 }), (route, values) => {
        const found = find(route.method, filled(route.pattern, values.map(encodeURIComponent)))
        expect(found?.route).toBe(route)
        const names = [...route.pattern.matchAll(/:(\w+)/g)].map(([, name]) => name)
        expect(Object.entries(found?.params ?? {})).toEqual(names.map((name, nth) => [name, values[nth]]))
      }),
    )
  })

  it.each([
    ["GET", "/v2/calls/"],
    ["GET", "/v2/Calls"],
    ["GET", "/V2/calls"],
    ["get", "/v2/calls"],
    ["GET", "/v2//calls"],
    ["GET", "/v2/calls//timing"],
    ["GET", "/v2/calls/x/timing/"],
    ["GET", "/v2/calls/x/nope"],
    ["GET", "/v2"],
    ["GET", "/v2/"],
    ["PUT", "/v2/calls"],
    ["HEAD", "/v2/calls"],
    ["OPTIONS", "/v2/calls"],
    ["__proto__", "/v2/calls"],
    ["GET", "/v2/calls;v=1"],
  ])("%s %s is no route", (method, path) => {
    expect(find(method, path)).toBeUndefined()
  })

  it.each(["a;b", "%", "%zz", "%ff", "%00", "%0a", "x".repeat(129), "x".repeat(5_000)])(
    "finds the route of an id of the wrong form, which names nothing (%s)",
    (id) => {
      const found = find("GET", `/v2/calls/${id}`)
      expect(found?.route.name).toBe("calls.get")
      expect(found?.params).toEqual({ execution_id: "~" })
    },
  )

  it("never throws, whatever the path", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.constantFrom("/v2/calls/", "%", "%2", "/", "é", "%e2%82", ";", "#", "..")),
        (text, parts) => {
          find("GET", text)
          find("GET", `/v2/${parts.join("")}`)
        },
      ),
    )
  })
})
