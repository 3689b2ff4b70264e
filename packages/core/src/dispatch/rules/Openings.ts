/** One opening as instants, half-open: `closes` is the first moment outside. */
export interface OpenWindow {
  readonly opens: number
  readonly closes: number
}

/** When something is open: the opening that holds an instant, else the first after it, or null when there is none in sight. */
export type Openings = (at: number) => OpenWindow | null

/**
 * The first opening from the instant on in which all are open, the one that holds it among them; null when none begins by `until`. Whoever
 * opens last says where to go on looking: before that, nothing can be common.
 */
export const commonOpening = (all: ReadonlyArray<Openings>, at: number, until: number): OpenWindow | null => {
  for (let from = at; from <= until;) {
    let opens = -Infinity
    let closes = Infinity
    for (const openingFrom of all) {
      const opening = openingFrom(from)
      if (opening === null) return null
      opens = Math.max(opens, opening.opens)
      closes = Math.min(closes, opening.closes)
    }
    if (opens < closes) return { opens, closes }
    from = opens
  }
  return null
}

/** The first instant from `at` on at which all are open; null when there is none by `until`. */
export const firstCommon = (all: ReadonlyArray<Openings>, at: number, until: number): number | null => {
  const opening = commonOpening(all, at, until)
  return opening === null ? null : Math.max(at, opening.opens)
}
