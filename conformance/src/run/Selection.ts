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
