import { SlotLevels } from "@carillon/core/domain"
import type { SlotDemand, SlotLevel, SlotMember } from "@carillon/core/ports"

const names = ["slots", "queue", "deadlines", "rebuilds"] as const

const olderNames = ["slots", "lines", "queue", "deadlines"] as const

/** The keys of the gate, in the order in which its scripts name them: under one hash tag, because a line is taken at all levels at once. */
export const slotKeys = (prefix: string): ReadonlyArray<string> => names.map((name) => `{${prefix}:gate}:2:${name}`)

/** The keys of a gate that counted memberships, in releases before this one. What is in them means nothing to this one. */
export const olderSlotKeys = (prefix: string): ReadonlyArray<string> =>
  olderNames.map((name) => `{${prefix}:gate}:${name}`)

/** A level's key as the scripts write it: the field under which its lines are counted. */
export const lineOf = ({ level, key }: { readonly level: SlotLevel; readonly key: string }): string =>
  `#${level} ${key}`

/** A membership without its state and its fence, which come before it. No id holds a NUL. */
export const tailOf = (
  organizationId: string,
  levels: ReadonlyArray<Pick<SlotDemand, "level" | "key">>,
  token: string,
  reservedUntil: number,
): string => {
  let tail = ""
  for (const level of levels) tail += `\0${lineOf(level)}`
  return `${tail}\0@${organizationId}\0!${token}\0~${reservedUntil}`
}

const levelOf = (line: string): { readonly level: SlotLevel; readonly key: string } | null => {
  const level = SlotLevels.slotLevels.find((one) => line.startsWith(`#${one} `))
  return level === undefined ? null : { level, key: line.slice(level.length + 2) }
}

/** A membership as the scripts keep it, read. */
export const memberOf = (executionId: string, member: string): SlotMember => {
  const [head = "", ...parts] = member.split("\0")
  const levels: Array<{ readonly level: SlotLevel; readonly key: string }> = []
  let organization_id = ""
  let reserved_until = 0
  for (const part of parts) {
    const level = levelOf(part)
    if (level !== null) levels.push(level)
    else if (part.startsWith("@")) organization_id = part.slice(1)
    else if (part.startsWith("~")) reserved_until = Number(part.slice(1))
  }
  const isHeld = head.startsWith("1")
  return {
    execution_id: executionId,
    organization_id,
    levels,
    fence: Number(head.slice(1)),
    state: isHeld ? "held" : "reserved",
    reserved_until: isHeld ? 0 : reserved_until,
  }
}
