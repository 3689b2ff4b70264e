import { expect, it } from "vitest"
import { atDoor } from "../src/Door.ts"
import type { Body, EdgeRequest, LateBody, Pace } from "../src/Edge.ts"
import { webHandler } from "../src/web.ts"

const answer = { status: 200, headers: {}, body: null }

const requestOf = (who: string, lateBody?: LateBody): EdgeRequest => ({
  method: "GET",
  target: "/v2/calls",
  header: (name) => (name === "authorization" ? `Bearer gat_${who}` : null),
  body: null,
  lateBody,
})

const turns = async (count: number) => {
  for (let nth = 0; nth < count; nth++) await new Promise((resolve) => setImmediate(resolve))
}

it("lets somebody in before the rest of the hundreds that another sends at once", async () => {
  const taken: Array<string> = []
  const take = atDoor((request, respond) => {
    taken.push(request.header("authorization") ?? "")
    respond(answer)
  })
  const send = (who: string) => take(requestOf(who), () => {})
  send("noisy")
  send("quiet")
  await turns(3)
  taken.length = 0
  for (let nth = 0; nth < 300; nth++) send("noisy")
  send("quiet")
  await turns(1_000)
  expect(taken).toHaveLength(301)
  expect(taken.indexOf("Bearer gat_quiet")).toBeLessThan(20)
})

it("takes the ends of bodies in turn, too", async () => {
  const ended: Array<string> = []
  const bodies: Array<() => void> = []
  const late: LateBody = (_, read) => void bodies.push(() => read(new Uint8Array(1)))
  const read = (who: string) => (body: Body) => {
    expect(body).toHaveLength(1)
    ended.push(who)
  }
  const terms = { maxBytes: 1, take: () => null }
  const take = atDoor((request, respond) => {
    request.lateBody?.(terms, read(request.header("authorization") ?? ""))
    respond(answer)
  })
  for (let nth = 0; nth < 100; nth++) {
    take(requestOf("noisy", late), () => {})
    await turns(1)
  }
  take(requestOf("quiet", late), () => {})
  await turns(3)
  expect(bodies).toHaveLength(101)
  for (const end of bodies) end()
  await turns(500)
  expect(ended).toHaveLength(101)
  expect(ended.indexOf("Bearer gat_quiet")).toBeLessThan(20)
})

it("takes the pieces of bodies in turn, too", async () => {
  const taken: Array<string> = []
  const paces: Array<{ readonly who: string; readonly pace: Pace }> = []
  const take = atDoor((request, respond) => {
    request.lateBody?.({ maxBytes: 1, take: () => null }, () => {})
    respond(answer)
  })
  const late =
    (who: string): LateBody =>
    ({ pace }) =>
      void (pace && paces.push({ who, pace }))
  for (const who of [...Array.from({ length: 60 }, () => "noisy"), "quiet"]) {
    take(requestOf(who, late(who)), () => {})
    await turns(1)
  }
  expect(paces).toHaveLength(61)
  for (const { pace, who } of paces) pace(() => taken.push(who))
  await turns(500)
  expect(taken).toHaveLength(61)
  expect(taken.indexOf("quiet")).toBeLessThan(20)
})

it("takes up everything at once on a web-standard mount that has none", async () => {
  const takenUp = (door: boolean) => {
    let taken = 0
    const web = webHandler(
      (_, respond) => {
        taken += 1
        respond(answer)
      },
      { door },
    )
    for (let nth = 0; nth < 300; nth++) void web(new Request("http://x/v2/calls"))
    return taken
  }
  expect(takenUp(true)).toBeLessThan(20)
  expect(takenUp(false)).toBe(300)
})
