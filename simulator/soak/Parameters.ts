import type { Dice } from "./Dice.ts"

const hourMs = 3_600_000

/** A change of the clocks: what was drawn as the night of a world. */
export interface Night {
  readonly kind: "gap" | "overlap"
  readonly timezone: string
  /** Epoch milliseconds. */
  readonly at: number
}

const nights: readonly [Night, ...ReadonlyArray<Night>] = [
  { kind: "gap", timezone: "America/New_York", at: Date.UTC(2026, 2, 8, 7) },
  { kind: "overlap", timezone: "America/New_York", at: Date.UTC(2026, 10, 1, 6) },
  { kind: "gap", timezone: "Europe/Berlin", at: Date.UTC(2026, 2, 29, 1) },
  { kind: "overlap", timezone: "Europe/Berlin", at: Date.UTC(2026, 9, 25, 1) },
]

/** What is drawn of a world before anything happens in it. */
export interface Parameters {
  readonly epoch: string
  readonly night: Night | null
  readonly organizations: number
  readonly agents: number
  /** Lines of an organization, at the least and beyond. */
  readonly lines: readonly [least: number, beyond: number]
  readonly platformLines: number | null
  /** Things that are done to the world before it is left alone. */
  readonly steps: number
  /** How often a step of the engine lets others get on in its middle, for each use of its stores. */
  readonly interleaving: number
  /** How often each kind of thing is done, relative to the others. */
  readonly weights: {
    readonly dial: number
    readonly stop: number
    readonly campaign: number
    readonly steer: number
    readonly batch: number
    readonly agent: number
    readonly webhook: number
    readonly resource: number
    /** Numbers that must not be called. */
    readonly suppress: number
    /** Numbers that may be called only so often. */
    readonly cap: number
    /** Campaigns that pause themselves. */
    readonly breaker: number
    /** Campaigns that go by priority, or call the last ones first. */
    readonly order: number
    /** Rows that are kept for a week; it lets many days go by. */
    readonly forget: number
    readonly slip: number
    readonly read: number
    readonly fault: number
    readonly crash: number
    readonly account: number
    readonly time: number
    readonly rush: number
    /** Uploads that a minute and the one before allow, and more. */
    readonly uploads: number
    /** Done only where others get on in the middle of steps. */
    readonly ending: number
    /** Two requests of which each takes away what the other rests on; done only there, too. */
    readonly meeting: number
  }
}

/** Each kind of thing is left out of some worlds, so that the others happen among themselves. */
const weight = (dice: Dice, most: number): number => (dice.happens(0.15) ? 0 : dice.draw() * most)

export const drawParameters = (dice: Dice): Parameters => {
  const night = dice.happens(0.4) ? dice.oneOf(nights) : null
  const interleaving = dice.happens(0.5) ? dice.oneOf([0.01, 0.05, 0.2]) : 0
  const epoch = night === null ? Date.UTC(2026, 0, 5, 9) + dice.upTo(300 * 24) * hourMs : night.at - 2 * hourMs
  return {
    epoch: new Date(epoch).toISOString(),
    night,
    organizations: 1 + dice.upTo(2),
    agents: 1 + dice.upTo(3),
    lines: [1 + dice.upTo(4), dice.upTo(20)],
    platformLines: dice.happens(0.25) ? 4 + dice.upTo(30) : null,
    steps: 60 + dice.upTo(140),
    weights: {
      dial: 1 + weight(dice, 12),
      stop: weight(dice, 4),
      campaign: weight(dice, 3),
      steer: weight(dice, 4),
      batch: weight(dice, 3),
      agent: weight(dice, 2),
      webhook: weight(dice, 3),
      resource: weight(dice, 4),
      slip: weight(dice, 1.5),
      read: weight(dice, 2),
      fault: weight(dice, 2.5),
      crash: weight(dice, 1.5),
      account: weight(dice, 1),
      time: 4 + weight(dice, 8),
      rush: dice.happens(0.03) ? 0.3 : 0,
      uploads: weight(dice, 0.3),
      ending: interleaving > 0 ? weight(dice, 3) : 0,
      meeting: interleaving > 0 ? weight(dice, 3) : 0,
      suppress: weight(dice, 1.5),
      forget: dice.happens(0.3) ? 0.3 : 0,
      cap: weight(dice, 1),
      breaker: weight(dice, 1),
      order: weight(dice, 1),
    },
    interleaving,
  }
}
