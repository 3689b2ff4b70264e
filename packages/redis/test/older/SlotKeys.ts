import type { SlotLevel } from "@carillon/core/ports"

const names = ["slots", "lines", "queue", "deadlines", "rebuilds"] as const

/** The keys of the gate, in the order in which its scripts name them: under one hash tag, because a line is taken at all levels at once. */
export const slotKeys = (prefix: string): ReadonlyArray<string> => names.map((name) => `{${prefix}:gate}:${name}`)

/** A level's key as the scripts write it. */
export const lineOf = ({ level, key }: { readonly level: SlotLevel; readonly key: string }): string => `${level} ${key}`
