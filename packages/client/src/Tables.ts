import { operations } from "./Operations.ts"

/** A record with the same names and other values. */
const mapValues = <A, B>(from: Readonly<Record<string, A>>, to: (value: A, name: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(value, name)]))

/** Something for every operation, by group and name. */
export const forEveryOperation = <A>(
  make: (operation: string, group: string, name: string) => A,
): Readonly<Record<string, Readonly<Record<string, A>>>> =>
  mapValues(operations, (names, group) =>
    mapValues<string, A>(names, (operation, name) => make(operation, group, name)),
  )

/** Whether there is something for every operation. That it is of the contract's type rests on the table, which is made of the contract. */
export const isComplete = (made: Readonly<Record<string, object>>): boolean =>
  Object.entries(operations).every(([group, names]) => Object.keys(names).every((name) => name in (made[group] ?? {})))

/** Whether an operation answers pages. */
export const isPaged = (operation: string): boolean => operation.endsWith(" paged")

/** A page, as far as walking on from it needs to know it. */
interface Page {
  readonly data: ReadonlyArray<unknown>
  readonly pagination: { readonly page: number; readonly has_more: boolean }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Whether an answer is a page. */
export const isPage = (answer: unknown): answer is Page =>
  isRecord(answer) &&
  Array.isArray(answer["data"]) &&
  isRecord(answer["pagination"]) &&
  typeof answer["pagination"]["page"] === "number" &&
  typeof answer["pagination"]["has_more"] === "boolean"
