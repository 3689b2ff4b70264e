import type { Case } from "../run/Case.ts"

/** Every case of the suite, in the order in which they run. */
export const cases: ReadonlyArray<Case> = []
