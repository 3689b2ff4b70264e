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

/** A row of `membersScript`: execution id, organization, fence, held, end of the reservation, lines. */
export type MemberRow = readonly [string, string, number, number, number, ReadonlyArray<string>]

const isMemberRow = (value: unknown): value is MemberRow =>
  Array.isArray(value) &&
  value.slice(0, 2).every(isString) &&
  value.slice(2, 5).every(isNumber) &&
  listOf(isString)(value[5])

export const number = expect(isNumber)
export const numbers = expect(listOf(isNumber))
export const strings = expect(listOf(isString))
export const memberRows = expect(listOf(isMemberRow))
