const firstSeed = 20_260_105

const seedFrom = (wanted: string): number => {
  // oxlint-disable-next-line no-restricted-properties -- here a seed begins; whoever fails by it prints it
  if (wanted === "random") return Math.floor(Math.random() * 2 ** 31)
  const seed = Number(wanted)
  if (!Number.isInteger(seed)) throw new Error(`CARILLON_SEED is a whole number or "random", not ${wanted}`)
  return seed
}

/**
 * What tests draw is the same in every run of `npm test`, so that a change alone can turn it red. `CARILLON_SEED=random` draws anew,
 * `CARILLON_SEED=N` again what a failure was drawn that was reported with seed N.
 */
export const seed = seedFrom(process.env["CARILLON_SEED"] ?? String(firstSeed))
