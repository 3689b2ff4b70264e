import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { UploadPlaces } from "../knowledge/ports/UploadPlaces.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

const move = fc.record({
  holder: fc.constantFrom("a", "b", "c"),
  kind: fc.constantFrom("take", "release"),
  passed: fc.nat(3),
})

/** A place lasts so many milliseconds. */
const lease = 5

/** Lays down what every adapter of `UploadPlaces` must do. */
export const suite = <E>(name: string, layer: Layer.Layer<UploadPlaces, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("gives each organization's place to one holder at a time, until it is given back or lapses", () =>
      law(
        fc.array(fc.tuple(fc.boolean(), move), { maxLength: 30 }),
        Effect.fnUntraced(function* (moves) {
          const places = yield* UploadPlaces
          const organizations = [fresh("org_"), fresh("org_")]
          const held = new Map<string, { readonly holder: string; readonly until: number }>()
          let now = sampleEpoch
          for (const [first, { holder, kind, passed }] of moves) {
            const organizationId = organizations[first ? 0 : 1] ?? ""
            now += passed
            const place = held.get(organizationId)
            if (kind === "release") {
              yield* places.release(organizationId, holder)
              if (place?.holder === holder) held.delete(organizationId)
              continue
            }
            const free = place === undefined || place.holder === holder || place.until <= now
            const until = now + lease
            assert.strictEqual(yield* places.take(organizationId, holder, { now, until }), free)
            if (free) held.set(organizationId, { holder, until })
          }
        }),
      ),
    )
  })
