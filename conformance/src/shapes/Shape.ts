import { valueAt } from "../http/Json.ts"
import type { Kind } from "./Kind.ts"

/** A field that the specification gives a resource, with the clause that does. */
export interface Field {
  /** Dotted path within the resource; `turns[].heard` speaks of every item. */
  readonly path: string
  readonly kind: Kind
  readonly clauses: ReadonlyArray<string>
}

/** The fields of a resource. Fields beyond these are always allowed. */
export interface Shape {
  readonly name: string
  readonly fields: ReadonlyArray<Field>
}

/** A field from its path, kind and clauses. */
export const field = (path: string, kind: Kind, ...clauses: ReadonlyArray<string>): Field => ({ path, kind, clauses })

/** How a field of a resource differs from what it should be; undefined when it does not. */
export const misfit = (resource: unknown, { path, kind }: Field): Misfit | undefined => {
  const [place = "", ...rest] = path.split("[].")
  const value = valueAt(resource, place)
  if (rest.length === 0) {
    return kind.accepts(value) ? undefined : { expected: `${path}: ${kind.name}`, got: value ?? String(value) }
  }
  if (!Array.isArray(value)) return { expected: `${place}: an array`, got: value ?? String(value) }
  for (const item of value) {
    const inner = misfit(item, { path: rest.join("[]."), kind, clauses: [] })
    if (inner !== undefined) return { expected: `${place}[].${inner.expected}`, got: inner.got }
  }
  return undefined
}

/** What a field should be, and what it is. */
export interface Misfit {
  readonly expected: string
  readonly got: unknown
}
