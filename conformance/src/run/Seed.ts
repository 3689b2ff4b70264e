/** The randomness of a run: every case draws from the run's seed and its own id, so a case can be replayed alone. */

/** A 32-bit hash of a text (FNV-1a). */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash ^= text.charCodeAt(at)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/** The seed of one case within a run. */
export const seedOf = (runSeed: number, caseId: string): number => hashOf(`${runSeed}:${caseId}`)

/** The seed of everything that one case draws anew in each run. */
export const freshSeedOf = (nonce: string, caseId: string): number => hashOf(`${nonce}/${caseId}`)

/** A stream of numbers in [0, 1) that depends on nothing but its seed (mulberry32). */
export const streamOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
