import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { Store } from "../engine/ports/Store.ts"
import { figure } from "../tallies/rules/Tally.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import { law } from "./Law.ts"
import { fresh, sampleCommit } from "./Samples.ts"

const names = ["call:completed", "contact:in_progress", "depth:0"] as const

/** Lays down what every adapter of `TallyStore` must do. Figures are changed through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | TallyStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("adds up what commits add, each commit once", () =>
      law(
        fc.array(
          fc.record({
            of: fc.nat(1),
            name: fc.constantFrom(...names),
            by: fc.integer({ min: -3, max: 3 }),
            twice: fc.boolean(),
          }),
        ),
        Effect.fnUntraced(function* (added) {
          const store = yield* Store
          const tallies = yield* TallyStore
          const subjects = [fresh("cmp_"), fresh("bat_")]
          const expected = new Map<string, number>()
          for (const { of, name: of_figure, by, twice } of added) {
            const subject = subjects[of] ?? ""
            const commit = sampleCommit("org_sample", {
              changes: [{ put: "tally", subject, add: { [of_figure]: by } }],
            })
            yield* store.commit(commit)
            if (twice) yield* store.commit(commit)
            expected.set(subject + of_figure, (expected.get(subject + of_figure) ?? 0) + by)
          }
          for (const subject of subjects) {
            const tally = yield* tallies.read(subject)
            for (const each of names) assert.strictEqual(figure(tally, each), expected.get(subject + each) ?? 0)
          }
        }),
      ),
    )
  })
