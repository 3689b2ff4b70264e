import fc from "fast-check"
import { expect, it } from "vitest"
import { nonconformities } from "./Conformity.ts"
import { callFields, pageFields } from "./Contract.ts"
import type { Or } from "./Errors.ts"
import { type Page, pageOf } from "./Listing.ts"
import { type Answered, stage } from "./Stage.ts"

const numbersOf = ({ body }: Answered): ReadonlyArray<unknown> => {
  const { calls, ...page } = body
  expect(nonconformities(pageFields, page)).toEqual([])
  if (!Array.isArray(calls)) return []
  return calls.map((call: { readonly to: string }) => {
    expect(nonconformities(callFields, call)).toEqual([])
    return call.to.slice(-3)
  })
}

it("lists by number, status and time, the newest first", async () => {
  const { clock, dial, get } = await stage({
    script: ({ to }) => ({ outcome: to.endsWith("102") ? "busy" : "completed", setup_s: 0 }),
  })
  await clock.runTo(Date.UTC(2026, 0, 5, 23, 59, 58))
  await dial({ To: "+12125550101" })
  await dial({ To: "+12125550102", From: "+12125550198" })
  await clock.runTo(Date.UTC(2026, 0, 6, 0, 0, 10))
  await dial({ To: "+12125550101" })
  await clock.advance(0)
  const by = async (query: string) => numbersOf(await get(`/Calls.json?${query}`))
  expect(await by("")).toEqual(["101", "102", "101"])
  expect(await by("To=%2B12125550101")).toEqual(["101", "101"])
  expect(await by("From=%2B12125550198")).toEqual(["102"])
  expect(await by("Status=busy")).toEqual(["102"])
  expect(await by("Status=in-progress&To=%2B12125550101")).toEqual(["101"])
  expect(await by("StartTime=2026-01-05")).toEqual(["102", "101"])
  expect(await by("StartTime%3E=2026-01-06")).toEqual(["101"])
  expect(await by("StartTime%3C=2026-01-06")).toEqual(["102", "101"])
  expect(await by("StartTime>=2026-01-06T00:00:10Z")).toEqual(["101"])
  expect(await by("StartTime<=2026-01-06T00:00:10Z")).toEqual(["102", "101"])
  expect(await by("StartTime>=2026-01-06+00:00:11")).toEqual([])
  expect(await by("EndTime%3E=2026-01-05")).toEqual([])
  expect(await by(`ParentCallSid=CA${"0".repeat(32)}`)).toEqual([])
})

it("does not show a call that was not dialled yet where a start is asked for", async () => {
  const { clock, dial, get } = await stage({ callsPerSecond: 1 })
  await dial({ To: "+12125550101" })
  await dial({ To: "+12125550102" })
  await clock.advance(500)
  expect(numbersOf(await get("/Calls.json"))).toEqual(["102", "101"])
  expect(numbersOf(await get("/Calls.json?StartTime%3E=2026-01-01"))).toEqual(["101"])
})

it("shows calls in lists some time after their creation, and on their own at once", async () => {
  const { clock, dial, fetch, get } = await stage({ listedAfterMs: 2_000 })
  const { body } = await dial()
  expect(numbersOf(await get("/Calls.json"))).toEqual([])
  expect((await fetch(body["sid"]))["status"]).toBe("queued")
  await clock.advance(2_000)
  expect(numbersOf(await get("/Calls.json"))).toHaveLength(1)
})

it("refuses filters and pages that cannot be", async () => {
  const { get } = await stage()
  for (const query of ["Status=ended", "StartTime=yesterday", "EndTime<=2026-13-01", "PageToken=PA1", "Page=-1"]) {
    expect((await get(`/Calls.json?${query}`)).body).toMatchObject({ code: 20001, status: 400 })
  }
  for (const size of ["0", "1001", "x"]) {
    expect((await get(`/Calls.json?PageSize=${size}`)).body).toMatchObject({ code: 20007, status: 400 })
  }
})

it("leads through all pages by their own links, there and back, over HTTP", async () => {
  const { dial, get } = await stage()
  for (let call = 0; call < 5; call++) await dial({ To: `+1212555010${call}` })
  const there: Array<unknown> = []
  let page = await get("/Calls.json?From=%2B12125550199&PageSize=2")
  expect(page.body).toMatchObject({ page: 0, page_size: 2, start: 0, end: 1, previous_page_uri: null })
  const pages = [page]
  for (let next = page.body["next_page_uri"]; typeof next === "string"; next = page.body["next_page_uri"]) {
    // A call that comes in between moves nothing.
    await dial({ To: "+12125550109" })
    page = await get(next)
    pages.push(page)
  }
  for (const one of pages) there.push(numbersOf(one))
  expect(there).toEqual([["104", "103"], ["102", "101"], ["100"]])
  expect(numbersOf(await get(String(page.body["previous_page_uri"])))).toEqual(["102", "101"])
  expect(String(page.body["uri"])).toContain("From=%2B12125550199&PageSize=2&Page=2&PageToken=PA")
  // The number of a page leads nowhere: "This value is simply for client state."
  expect(numbersOf(await get("/Calls.json?PageSize=2&Page=1"))).toHaveLength(2)
})

it("shows each item once, whatever the size of the pages", () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 50 }), (count, size) => {
      const items = Array.from({ length: count }, (_, nth) => ({ sid: `CA${nth}` }))
      const seen: Array<string> = []
      let path: string | null = `/x?PageSize=${size}`
      while (path !== null) {
        const page: Or<Page<{ readonly sid: string }>> = pageOf(
          "/x",
          new URL(path, "http://a.test").searchParams,
          items,
        )
        if (!page.ok) throw new Error(page.error.message)
        seen.push(...page.value.items.map(({ sid }) => sid))
        path = page.value.envelope.next_page_uri
      }
      expect(seen).toEqual(items.map(({ sid }) => sid))
    }),
  )
})
