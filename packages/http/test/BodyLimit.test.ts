import { expect, it } from "vitest"
import { bodyLimit, isTakenLate } from "../src/BodyLimit.ts"

it.each<[string, string, number]>([
  ["POST", "/v2/campaigns", 32],
  ["POST", "/v2/campaigns/cmp_1/contacts", 32],
  ["POST", "/v2/batches", 32],
  ["POST", "/v2/batches/upload", 32],
  ["POST", "/v2/knowledge-bases", 50],
  ["POST", "/v2/knowledge-bases/docs/documents", 50],
  ["POST", "/v2/knowledge-bases/docs/query", 1],
  ["PATCH", "/v2/campaigns/cmp_1", 1],
  ["POST", "/v2/batches/bat_1/schedule", 1],
  ["POST", "/v2/calls", 1],
  ["GET", "/v2/campaigns", 1],
  ["POST", "/v2/nowhere", 1],
])("%s %s may have a body of %d MiB", (method, path, mebibytes) => {
  expect(bodyLimit(method, path)).toBe(mebibytes * 1024 * 1024)
})

it("is taken late only where files are uploaded", () => {
  expect(isTakenLate("POST", "/v2/knowledge-bases")).toBe(true)
  expect(isTakenLate("POST", "/v2/knowledge-bases/docs/documents")).toBe(true)
  expect(isTakenLate("POST", "/v2/batches/upload")).toBe(false)
  expect(isTakenLate("GET", "/v2/knowledge-bases")).toBe(false)
})
