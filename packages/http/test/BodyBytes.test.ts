import * as fc from "fast-check"
import { expect, it } from "vitest"
import { BodyBytes } from "../src/BodyBytes.ts"
import type { Untaken } from "../src/Edge.ts"

const counting = (maxBytes: number, room = Infinity) => {
  const asked = { bytes: 0 }
  const take = (bytes: number): Untaken | null => {
    asked.bytes += bytes
    return asked.bytes > room ? "crowded" : null
  }
  return { asked, terms: { maxBytes, take } }
}

const pieces = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 60 })

it("gives back what it was given, however it came and whatever was announced", () => {
  fc.assert(
    fc.property(pieces, fc.option(fc.nat({ max: 200_000 })), (chunks, announced) => {
      const { asked, terms } = counting(1_000_000)
      const bytes = new BodyBytes(terms, announced)
      for (const chunk of chunks) expect(bytes.push(chunk)).toBeNull()
      const whole = Buffer.concat(chunks)
      expect(Buffer.from(bytes.finish())).toEqual(whole)
      // What is held is asked for, and is in proportion to what came: twice as much, or what was announced once an eighth of that is there.
      const all = announced !== null && 8 * whole.length >= announced ? announced : 0
      expect(asked.bytes).toBeGreaterThanOrEqual(whole.length)
      expect(asked.bytes).toBeLessThanOrEqual(Math.max(2 * whole.length, 64 * 1024, all))
    }),
  )
})

it("takes a byte at a time in no more memory than all of them at once", () => {
  const { asked, terms } = counting(1024 * 1024)
  const bytes = new BodyBytes(terms, null)
  for (let nth = 0; nth < 1024 * 1024; nth++) bytes.push(Uint8Array.of(nth))
  expect([asked.bytes, bytes.finish().length]).toEqual([1024 * 1024, 1024 * 1024])
})

it("takes nothing that is only announced", () => {
  const { asked, terms } = counting(32 * 1024 * 1024)
  new BodyBytes(terms, 32 * 1024 * 1024).push(new Uint8Array(10))
  expect(asked.bytes).toBe(64 * 1024)
})

it("moves no more than a quarter of what was announced, and takes no more than that", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1024 * 1024, max: 32 * 1024 * 1024 }), (announced) => {
      let held = 0
      let moved = 0
      const take = (bytes: number): null => {
        moved = held
        held += bytes
        return null
      }
      const bytes = new BodyBytes({ maxBytes: 32 * 1024 * 1024, take }, announced)
      for (let sent = 0; sent < announced; sent += 64 * 1024) {
        bytes.push(new Uint8Array(Math.min(64 * 1024, announced - sent)))
      }
      expect(bytes.finish().length).toBe(announced)
      expect(held).toBe(announced)
      expect(moved).toBeLessThanOrEqual(announced / 4)
    }),
    { numRuns: 10 },
  )
})

it("refuses what is too much for its route, or for the room", () => {
  expect(new BodyBytes(counting(10).terms, null).push(new Uint8Array(11))).toBe("oversize")
  expect(new BodyBytes(counting(10).terms, null).push(new Uint8Array(10))).toBeNull()
  expect(new BodyBytes(counting(100, 9).terms, null).push(new Uint8Array(10))).toBe("crowded")
})

it("takes 64 KiB at once, and what comes after that in its turn", () => {
  const pace = (goOn: () => void) => goOn()
  const bytes = new BodyBytes({ maxBytes: 1024 * 1024, take: () => null, pace }, null)
  const turns = Array.from({ length: 8 }, () => bytes.turnOf(new Uint8Array(32 * 1024)))
  expect(turns).toEqual([null, pace, null, pace, null, pace, null, pace])
  expect(
    new BodyBytes({ maxBytes: 1024 * 1024, take: () => null }, null).turnOf(new Uint8Array(1024 * 1024)),
  ).toBeNull()
})

it("gives back at once the memory that a growing body was in before", () => {
  const bytes = new BodyBytes(counting(1_000_000).terms, null)
  bytes.push(new Uint8Array(100))
  const before = bytes.finish()
  bytes.push(new Uint8Array(100_000))
  expect([before.length, bytes.finish().length]).toEqual([0, 100_100])
})
