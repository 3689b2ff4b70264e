import { assert } from "@effect/vitest"
import { holdsLine } from "../../calls/rules/Call.ts"
import { type CallStatus, isTerminal } from "../../calls/rules/CallStatus.ts"
import type { SlotLevel } from "../../limits/rules/SlotLevels.ts"
import { organizationId, type World } from "./World.ts"

/**
 * What must hold after every event, judged by what the carrier really saw and by the rows: live legs within every ceiling (S1),
 * lines at all levels or at none (S2), a row behind every held line (S3), nobody dialled twice (S9, S10), and a terminal status
 * that never changes (S15).
 */
export const laws = (world: World, ceiling: number): (() => void) => {
  const ended = new Map<string, CallStatus>()
  const takenBack = new Set<string>()
  world.tables.onCommit((commit) => {
    for (const change of commit.changes) {
      if (change.put === "erased_call") takenBack.add(change.call.execution_id)
      if (change.put !== "call") continue
      const { execution_id, status } = change.row
      const before = ended.get(execution_id)
      assert(before === undefined || before === status, `${execution_id} went from ${before} to ${status}`)
      if (isTerminal(status)) ended.set(execution_id, status)
    }
  })
  return () => {
    const live = world.carrier.live().length
    assert(live <= ceiling, `${live} legs are live under a ceiling of ${ceiling}`)
    const dialled = world.dials.map((dial) => dial.execution_id)
    assert.strictEqual(new Set(dialled).size, dialled.length, "somebody was dialled twice")
    const counts = new Map<string, { level: SlotLevel; key: string; count: number }>()
    for (const member of world.slots.members()) {
      for (const { level, key } of member.levels) {
        const one = counts.get(`${level} ${key}`)
        if (one === undefined) counts.set(`${level} ${key}`, { level, key, count: 1 })
        else one.count += 1
      }
      const row = world.tables.calls.get(member.execution_id)
      // A record that was taken back may be given a line by a reconciler that read it just before; a later tick finds it.
      const hadRow = row !== undefined || takenBack.has(member.execution_id)
      assert(member.state === "reserved" || hadRow, `${member.execution_id} holds a line without a row`)
    }
    for (const { level, key, count } of counts.values()) assert.strictEqual(world.slots.used(level, key), count)
  }
}

/** What must hold once everything is over: every call has ended or is booked for later, and no line is held. */
export const assertOver = (world: World): void => {
  const placed = world.tables.auditTrail(organizationId).filter(({ action }) => action === "call.create")
  assert.strictEqual(
    new Set(placed.map(({ resource }) => resource.id)).size,
    placed.length,
    "a dial was recorded twice",
  )
  for (const { http_status, resource } of placed)
    assert.isNotNull(http_status, `${resource.id} was recorded unanswered`)
  for (const call of world.calls()) {
    const { execution_id, status, due_at } = call
    if (status === "scheduled" || status === "rescheduled") {
      assert(due_at !== null && due_at > world.now, `${execution_id} was forgotten`)
      continue
    }
    assert(isTerminal(status), `${execution_id} is still ${status}`)
    assert.isUndefined(call.unaudited, `${execution_id} was never recorded`)
    assert(!holdsLine(call), `${execution_id} still holds a line`)
    assert.isNull(due_at)
  }
  assert.deepStrictEqual([...world.slots.members()], [])
  assert.strictEqual(world.tables.calls.holding("organization", organizationId), 0)
}
