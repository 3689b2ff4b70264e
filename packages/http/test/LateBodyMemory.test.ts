import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import type { Body, EdgeRequest } from "../src/Edge.ts"
import { withBody } from "../src/LateBody.ts"

const terms = { maxBytes: 100, take: () => null }
const request = (body: Pick<EdgeRequest, "body" | "lateBody">): EdgeRequest => ({
  method: "POST",
  target: "/v2/calls",
  header: () => null,
  ...body,
})
const lengthOf = (body: Body): number => (typeof body === "object" && body !== null ? body.length : -1)
const read = (from: EdgeRequest) =>
  withBody(
    from,
    terms,
    (effect) => effect,
    (body) => Effect.sync(() => lengthOf(body)),
  )

it("gives the memory of a body back that was on its way, once it was read", async () => {
  const bytes = new Uint8Array(10)
  expect(await Effect.runPromise(read(request({ body: null, lateBody: (_, goOn) => goOn(bytes) })))).toBe(10)
  expect(bytes.length).toBe(0)
})

it("gives it back also where reading it fails", async () => {
  const bytes = new Uint8Array(10)
  const from = request({ body: null, lateBody: (_, goOn) => goOn(bytes) })
  const failing = withBody(
    from,
    terms,
    (effect) => effect,
    () => Effect.fail("no"),
  )
  expect(Exit.isFailure(await Effect.runPromiseExit(failing))).toBe(true)
  expect(bytes.length).toBe(0)
})

it("leaves a body alone that its host has read, and may still look at", async () => {
  const bytes = new Uint8Array(10)
  expect(await Effect.runPromise(read(request({ body: bytes })))).toBe(10)
  expect(bytes.length).toBe(10)
})

it("passes on what is no body", async () => {
  expect(await Effect.runPromise(read(request({ body: null, lateBody: (_, goOn) => goOn("crowded") })))).toBe(-1)
  expect(await Effect.runPromise(read(request({ body: null, lateBody: (_, goOn) => goOn(null) })))).toBe(-1)
})
