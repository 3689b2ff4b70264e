import type { AuditEntry, Commit } from "@carillon/core/ports"
import { MemoryTables } from "@carillon/core/memory"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FieldIndex } from "../../src/memory/FieldIndex.ts"
import { RateTable } from "../../src/memory/MemoryRates.ts"
import { OrderedIndex } from "../../src/memory/OrderedIndex.ts"
import { sampleAudit, sampleCall, sampleCommit, sampleEpoch, sampleOrganization } from "../../src/testing/Samples.ts"

describe("MemoryTables", () => {
  it("writes nothing of a commit whose audit entry cannot be chained", () => {
    const tables = new MemoryTables()
    const call = sampleCall("org_test")
    const impossible: AuditEntry = sampleAudit("org_test", { details: { figure: Number.NaN } })
    const commit = sampleCommit("org_test", {
      changes: [{ put: "call", row: call }],
      audit: [sampleAudit("org_test"), impossible],
    })
    expect(() => tables.commit(commit)).toThrow(TypeError)
    expect(tables.calls.get(call.execution_id)).toBeUndefined()
    expect(tables.auditTrail("org_test")).toEqual([])
    expect(tables.commit({ ...commit, audit: [sampleAudit("org_test")] })).toBeUndefined()
    expect(tables.auditTrail("org_test")).toHaveLength(1)
  })

  it("tells its listeners of every commit that applied, once and in order, until they have heard enough", () => {
    const tables = new MemoryTables()
    const heard: Array<string> = []
    const stop = tables.onCommit((commit) => heard.push(commit.id))
    const first = sampleCommit("org_test", { changes: [{ put: "organization", row: sampleOrganization("org_test") }] })
    const refused = sampleCommit("org_test", {
      changes: [{ put: "organization", row: sampleOrganization("org_test") }],
    })
    const second = sampleCommit("org_test")
    for (const commit of [first, first, refused, second]) tables.commit(commit)
    stop()
    tables.commit(sampleCommit("org_test"))
    expect(heard).toEqual([first.id, second.id])
  })

  it("remembers the last ten thousand commits, and no more", () => {
    const tables = new MemoryTables()
    let applied = 0
    tables.onCommit(() => (applied += 1))
    const commits: ReadonlyArray<Commit> = Array.from({ length: 10_001 }, () => sampleCommit("org_test"))
    for (const commit of commits) tables.commit(commit)
    const [oldest, ...rest] = commits
    for (const commit of rest) tables.commit(commit)
    expect(applied).toBe(10_001)
    if (oldest !== undefined) tables.commit(oldest)
    expect(applied).toBe(10_002)
  })
})

describe("the indexes", () => {
  it("keep rows in list order under any adding and removing", () => {
    const command = fc.record({
      adds: fc.boolean(),
      nth: fc.nat(12),
      value: fc.constantFrom("a", "b"),
    })
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (script) => {
        const rows = Array.from({ length: 13 }, (_, sequence) => ({
          created_at: sampleEpoch + (sequence % 4),
          sequence,
        }))
        const index = new FieldIndex<(typeof rows)[number]>()
        const held = new Map<string, Array<(typeof rows)[number]>>()
        for (const { adds, nth, value } of script) {
          const row = rows[nth]
          if (row === undefined) continue
          const own = held.get(value) ?? []
          if (adds && !own.includes(row)) {
            index.add(value, row)
            held.set(value, [...own, row])
          } else if (!adds) {
            index.remove(value, row)
            held.set(
              value,
              own.filter((one) => one !== row),
            )
          }
        }
        for (const value of ["a", "b", "c"]) {
          const sorted = (held.get(value) ?? []).toSorted(
            (a, b) => a.created_at - b.created_at || a.sequence - b.sequence,
          )
          const found: OrderedIndex<(typeof rows)[number]> = index.get(value)
          expect(Array.from({ length: found.size }, (_, position) => found.at(position))).toEqual(sorted)
          for (let from = sampleEpoch - 1; from <= sampleEpoch + 4; from++) {
            for (let to = from - 1; to <= sampleEpoch + 4; to++) {
              const [begin, end] = found.range(from, to)
              const within = sorted.filter((row) => row.created_at >= from && row.created_at <= to)
              expect(sorted.slice(begin, end)).toEqual(within)
            }
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe("the rate counters in memory", () => {
  it("stay bounded, and what no longer weighs anything gives way first", () => {
    const table = new RateTable(2)
    const minute = 60_000
    const at = Math.floor(sampleEpoch / minute) * minute
    table.hit("org_old", "default", 5, at)
    table.hit("org_busy", "default", 5, at + 2 * minute)
    table.hit("org_new", "default", 5, at + 2 * minute)
    expect(table.peek("org_busy", "default", 5, at + 2 * minute).remaining).toBe(4)
    expect(table.peek("org_new", "default", 5, at + 2 * minute).remaining).toBe(4)
    table.hit("org_newer", "default", 5, at + 2 * minute)
    expect(table.peek("org_busy", "default", 5, at + 2 * minute).remaining).toBe(5)
    expect(table.peek("org_newer", "default", 5, at + 2 * minute).remaining).toBe(4)
  })
})
