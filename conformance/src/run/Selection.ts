/** Choosing cases and checks by pattern. */

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)

/** A glob as a regular expression: `*` stands for anything but a slash, `**` for anything. */
export const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("**")
      .map((part) => part.split("*").map(escaped).join("[^/]*"))
      .join(".*")}$`,
  )

/** True when a pattern selects an id: the id itself, a glob over it, or a folder above it. */
export const matches = (pattern: string, id: string): boolean => {
  const glob = globOf(pattern.replace(/\/+$/, ""))
  if (glob.test(id)) return true
  const parts = id.split("/")
  return parts.some((_part, index) => index > 0 && glob.test(parts.slice(0, index).join("/")))
}

const clauseLike = /^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$/

/** True when a pattern selects a case by its id, or by a clause or clause prefix (`CALL-STOP`) that it is about. */
export const selects = (
  pattern: string,
  subject: { readonly id: string; readonly clauses: ReadonlyArray<string> },
): boolean =>
  clauseLike.test(pattern)
    ? subject.clauses.some((clause) => clause === pattern || clause.startsWith(`${pattern}-`))
    : matches(pattern, subject.id)

/** One of several runs that share the cases between them: the second of three is `{ nth: 2, of: 3 }`. */
export interface Shard {
  readonly nth: number
  readonly of: number
}

/** Which cases a run executes, and in which order. */
export interface Choice {
  /** Patterns that select cases; none selects all. */
  readonly only: ReadonlyArray<string>
  readonly shard: Shard | undefined
  /** Ids of cases that come before all others: those that failed the last time. */
  readonly first: ReadonlyArray<string>
}

interface Subject {
  readonly id: string
  readonly clauses: ReadonlyArray<string>
}

/** The cases of a run. Each case is in exactly one shard, whatever the others do. */
export const chosenOf = <Of extends Subject>(
  cases: ReadonlyArray<Of>,
  { first, only, shard }: Choice,
): ReadonlyArray<Of> => {
  const wanted = cases.filter((each) => only.length === 0 || only.some((pattern) => selects(pattern, each)))
  const own = shard === undefined ? wanted : wanted.filter((_each, index) => index % shard.of === shard.nth - 1)
  const early = new Set(first)
  return [...own.filter(({ id }) => early.has(id)), ...own.filter(({ id }) => !early.has(id))]
}
