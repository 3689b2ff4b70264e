import * as fc from "fast-check"
import { expect, test } from "vitest"
import { Lane } from "../../src/clock/Lane.ts"

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve()
}

test("everything takes its turn in the order of arrival, one at a time, each after what goes before it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 40 }), async (lengths) => {
      const log: Array<string> = []
      let inside = 0
      let empty = 0
      const lane = new Lane(
        () => {
          log.push("before")
        },
        () => {
          empty += 1
        },
      )
      const works = lengths.map((length, nth) =>
        lane.run(async () => {
          inside += 1
          expect(inside).toBe(1)
          log.push(`start ${nth}`)
          await turns(length)
          log.push(`end ${nth}`)
          inside -= 1
          return nth
        }),
      )
      expect(await Promise.all(works)).toEqual(lengths.map((_, nth) => nth))
      await turns(8)
      expect(log).toEqual(lengths.flatMap((_, nth) => ["before", `start ${nth}`, `end ${nth}`]))
      expect(empty).toBe(lengths.length === 0 ? 0 : 1)
    }),
  )
})

test("work that fails fails for whoever gave it, and holds nobody up", async () => {
  const lane = new Lane(
    () => {},
    () => {},
  )
  const failed = lane.run(() => {
    throw new Error("no")
  })
  const next = lane.run(() => 1)
  await expect(failed).rejects.toThrow("no")
  expect(await next).toBe(1)
})

test("work that is entered from within a turn waits for its own", async () => {
  const log: Array<number> = []
  const lane = new Lane(
    () => {},
    () => {},
  )
  await lane.run(() => {
    lane.enter(() => void log.push(2))
    log.push(1)
  })
  await lane.run(() => {})
  expect(log).toEqual([1, 2])
})
