const nameMax = 100
const suffix = " (copy)"

/** The name of a copy: the copied name, cut so that the whole has at most 100 characters (decisions.md, "Readings"). */
export const cloneName = (displayName: string): string =>
  [...displayName].slice(0, nameMax - suffix.length).join("") + suffix
