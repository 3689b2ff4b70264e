import { Api, type RouteName } from "@carillon/api"
import { Result, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { expect } from "vitest"
import type { Answer } from "./World.ts"

type Successes = ReadonlyMap<number, ReadonlyArray<Schema.Top>>

const successes = (): ReadonlyMap<string, Successes> => {
  const found = new Map<string, Successes>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => found.set(`${group.identifier}.${endpoint.identifier}`, successes),
  })
  return found
}

const declared = successes()

/** Holds an answer against what the contract declares for its status, with no key too many. */
export const expectDeclared = (name: RouteName, answer: Answer) => {
  const schemas = declared.get(name)?.get(answer.status) ?? []
  expect(schemas, `${name} declares ${answer.status}`).not.toEqual([])
  if (answer.text === null) return
  const failures = schemas.flatMap((schema) => {
    const decode = Schema.decodeUnknownResult(schema as Schema.Decoder<unknown>, { onExcessProperty: "error" })
    const result = decode(answer.json)
    return Result.isFailure(result) ? [String(result.failure)] : []
  })
  if (failures.length === schemas.length)
    expect.fail(`${name} ${answer.status}: ${failures.join("\n")}\n${answer.text}`)
}
