import type { AuditRecord } from "@carillon/core"
import { AuditChain } from "@carillon/core/domain"

/** A line of an exported trail that is no audit record. */
export class UnreadableLine extends Error {
  override readonly name = "UnreadableLine"
}

const isRecord = (value: unknown): value is AuditRecord =>
  typeof value === "object" &&
  value !== null &&
  "event_id" in value &&
  typeof value.event_id === "string" &&
  "sequence" in value &&
  typeof value.sequence === "number" &&
  "organization_id" in value &&
  typeof value.organization_id === "string" &&
  "prev_hash" in value &&
  typeof value.prev_hash === "string" &&
  "hash" in value &&
  typeof value.hash === "string"

/** Members that a JSON text writes: outside of texts, a colon stands for nothing else. */
const writtenMembers = (json: string): number => {
  let count = 0
  let isInText = false
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (isInText && character === "\\") at++
    else if (character === '"') isInText = !isInText
    else if (!isInText && character === ":") count++
  }
  return count
}

const members = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const values = Object.values(value)
  return values.reduce((sum: number, each) => sum + members(each), Array.isArray(value) ? 0 : values.length)
}

const recordOf = (line: string, number: number): AuditRecord => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UnreadableLine(`line ${number} is not JSON`)
  }
  if (!isRecord(value)) throw new UnreadableLine(`line ${number} is not an audit record`)
  // Who reads the file with another parser might see the one that this one does not.
  if (members(value) !== writtenMembers(line)) throw new UnreadableLine(`line ${number} names a member twice`)
  return value
}

/** Verifies an exported trail, one record to a line, in chain order; only the state of the verification is kept in memory. */
export const verifyLines = async (
  lines: AsyncIterable<string> | Iterable<string>,
  expected: AuditChain.ExpectedTail = {},
): Promise<AuditChain.ChainReport> => {
  let state = AuditChain.beginVerification(expected)
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line.trim() === "") continue
    state = AuditChain.verifyNext(state, recordOf(line, number))
    if (state.fault !== null) break
  }
  return AuditChain.endVerification(state)
}
