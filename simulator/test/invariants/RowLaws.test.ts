import type { AuditRecord, Call, CallStatus } from "@carillon/core"
import { AuditChain, directDial, newCall } from "@carillon/core/domain"
import type { Commit } from "@carillon/core/ports"
import { expect, test } from "vitest"
import { Invariants } from "../../src/invariants/Invariants.ts"
import { rowLaws } from "../../src/invariants/RowLaws.ts"

const watch = (retention = 100) => {
  const trail: Array<AuditRecord> = []
  const invariants = new Invariants(() => 0)
  const laws = rowLaws(invariants, {
    audit: { after: (_, sequence) => trail.slice(sequence) },
    retention,
    moved: () => {},
  })
  return { laws, trail, broken: () => invariants.violations.map(({ name }) => name) }
}

const call = (execution_id: string, status: CallStatus, revision: number, rest: Partial<Call> = {}): Call => ({
  ...newCall(
    "org_1",
    execution_id,
    {
      agent_id: "agt_1",
      to_number: "+12125550100",
      from_number: null,
      variables: {},
      metadata: {},
      scheduled_at: null,
      record: true,
      timeout_seconds: 30,
    },
    directDial,
    0,
  ),
  revision,
  status,
  ...rest,
})

const commit = (...calls: ReadonlyArray<Call>): Commit => ({
  id: "cmt_1",
  organization_id: "org_1",
  expect: [],
  changes: calls.map((row) => ({ put: "call", row })),
  wakeups: [],
  events: [],
  audit: [],
})

const entry = (nth: number) => ({
  event_id: `aud_${nth}`,
  organization_id: "org_1",
  actor: { type: "system", key_id: null } as const,
  action: "call.create",
  resource: { type: "call", id: null },
  outcome: "allowed" as const,
  error_code: null,
  http_status: null,
  request_id: null,
  details: {},
  created_at: nth,
})

test("calls are counted once by their present status, folded records not at all", () => {
  const { laws, broken } = watch(1)
  laws.observe(commit(call("exec_1", "queued", 1), call("exec_2", "queued", 1)))
  laws.observe(commit(call("exec_1", "completed", 2)))
  expect(laws.callsByStatus()).toEqual({ queued: 1, completed: 1 })
  laws.observe(commit(call("exec_2", "queued", 2, { folded_into: "exec_3" }), call("exec_3", "queued", 1)))
  expect(laws.callsByStatus()).toEqual({ queued: 1, completed: 1 })
  laws.observe(commit(call("exec_3", "busy", 2)))
  // The first is forgotten by now; a late fact about it counts nothing anew.
  laws.observe(commit(call("exec_1", "completed", 3)))
  expect(laws.callsByStatus()).toEqual({ busy: 1, completed: 1 })
  expect(broken()).toEqual([])
})

test("a dial that was taken back is no call", () => {
  const { laws } = watch()
  const taken = call("exec_1", "queued", 1)
  laws.observe(commit(taken, call("exec_2", "queued", 1)))
  laws.observe({ ...commit(), changes: [{ put: "erased_call", call: taken }] })
  expect(laws.callsByStatus()).toEqual({ queued: 1 })
})

test("S15: a terminal status that changes", () => {
  const { broken, laws } = watch()
  laws.observe(commit(call("exec_1", "stopped", 1)))
  laws.observe(commit(call("exec_1", "stopped", 2)))
  expect(broken()).toEqual([])
  laws.observe(commit(call("exec_1", "completed", 3)))
  expect(broken()).toEqual(["S15"])
})

test("S16: a trail that was edited, cut into, or written by somebody else", () => {
  const records: Array<AuditRecord> = []
  for (const nth of [1, 2, 3]) {
    const last = records.at(-1)
    records.push(AuditChain.append(last === undefined ? AuditChain.emptyChain : AuditChain.headOf(last), entry(nth)))
  }
  const [first, second, third] = [records[0]!, records[1]!, records[2]!]
  const brokenBy = (...trail: ReadonlyArray<AuditRecord>) => {
    const watched = watch()
    for (const record of trail) {
      watched.trail.push(record)
      watched.laws.observe({ ...commit(), audit: [entry(0)] })
    }
    return watched.broken()
  }
  expect(brokenBy(first, second, third)).toEqual([])
  expect(brokenBy(first, { ...second, action: "call.forged" })).toEqual(["S16"])
  expect(brokenBy(first, third)).toEqual(["S16"])
})

test("S17: a commit that writes a row of another organization, or debits it", () => {
  const { broken, laws } = watch()
  laws.observe({ ...commit(call("exec_1", "queued", 1)), organization_id: "org_2" })
  laws.observe({ ...commit(), changes: [{ put: "debit", organization_id: "org_9", amount: 1 }] })
  expect(broken()).toEqual(["S17", "S17"])
})
