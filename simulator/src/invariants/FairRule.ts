/** Lanes that stand alike, as the rule of fair share sees them, as far as the rows tell. */
export interface Claim {
  /** How many lanes stand so. */
  readonly lanes: number
  /** Lines that each of them has. */
  readonly used: number
  /** Contacts of each that could surely be dialled now. */
  readonly demand: number
  /** The same if nothing holds any of them back. */
  readonly most: number
  readonly ceiling: number | null
}

/** An organization's lines as the rule sees them. */
export interface Claims {
  readonly limit: number
  /** Lines held by calls of no lane. */
  readonly direct: number
  readonly claims: ReadonlyArray<Claim>
}

const shareOf = (limit: number, active: number): number => (active === 0 ? limit : Math.floor(limit / active))

const lackOf = (share: number, { ceiling, used }: Claim, dialable: number): number =>
  Math.max(0, Math.min(share, ceiling ?? share, used + dialable) - used)

/** How many lanes there are of those claims of which something is true. */
const lanesWith = (claims: ReadonlyArray<Claim>, isSo: (claim: Claim) => boolean): number => {
  let lanes = 0
  for (const claim of claims) if (isSo(claim)) lanes += claim.lanes
  return lanes
}

/** Lines that must stay free for other lanes than one of `own`. */
const reservedFor = (claims: ReadonlyArray<Claim>, own: Claim, lack: (claim: Claim) => number): number => {
  let lines = 0
  for (const claim of claims) lines += (claim === own ? claim.lanes - 1 : claim.lanes) * lack(claim)
  return lines
}

/**
 * Whether one of the lanes that stand as `own`, which is among the claims, may start one more call (decisions.md, "Fair share, exactly"), in
 * words of its own, so that the engine's arithmetic is held against it. Where it is not known which lanes have a demand: `surely`, if it may
 * in any case; `possibly`, if it may in some.
 */
export const mayStart = ({ claims, direct, limit }: Claims, own: Claim, how: "surely" | "possibly"): boolean => {
  const isSure = how === "surely"
  if ((isSure ? own.demand : own.most) === 0) return false
  const cap = own.ceiling ?? Infinity
  const free = claims.reduce((left, { lanes, used }) => left - lanes * used, limit - direct)
  if (own.used >= cap || free < 1) return false
  const least = shareOf(
    limit,
    lanesWith(claims, ({ most }) => most > 0),
  )
  const greatest = shareOf(
    limit,
    lanesWith(claims, ({ demand }) => demand > 0),
  )
  if (own.used < Math.min(isSure ? least : greatest, cap)) return true
  const reserved = isSure
    ? reservedFor(claims, own, (other) => lackOf(greatest, other, other.most))
    : reservedFor(claims, own, (other) => lackOf(least, other, other.demand))
  return free - reserved >= 1
}
