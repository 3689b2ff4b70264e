/** The checks of a set of requirements: a case, and the ids of its checks, parted by spaces. */
export type RequirementSet = Readonly<Record<string, string>>
