import { limits } from "../../Limits.ts"
import { fits } from "../../Measure.ts"
import type { Callee, Suppression, SuppressionScope, SuppressionWords } from "./Callee.ts"

/** Why somebody is not called whose number is suppressed. */
export const suppressedMessage = "This number is suppressed: it must not be called."

/** A call as far as suppressions look at it: its campaign, and the agents that make it and for which it is made. */
export interface CallScope {
  readonly campaign_id: string | null
  readonly agent_ids: ReadonlyArray<string>
}

/** Whether a suppression stands at a moment. */
export const isInForce = ({ expires_at }: Pick<Suppression, "expires_at">, at: number): boolean =>
  expires_at === null || at < expires_at

const isMeant = ({ agent_id, campaign_id }: SuppressionScope, call: CallScope): boolean => {
  if (agent_id !== null) return call.agent_ids.includes(agent_id)
  return campaign_id === null || campaign_id === call.campaign_id
}

/** The suppression that keeps a call from being made at a moment; null where there is none. */
export const suppressionOf = (callee: Callee | null, call: CallScope, at: number): Suppression | null =>
  callee?.suppressions.find((each) => isInForce(each, at) && isMeant(each, call)) ?? null

const isOfScope = (one: SuppressionScope, other: SuppressionScope): boolean =>
  one.agent_id === other.agent_id && one.campaign_id === other.campaign_id

const hasWords = ({ note, reason, source }: SuppressionWords): boolean => (note ?? reason ?? source) !== null

/** Whether the first end comes after the second; null is no end. */
const isLater = (one: number | null, other: number | null): boolean => other !== null && (one === null || one > other)

/**
 * A suppression that is asked for once more, where that makes it stand longer, else the one that stands. It never ends earlier, and when it was first
 * asked for stays: to end it earlier is to remove it, which is another right.
 */
const lengthened = (before: Suppression, asked: Suppression): Suppression => {
  if (!isLater(asked.expires_at, before.expires_at)) return before
  const { note, reason, source } = hasWords(asked) ? asked : before
  return { ...before, note, reason, source, expires_at: asked.expires_at }
}

const isForAll = ({ agent_id, campaign_id }: SuppressionScope): boolean => agent_id === null && campaign_id === null

/**
 * Whether a number can have no more suppressions of agents and campaigns. One place, and the room for what it says, is for that of the organization,
 * which is never refused for the sake of narrower ones.
 */
const isFull = (suppressions: ReadonlyArray<Suppression>): boolean => {
  const narrow = suppressions.filter((each) => !isForAll(each))
  return narrow.length >= limits.suppressionsPerNumber || !fits(narrow, limits.suppressionRowBytes)
}

/** What became of a suppression that was to be added; `full` where the number has as many as it may. */
export type Added = "added" | "replaced" | "unchanged" | "full"

/** The callee with a suppression, in the place of the one of its scope. What has ended goes. It is the same where nothing changes. */
export const suppressed = (
  callee: Callee,
  suppression: Suppression,
  now: number,
): { readonly callee: Callee; readonly became: Added } => {
  const standing = callee.suppressions.filter((each) => isInForce(each, now))
  const before = standing.find((each) => isOfScope(each, suppression))
  const after = before === undefined ? suppression : lengthened(before, suppression)
  if (after === before) return { callee, became: "unchanged" }
  const suppressions = [...standing.filter((each) => each !== before), after]
  if (!isForAll(suppression) && isFull(suppressions)) return { callee, became: "full" }
  return { callee: { ...callee, suppressions }, became: before === undefined ? "added" : "replaced" }
}

/** The callee without the suppression of a scope, whether it stands or has ended; the same where it has none. What has ended goes. */
export const released = (callee: Callee, scope: SuppressionScope, now: number): Callee => {
  if (!callee.suppressions.some((each) => isOfScope(each, scope))) return callee
  const suppressions = callee.suppressions.filter((each) => isInForce(each, now) && !isOfScope(each, scope))
  return { ...callee, suppressions }
}

/**
 * The callee of an erased person: that the number must not be called stays, and nothing of what was said. What has ended protects nobody any more,
 * and goes, and so do the calls that were counted, which would name the person's. It is the same where nothing of it is to go.
 */
export const erasedCallee = (callee: Callee, now: number): Callee => {
  const standing = callee.suppressions.filter((each) => isInForce(each, now))
  const { attempts = [], ...uncounted } = callee
  const isBare = attempts.length === 0 && !standing.some(hasWords)
  if (isBare && standing.length === callee.suppressions.length) return callee
  return { ...uncounted, suppressions: standing.map((each) => ({ ...each, reason: null, source: null, note: null })) }
}

/** A number of which nothing was known. */
export const unknownCallee = (organization_id: string, to_number: string): Callee => ({
  organization_id,
  to_number,
  revision: 0,
  suppressions: [],
})
