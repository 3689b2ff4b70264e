/** Between one look at a call and the next, unless told: far below the rate at which calls may be read. */
export const defaultEveryMs = 2_000

/** How long the end of a call is waited for, unless told. */
export const defaultAtMostMs = 30 * 60_000

/** A shorter time between two looks is taken as this one. */
export const leastEveryMs = 100
