import type { Result, Scale } from "./Harness.ts"
import { busy, type Conditions, othersCoresMax } from "./Machine.ts"

/** Why nothing that was measured meanwhile is a figure; null where others had next to nothing, or where that cannot be known. */
export const disturbed = (othersCores: number | null): string | null =>
  othersCores === null || othersCores <= othersCoresMax
    ? null
    : `others had ${othersCores.toFixed(2)} cores meanwhile, more than ${othersCoresMax}`

/** What of a result keeps it from being a figure. */
const faultsOf = ({ figures, othersCores, title }: Result): ReadonlyArray<string> => {
  const wrong = figures.filter(({ errors, mayErr }) => errors > 0 && !mayErr)
  const others = disturbed(othersCores)
  return [
    ...wrong.map(({ contender, errors }) => `${title}: ${errors} errors of ${contender}`),
    ...(others === null ? [] : [`${title}: ${others}`]),
  ]
}

/** Why results are not recorded; nothing where they are. */
export const unfit = (results: ReadonlyArray<Result>, scale: Scale, taken: Conditions): ReadonlyArray<string> => {
  const load = busy(taken)
  return [
    ...(scale === "small" ? ["a small run shows that it runs, no more"] : []),
    ...(results.length === 0 ? ["nothing was measured"] : []),
    ...(load === null ? [] : [load]),
    ...results.flatMap(faultsOf),
  ]
}
