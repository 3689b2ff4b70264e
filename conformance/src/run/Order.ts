/** In which order cases begin. */

interface Subject {
  readonly id: string
}

/** One of each folder after the other, each folder in its own order: cases of one folder wait for the same part of a server. */
export const dealt = <Of extends Subject>(cases: ReadonlyArray<Of>): ReadonlyArray<Of> => {
  const folders = Map.groupBy(cases, ({ id }) => id.split("/", 1)[0])
  const rounds = Math.max(0, ...Array.from(folders.values(), ({ length }) => length))
  return Array.from({ length: rounds }, (_, round) =>
    Array.from(folders.values()).flatMap((folder) => folder.slice(round, round + 1)),
  ).flat()
}

/**
 * Those that go beside others begin first, so that the lanes are full until the last of them; then those that are alone, as they are
 * listed. So it is among those that come before all others, too.
 */
export const inOrder = <Of extends Subject>(
  cases: ReadonlyArray<Of>,
  goesBeside: (each: Of) => boolean,
  first: ReadonlyArray<string>,
): ReadonlyArray<Of> => {
  const early = new Set(first)
  return [true, false].flatMap((isEarly) => {
    const here = cases.filter(({ id }) => early.has(id) === isEarly)
    return [...dealt(here.filter(goesBeside)), ...here.filter((each) => !goesBeside(each))]
  })
}
