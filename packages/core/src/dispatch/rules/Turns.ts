/** Turns a campaign may save up while it is blocked, at most. */
const carriedTurnsMax = 5

/** A campaign with a contact that could be dialled now. */
export interface TurnCandidate {
  readonly id: string
  /** Lines that its calls hold. */
  readonly used: number
  /** The lines it is guaranteed: `floorOf` of its load. */
  readonly floor: number
  /** Whether something refuses it a line at this moment: its ceiling, its agent's, the reserve of others. */
  readonly blocked: boolean
}

/** A freed line and who wants it. */
export interface FreedLine {
  /** Every campaign that is not empty, blocked or not. */
  readonly candidates: ReadonlyArray<TurnCandidate>
  /** F of the fair share. */
  readonly share: number
  /** Whether a direct dial waits that could use the line. */
  readonly directWaiting: boolean
}

/** Who gets the line. A campaign gets it as of right (`floor`) or because it is its turn. */
export type TurnChoice =
  | { readonly to: "direct" }
  | { readonly to: "campaign"; readonly id: string; readonly by: "floor" | "turn" }

interface Seat {
  readonly id: string
  /** Turns saved up beside the one that each round brings. */
  readonly carried: number
  /** The count of lines given to campaigns when it last got one or, if it has had none, when it came. */
  readonly servedAt: number
}

/** The memory between choices: plain data. */
export interface TurnState {
  /** Campaigns in the order of their turns, the next one first. */
  readonly ring: ReadonlyArray<Seat>
  /** Lines given to campaigns so far. */
  readonly served: number
  /** The last line that both sides wanted went to a direct dial, and campaigns have had none since. */
  readonly campaignsOwed: boolean
}

/** The state before the first choice. */
export const noTurns: TurnState = { ring: [], served: 0, campaignsOwed: false }

/** How many turns a blocked campaign may save up under a share. */
export const carriedTurnsLimit = (share: number): number => Math.max(1, Math.min(share, carriedTurnsMax))

/** Caps what is saved. Empty campaigns leave with theirs, and newcomers queue at the end: coming and going gains nothing. */
const reseat = (state: TurnState, line: FreedLine, byId: ReadonlyMap<string, TurnCandidate>): ReadonlyArray<Seat> => {
  const limit = carriedTurnsLimit(line.share)
  const ring: Array<Seat> = []
  const seated = new Set<string>()
  for (const seat of state.ring) {
    if (!byId.has(seat.id)) continue
    seated.add(seat.id)
    ring.push(seat.carried > limit ? { ...seat, carried: limit } : seat)
  }
  for (const { id } of line.candidates) {
    if (!seated.has(id)) ring.push({ id, carried: 0, servedAt: state.served })
  }
  return ring
}

/** Of the campaigns below their floor the one with the fewest lines; among equals the one that has waited longest. */
const belowFloor = (ring: ReadonlyArray<Seat>, byId: ReadonlyMap<string, TurnCandidate>): Seat | null => {
  let best: { readonly seat: Seat; readonly used: number } | null = null
  for (const seat of ring) {
    const candidate = byId.get(seat.id)
    if (candidate === undefined || candidate.blocked || candidate.used >= candidate.floor) continue
    const { used } = candidate
    if (best === null || used < best.used || (used === best.used && seat.servedAt < best.seat.servedAt)) {
      best = { seat, used }
    }
  }
  return best?.seat ?? null
}

/** Gives the line to the first campaign in turn that can use it. Those passed over save the turn; nobody saves one while no turn is taken. */
const takeTurn = (
  ring: ReadonlyArray<Seat>,
  byId: ReadonlyMap<string, TurnCandidate>,
  served: number,
): { readonly id: string; readonly ring: ReadonlyArray<Seat> } | null => {
  const passed: Array<Seat> = []
  for (const [index, seat] of ring.entries()) {
    if (byId.get(seat.id)?.blocked !== false) {
      passed.push({ ...seat, carried: seat.carried + 1 })
      continue
    }
    const waiting = [...ring.slice(index + 1), ...passed]
    const { id, carried } = seat
    // Saved turns are spent first, in a row; the round's own turn is the last and ends the visit.
    return carried > 0
      ? { id, ring: [{ id, carried: carried - 1, servedAt: served }, ...waiting] }
      : { id, ring: [...waiting, { id, carried, servedAt: served }] }
  }
  return null
}

/**
 * Chooses who gets a freed line (decisions.md, "Fair share, exactly"). When both wait, direct dials and campaigns alternate, a direct
 * dial first. Among campaigns those below their floor come first (lowest used / F, F being the same for all), then deficit round
 * robin with a quantum of one: between two campaigns that always could dial, turns differ by at most 2 + the turns one may carry.
 * A `choice` of null leaves the line free.
 */
export const next = (
  state: TurnState,
  line: FreedLine,
): { readonly state: TurnState; readonly choice: TurnChoice | null } => {
  const byId = new Map(line.candidates.map((candidate) => [candidate.id, candidate]))
  const ring = reseat(state, line, byId)
  const campaignsWait = line.candidates.some((candidate) => !candidate.blocked)
  if (line.directWaiting && !(campaignsWait && state.campaignsOwed)) {
    const campaignsOwed = state.campaignsOwed || campaignsWait
    return { state: { ...state, ring, campaignsOwed }, choice: { to: "direct" } }
  }
  const served = state.served + 1
  const short = belowFloor(ring, byId)
  if (short !== null) {
    const seats = ring.map((seat) => (seat === short ? { ...seat, servedAt: served } : seat))
    return {
      state: { ring: seats, served, campaignsOwed: false },
      choice: { to: "campaign", id: short.id, by: "floor" },
    }
  }
  const turn = takeTurn(ring, byId, served)
  if (turn === null) return { state: { ...state, ring }, choice: null }
  return {
    state: { ring: turn.ring, served, campaignsOwed: false },
    choice: { to: "campaign", id: turn.id, by: "turn" },
  }
}
