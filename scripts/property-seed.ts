import * as fc from "fast-check"

const firstSeed = 20_260_105

/**
 * Property tests draw the same values in every run of `npm test`, so that a change alone can turn it red.
 * `CARILLON_SEED=random` draws new ones, `CARILLON_SEED=N` those of a failure that was reported with seed N.
 */
const wanted = process.env["CARILLON_SEED"] ?? String(firstSeed)

if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number.parseInt(wanted, 10) })
