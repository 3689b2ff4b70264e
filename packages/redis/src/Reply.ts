import { type Dependency, DependencyUnavailable } from "@carillon/core"
import { Effect } from "effect"

/** What a script must have answered; a server that answers something else is none of ours. */
const expect =
  <A>(isExpected: (reply: unknown) => reply is A) =>
  (dependency: Dependency) =>
  (reply: unknown): Effect.Effect<A, DependencyUnavailable> =>
    isExpected(reply) ? Effect.succeed(reply) : Effect.fail(new DependencyUnavailable({ dependency }))

const isNumber = (value: unknown): value is number => typeof value === "number"

const isString = (value: unknown): value is string => typeof value === "string"

const listOf =
  <A>(isOne: (value: unknown) => value is A) =>
  (value: unknown): value is ReadonlyArray<A> =>
    Array.isArray(value) && value.every(isOne)

/** A reply of `scanScript`: where to go on, and execution ids, each with its membership. */
export type Scanned = readonly [string, ReadonlyArray<string>]

const isScanned = (value: unknown): value is Scanned =>
  Array.isArray(value) && isString(value[0]) && listOf(isString)(value[1])

/** A reply of `lapseScript`: the dials that were granted a line, and how many counts were wrong. */
type Lapsed = readonly [ReadonlyArray<string>, number]

const isLapsed = (value: unknown): value is Lapsed =>
  Array.isArray(value) && listOf(isString)(value[0]) && isNumber(value[1])

export const number = expect(isNumber)
export const numbers = expect(listOf(isNumber))
export const strings = expect(listOf(isString))
export const scanned = expect(isScanned)
export const lapsed = expect(isLapsed)
