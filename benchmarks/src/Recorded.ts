import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Option, Schema } from "effect"
import type { Result } from "./Harness.ts"

const Figure = Schema.Struct({
  contender: Schema.String,
  operationsPerSecond: Schema.Number,
  operationsPerCpuSecond: Schema.Number,
  bytesPerOperation: Schema.NullOr(Schema.Number),
  latency: Schema.NullOr(Schema.Struct({ p50: Schema.Number, p99: Schema.Number })),
  ratio: Schema.Number,
  cpuRatio: Schema.Number,
  spread: Schema.Number,
  rounds: Schema.Number,
  errors: Schema.Number,
  mayErr: Schema.Boolean,
  warmUp: Schema.Struct({ rounds: Schema.Number, operations: Schema.Number, steady: Schema.Boolean }),
})

const Recorded = Schema.fromJsonString(
  Schema.Struct({
    results: Schema.Array(
      Schema.Struct({
        scenario: Schema.String,
        title: Schema.String,
        reference: Schema.String,
        figures: Schema.Array(Figure),
        notes: Schema.Array(Schema.String),
        othersCores: Schema.NullOr(Schema.Number),
      }),
    ),
  }),
)

const decode = Schema.decodeUnknownOption(Recorded)

/** What was recorded of a scenario last; nothing where that was before figures were of warm contenders on a quiet machine. */
export const recorded = (directory: string, scenario: string): ReadonlyArray<Result> => {
  try {
    const text = readFileSync(join(directory, `${scenario}.json`), "utf8")
    return Option.match(decode(text), { onNone: () => [], onSome: ({ results }) => results })
  } catch {
    return []
  }
}
