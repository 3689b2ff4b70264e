import { afterEach, expect, test, vi } from "vitest"
import { progressText, showProgress } from "../../src/cli/Progress.ts"
import { Client } from "../Client.ts"

afterEach(() => {
  vi.useRealTimers()
})

test("one line says how the world stands", async () => {
  const client = await Client.start()
  await client.dial("+999500900000001")
  expect(progressText({ ...client.simulator.glance(), eventsPerSecond: 12_345 })).toBe(
    "2026-01-05T09:00:00.000Z · 1 requests · 1 calls · 1 live · 0 waiting · 12,345 events/s · 0 violations",
  )
})

test("the line is drawn again only while something happens, and ends with a new line", async () => {
  vi.useFakeTimers()
  const glance = { now: 0, requests: 1, calls: 1, live: 0, waiting: 0, eventsPerSecond: 0, violations: 0 }
  const written: Array<string> = []
  const stop = showProgress(
    () => glance,
    (text) => written.push(text),
  )
  vi.advanceTimersByTime(5_000)
  expect(written).toEqual([`\r\u001b[2K${progressText(glance)}`])
  stop()
  expect(written.at(-1)).toBe("\n")
})
