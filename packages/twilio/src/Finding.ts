import { Effect } from "effect"
import { callbackUrl } from "./Addresses.ts"
import { bounds } from "./Bounds.ts"
import { addressesOf, callsTo } from "./Calls.ts"
import { endOfLeg, timeOf, type VendorCall } from "./CallWords.ts"
import type { KnownLeg } from "./LegBook.ts"
import type { Settings } from "./Settings.ts"

/** What Twilio's record of a candidate's requests says of it. */
export type Proof = "ours" | "anothers" | "open"

/**
 * Which of the candidates is the leg: only one that is proven. While one of them is open, nobody can say; two that are proven are none, for
 * then one cannot be told from the other.
 */
export const chosenOf = <A>(
  candidates: ReadonlyArray<{ readonly call: A; readonly proof: Proof }>,
): { readonly _tag: "Leg"; readonly call: A } | { readonly _tag: "None" } | { readonly _tag: "Open" } => {
  const [first, ...more] = candidates.filter(({ proof }) => proof === "ours")
  if (first !== undefined) return more.length === 0 ? { _tag: "Leg", call: first.call } : { _tag: "None" }
  return candidates.some(({ proof }) => proof === "open") ? { _tag: "Open" } : { _tag: "None" }
}

/** Where Twilio tells of the leg of an execution, and how such an address begins for all of them. */
export interface StatusAddress {
  readonly ours: string
  readonly anybodys: string
}

/**
 * What the record proves at a time. It names the address that the dial was sent with, which is one execution's and nobody else's. Twilio
 * promises it from 15 minutes after the end; a record that is silent is no proof before that, and one that cannot be read for a day is given up.
 */
export const proofOf = (
  addresses: ReadonlySet<string> | null,
  { anybodys, ours }: StatusAddress,
  endedAt: number | null,
  now: number,
): Proof => {
  if (addresses?.has(ours) === true) return "ours"
  if ([...(addresses ?? [])].some((address) => address.startsWith(anybodys))) return "anothers"
  const overFor = endedAt === null ? 0 : now - endedAt
  const patience = addresses === null ? bounds.unprovableMs : bounds.eventsReadyMs
  return overFor >= patience ? "anothers" : "open"
}

/** Whether a call can be the leg at all: made by an API request, while it was dialled. */
const canBe = (call: VendorCall, { since, until }: KnownLeg): boolean => {
  if (call.direction !== undefined && call.direction !== null && call.direction !== "outbound-api") return false
  const made = timeOf(call.date_created)
  if (made === null) return true
  return made >= since - bounds.clockSkewMs && (until === null || made <= until + bounds.clockSkewMs)
}

/** Looks for the leg of a dial whose answer got lost, and of which no callback has come. */
export const lookFor = Effect.fnUntraced(function* (settings: Settings, leg: KnownLeg, now: number) {
  const listed = yield* callsTo(settings, leg.to_number, leg.since)
  if (listed._tag === "Silent") return { _tag: "Open" as const }
  const calls = listed._tag === "Calls" ? listed.calls.filter((call) => canBe(call, leg)) : null
  if (calls === null || calls.length > bounds.candidates) {
    return { _tag: now - leg.since < bounds.unprovableMs ? ("Open" as const) : ("None" as const) }
  }
  const address = {
    ours: callbackUrl(settings, "status", leg.execution_id),
    anybodys: callbackUrl(settings, "status", ""),
  }
  const judged: Array<{ readonly call: VendorCall; readonly proof: Proof }> = []
  for (const call of calls) {
    const addresses = yield* addressesOf(settings, call.sid)
    judged.push({ call, proof: proofOf(addresses, address, endOfLeg(call), now) })
  }
  return chosenOf(judged)
})
