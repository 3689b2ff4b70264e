import { assert, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { Effect } from "effect"
import { AuditTrail } from "../../src/audit/AuditTrail.ts"
import { Suppressions } from "../../src/callees/Suppressions.ts"
import { Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId, World } from "../../src/testing/world/World.ts"

const atOnce = 10
const numbers = Array.from({ length: 3 }, (_, nth) => numberOf(nth))
const everywhere = { agent_id: null, campaign_id: null, reason: "asked", source: null, note: null, expires_at: null }

/** What goes on for long, and how its pieces are read or written. */
const longWork: Readonly<
  Record<string, { readonly operation: string; readonly once: (test: Campaigning) => Effect.Effect<unknown, unknown> }>
> = {
  "lists of contacts are stored": {
    operation: "contacts.fill",
    once: (test) => test.create(contactsOf(3)),
  },
  "the audit trail is verified": {
    operation: "audit.after",
    once: ({ world }) => world.run(Effect.flatMap(AuditTrail, (trail) => trail.verify(organizationId, {}))),
  },
  "numbers are looked for": {
    operation: "callees.several",
    once: ({ world }) =>
      world.run(Effect.flatMap(Suppressions, (suppressions) => suppressions.check(organizationId, numbers))),
  },
  "numbers are suppressed": {
    operation: "callees.several",
    once: ({ world }) =>
      world.run(Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, numbers, everywhere))),
  },
}

it.live.each(Object.entries(longWork))(
  "where %s, an organization has a share of what can be done at once",
  ([, { once, operation }]) =>
    Effect.gen(function* () {
      let [under, most, used] = [0, 0, 0]
      const world = new World({
        script: () => ending("completed"),
        interpose: (named, effect) =>
          named === operation
            ? Effect.acquireUseRelease(
                Effect.sync(() => {
                  under += 1
                  used += 1
                  most = Math.max(most, under)
                }),
                () => Effect.andThen(Effect.sleep(1), effect),
                () => Effect.sync(() => void (under -= 1)),
              )
            : effect,
      })
      yield* world.start()
      const test = new Campaigning(world)
      yield* Effect.all(
        Array.from({ length: atOnce }, () => once(test)),
        { concurrency: "unbounded" },
      )
      assert.isAtLeast(used, atOnce)
      assert.strictEqual(most, limits.piecesAtOnce)
    }).pipe(Effect.scoped),
)
