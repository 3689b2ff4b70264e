/** Others that are wrong for the same reason by their names, of `count` in all. */
export const alsoIn = (others: ReadonlyArray<string>, count: number): string => {
  const named = others.length === 0 ? "" : `, also in ${others.join(", ")}`
  return count > others.length ? `${named} and ${count - others.length} more` : named
}
