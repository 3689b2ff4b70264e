/** A decoded query string. A parameter that is repeated keeps its values in order; the same value twice is one. */
export type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

const empty: Query = {}

/** Decodes a query string as browsers do: what cannot be decoded stays as it is or becomes U+FFFD, and nothing fails. */
export const parseQuery = (text: string): Query => {
  if (text === "") return empty
  const query: Record<string, string | Array<string>> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const known = query[name]
    if (known === undefined) query[name] = value
    else if (typeof known !== "string") known.push(value)
    else if (known !== value) query[name] = [known, value]
  }
  return query
}

/** Whether every `organization_id` that was sent is the key's own: it is validated, never an override (1102). */
export const namesOrganization = (query: Query, organizationId: string): boolean => {
  const named = query["organization_id"]
  if (named === undefined) return true
  return typeof named === "string" ? named === organizationId : named.every((value) => value === organizationId)
}
