/** A lane as the rule of fair share sees it, as far as the rows tell. */
export interface Claim {
  readonly used: number
  /** Contacts that could surely be dialled now. */
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
  readonly lanes: ReadonlyArray<Claim>
}

const shareOf = (limit: number, active: number): number => (active === 0 ? limit : Math.floor(limit / active))

const lackOf = (share: number, { ceiling, used }: Claim, dialable: number): number =>
  Math.max(0, Math.min(share, ceiling ?? share, used + dialable) - used)

/**
 * Whether a lane may start one more call (decisions.md, "Fair share, exactly"), in words of its own, so that the engine's arithmetic is
 * held against it. Where it is not known which lanes have a demand: `surely`, if it may in any case; `possibly`, if it may in some.
 */
export const mayStart = ({ direct, lanes, limit }: Claims, index: number, how: "surely" | "possibly"): boolean => {
  const lane = lanes[index]
  const isSure = how === "surely"
  if (lane === undefined || (isSure ? lane.demand : lane.most) === 0) return false
  const cap = lane.ceiling ?? Infinity
  const free = limit - lanes.reduce((sum, { used }) => sum + used, direct)
  if (lane.used >= cap || free < 1) return false
  const least = shareOf(limit, lanes.filter(({ most }) => most > 0).length)
  const greatest = shareOf(limit, lanes.filter(({ demand }) => demand > 0).length)
  if (lane.used < Math.min(isSure ? least : greatest, cap)) return true
  const reserved = lanes.reduce(
    (sum, other) =>
      sum + (other === lane ? 0 : isSure ? lackOf(greatest, other, other.most) : lackOf(least, other, other.demand)),
    0,
  )
  return free - reserved >= 1
}
