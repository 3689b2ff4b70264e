import {
  type ApiKey,
  type Caller,
  DependencyUnavailable,
  type EngineError,
  Forbidden,
  KeyInactive,
  InvalidField,
  Keys,
  limits,
  NotFound,
  StateConflict,
} from "@carillon/core"
import { ApiKeyFormat, ScopePolicy } from "@carillon/core/domain"
import { CurrentParty } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { sampleKey } from "../../src/testing/Samples.ts"
import { law } from "../../src/testing/Law.ts"
import { away, caller, key, organizationId, World } from "../../src/testing/world/World.ts"

const text = "gat_a-key-that-somebody-holds"

const row: ApiKey = sampleKey(organizationId, {
  key_id: ApiKeyFormat.keyId(text),
  hash: ApiKeyFormat.hashKey(text),
  key_preview: ApiKeyFormat.keyPreview(text),
})

const startedWorld = Effect.fnUntraced(function* (isAway: () => boolean = () => false) {
  let lookups = 0
  const world = new World({
    rows: [{ put: "api_key", row }],
    interpose: (operation, effect) => {
      if (operation === "keys.findByHash") lookups += 1
      return isAway() && /^keys\.|^store\.rows$/.test(operation) ? away : effect
    },
  })
  yield* world.start()
  return { world, keys: world.service(Keys), lookups: () => lookups }
})

/** A caller whose key has the given stored scopes. */
const holding = (scopes: ReadonlyArray<string> | null, changes: Partial<ApiKey> = {}): Caller => ({
  ...caller,
  key: { ...key, scopes, scopes_source: scopes === null ? "grandfathered" : "explicit", ...changes },
})

const admin = holding(["*", "keys:write"])

const authenticationAway = Exit.fail(new DependencyUnavailable({ dependency: "authentication_service" }))

describe("authenticating", () => {
  it.effect("knows the keys of the store by their text alone, and no others", () =>
    Effect.gen(function* () {
      const { keys } = yield* startedWorld()
      assert.deepStrictEqual(yield* keys.authenticate(text), row)
      assert.isNull(yield* keys.authenticate(`${text}.`))
      assert.isNull(yield* keys.authenticate(text.toUpperCase()))
      assert.isNull(yield* keys.authenticate(row.hash))
    }),
  )

  it.effect("asks the store once a minute", () =>
    Effect.gen(function* () {
      const { world, keys, lookups } = yield* startedWorld()
      for (let nth = 0; nth < 3; nth++) yield* keys.authenticate(text)
      world.now += limits.cacheMs - 1
      yield* keys.authenticate(text)
      assert.strictEqual(lookups(), 1)
      world.now += 1
      yield* keys.authenticate(text)
      assert.strictEqual(lookups(), 2)
    }),
  )

  it.effect(
    "asks for a key that it knew for its organization, which waits behind no stranger, and for any other for nobody",
    () =>
      Effect.gen(function* () {
        const parties: Array<string> = []
        const world = new World({
          rows: [{ put: "api_key", row }],
          interpose: (operation, effect) =>
            operation === "keys.findByHash"
              ? Effect.andThen(
                  Effect.map(CurrentParty, (party) => void parties.push(party)),
                  effect,
                )
              : effect,
        })
        yield* world.start()
        const keys = world.service(Keys)
        for (const asked of [text, "gat_another"]) yield* keys.authenticate(asked)
        world.now += limits.cacheMs
        for (const asked of [text, "gat_another"]) yield* keys.authenticate(asked)
        world.now += limits.staleKeyMs
        yield* keys.authenticate(text)
        assert.deepStrictEqual(parties, ["", "", organizationId, "", ""])
      }),
  )

  it.effect("forgets a key that the store does not know any more", () =>
    Effect.gen(function* () {
      let state: "there" | "gone" | "away" = "there"
      const world = new World({
        rows: [{ put: "api_key", row }],
        interpose: (operation, effect) => {
          if (operation !== "keys.findByHash" || state === "there") return effect
          return state === "gone" ? Effect.succeed(null) : away
        },
      })
      yield* world.start()
      const keys = world.service(Keys)
      yield* keys.authenticate(text)
      world.now += limits.cacheMs
      state = "gone"
      assert.isNull(yield* keys.authenticate(text))
      state = "away"
      assert.deepEqual(yield* Effect.exit(keys.authenticate(text)), authenticationAway)
    }),
  )

  it.effect("with the store away serves a key that it knows for an hour, and nobody else", () =>
    Effect.gen(function* () {
      let isAway = true
      const { world, keys } = yield* startedWorld(() => isAway)
      assert.deepEqual(yield* Effect.exit(keys.authenticate(text)), authenticationAway)
      isAway = false
      yield* keys.authenticate(text)
      isAway = true
      world.now += limits.staleKeyMs - 1
      assert.deepStrictEqual(yield* keys.authenticate(text), row)
      assert.deepEqual(yield* Effect.exit(keys.authenticate("gat_another")), authenticationAway)
      world.now += 1
      assert.deepEqual(yield* Effect.exit(keys.authenticate(text)), authenticationAway)
      isAway = false
      assert.deepStrictEqual(yield* keys.authenticate(text), row)
    }),
  )
})

describe("revoking", () => {
  it.effect("is live at once in this process, and stays so while the store is away", () =>
    Effect.gen(function* () {
      let isAway = false
      const { world, keys } = yield* startedWorld(() => isAway)
      yield* keys.authenticate(text)
      world.now += 1_000
      const revoked = yield* keys.revoke(admin, row.key_id)
      assert.deepInclude(revoked, { status: "inactive", revoked_at: world.now, revision: 2 })
      isAway = true
      assert.deepStrictEqual(yield* keys.authenticate(text), revoked)
    }),
  )

  it.effect("is seen within a minute by a process that knew the key, whoever revoked it", () =>
    Effect.gen(function* () {
      const { world, keys } = yield* startedWorld()
      assert.strictEqual((yield* keys.authenticate(text))?.status, "active")
      world.write({ put: "api_key", row: { ...row, revision: 2, status: "inactive", revoked_at: world.now } })
      // However often it is asked meanwhile: being asked for keeps nothing fresh.
      for (let second = 0; second < 60; second++) {
        world.now += 1_000
        yield* keys.authenticate(text)
      }
      assert.strictEqual((yield* keys.authenticate(text))?.status, "inactive")
    }),
  )

  it.effect("is not undone by an answer that was read before and comes after it", () =>
    Effect.gen(function* () {
      let isFirst = true
      const world: World = new World({
        rows: [{ put: "api_key", row }],
        interpose: (operation, effect) => {
          if (operation !== "keys.findByHash" || !isFirst) return effect
          isFirst = false
          return Effect.tap(effect, () => Effect.suspend(() => world.service(Keys).revoke(admin, row.key_id)))
        },
      })
      yield* world.start()
      const keys = world.service(Keys)
      assert.strictEqual((yield* keys.authenticate(text))?.status, "active")
      assert.strictEqual((yield* keys.authenticate(text))?.status, "inactive")
    }),
  )

  it.effect("twice gives the same answer and one audit record; a key never revokes itself, nor a stranger's", () =>
    Effect.gen(function* () {
      const { world, keys } = yield* startedWorld()
      const once = yield* keys.revoke(admin, row.key_id)
      world.now += 5_000
      assert.deepStrictEqual(yield* keys.revoke(admin, row.key_id), once)
      assert.deepStrictEqual(
        world.commits.flatMap((commit) => commit.audit.map(({ action, resource }) => ({ action, resource }))),
        [{ action: "api_key.revoke", resource: { type: "api_key", id: row.key_id } }],
      )
      const self = holding(null, { key_id: row.key_id })
      assert.deepEqual(
        yield* Effect.exit(keys.revoke(self, row.key_id)),
        Exit.fail(new StateConflict({ message: "You cannot revoke the key you are authenticating with." })),
      )
      const unknown = Exit.fail(new NotFound({ message: "API key not found." }))
      assert.deepEqual(yield* Effect.exit(keys.revoke(admin, "key_unknown")), unknown)
      const theirs = sampleKey("org_stranger", { key_id: "key_stranger" })
      world.write({ put: "api_key", row: theirs })
      const stranger = { ...admin, organization_id: "org_stranger", key: theirs }
      assert.deepEqual(yield* Effect.exit(keys.revoke(stranger, row.key_id)), unknown)
    }),
  )
})

describe("minting", () => {
  it.effect("gives a key whose text is stored nowhere, which authenticates and is listed first", () =>
    Effect.gen(function* () {
      const { world, keys } = yield* startedWorld()
      world.now += 1_000
      const minted = yield* keys.mint(admin, { name: "CI", scopes: ["calls:read"] })
      assert.match(minted.key, /^gat_[A-Za-z0-9_-]{43}$/)
      assert.deepInclude(minted.record, {
        description: "CI",
        scopes: ["calls:read"],
        scopes_source: "explicit",
        status: "active",
        organization_id: organizationId,
        created_at: world.now,
        key_id: ApiKeyFormat.keyId(minted.key),
        key_preview: ApiKeyFormat.keyPreview(minted.key),
      })
      assert.deepStrictEqual(yield* keys.authenticate(minted.key), minted.record)
      assert.notInclude(JSON.stringify(world.commits), minted.key.slice(4, -4))
      const { items, total } = yield* keys.page(organizationId, { page: 1, page_size: 1 })
      assert.deepStrictEqual({ items, total }, { items: [minted.record], total: 3 })
      const again = yield* keys.mint(admin, { name: "CI", scopes: ["calls:read"] })
      assert.notStrictEqual(again.key, minted.key)
    }),
  )

  it.effect("never gives more than the minting key holds", () =>
    law(
      fc.record({
        held: fc.option(fc.subarray([...ScopePolicy.scopes, "calls:*", "*"])),
        asked: fc.option(fc.subarray([...ScopePolicy.scopes])),
        grant: fc.boolean(),
      }),
      Effect.fnUntraced(function* ({ held, asked, grant }) {
        const { keys } = yield* startedWorld()
        const minter = holding(held)
        const request = { name: "law", grant_api_keys_write: grant, ...(asked === null ? {} : { scopes: asked }) }
        const exit = yield* Effect.exit(keys.mint(minter, request))
        if (Exit.isFailure(exit)) return
        const { scopes, scopes_source } = exit.value.record
        assert(scopes !== null)
        for (const scope of ScopePolicy.scopes) {
          const isGiven = ScopePolicy.allows({ scopes, keys_write_enabled: false }, scope)
          if (isGiven) assert(ScopePolicy.allows(minter.key, scope), `${scope} was given and is not held`)
        }
        assert.strictEqual(scopes_source, asked === null ? "inherited" : "explicit")
        assert(grant || !scopes.includes("keys:write"))
      }, Effect.scoped),
      { numRuns: 40 },
    ),
  )

  it.effect("says what is wrong, and stores nothing then", () =>
    Effect.gen(function* () {
      const { world, keys } = yield* startedWorld()
      const before = world.commits.length
      const refusals = [
        [
          keys.mint(admin, { name: "x", scopes: ["calls:delete"] }),
          new InvalidField({ field: "scopes", reason: `valid values are ${ScopePolicy.scopes.join(", ")}` }),
        ],
        [
          keys.mint(admin, { name: "x", scopes: ["keys:write"] }),
          new InvalidField({ field: "grant_api_keys_write", reason: "must be true to give the new key keys:write" }),
        ],
        [
          keys.mint(holding(["calls:read"]), { name: "x", scopes: ["calls:read", "calls:write", "agents:read"] }),
          new Forbidden({
            message: "This API key cannot grant scopes that it does not hold: calls:write, agents:read.",
            missing: ["calls:write", "agents:read"],
          }),
        ],
      ] as const
      for (const [minting, refusal] of refusals) assert.deepEqual(yield* Effect.exit(minting), Exit.fail(refusal))
      assert.strictEqual(world.commits.length, before)
    }),
  )

  it.effect("needs the store, as listing and revoking do", () =>
    Effect.gen(function* () {
      let isAway = false
      const { keys } = yield* startedWorld(() => isAway)
      yield* keys.authenticate(text)
      isAway = true
      assert(Exit.isFailure(yield* Effect.exit(keys.page(organizationId, { page: 1, page_size: 10 }))))
      assert(Exit.isFailure(yield* Effect.exit(keys.revoke(admin, row.key_id))))
    }),
  )
})

describe("a key that is revoked while it is still cached", () => {
  const one: ApiKey = { ...row, scopes: null, keys_write_enabled: true }
  const other: ApiKey = { ...one, key_id: "key_another", hash: "another" }
  const by = (held: ApiKey): Caller => ({ ...caller, key: held })
  const revoked = Exit.fail(new KeyInactive())
  const asked: Readonly<Record<string, (keys: Keys["Service"]) => Effect.Effect<unknown, EngineError>>> = {
    mints: (keys: Keys["Service"]) => keys.mint(by(one), { name: "x" }),
    revokes: (keys: Keys["Service"]) => keys.revoke(by(one), other.key_id),
  }

  for (const [does, ask] of Object.entries(asked)) {
    it.effect(`${does} nothing, also where it is revoked just before the write`, () =>
      Effect.gen(function* () {
        for (const when of ["store.rows", "store.commit"]) {
          let isFirst = true
          const world: World = new World({
            rows: [one, other].map((each) => ({ put: "api_key", row: each })),
            interpose: (operation, effect) => {
              if (operation !== when || !isFirst) return effect
              isFirst = false
              world.write({ put: "api_key", row: { ...one, revision: 2, status: "inactive", revoked_at: world.now } })
              return effect
            },
          })
          yield* world.start()
          const before = world.commits.length
          assert.deepEqual(yield* Effect.exit(ask(world.service(Keys))), revoked)
          assert.strictEqual(world.commits.length, before + 1)
        }
      }).pipe(Effect.scoped),
    )

    it.effect(`${does} nothing, once the store does not know it any more`, () =>
      Effect.gen(function* () {
        const world = new World({ rows: [{ put: "api_key", row: other }] })
        yield* world.start()
        const before = world.commits.length
        assert.deepEqual(yield* Effect.exit(ask(world.service(Keys))), revoked)
        assert.strictEqual(world.commits.length, before)
      }),
    )
  }
})
