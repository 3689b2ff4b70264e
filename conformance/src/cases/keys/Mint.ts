import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { keyIdOf, keyPreviewOf, mintedKeyIn } from "../../trial/KeyId.ts"
import { allScopes, grandfatheredScopes } from "../../trial/Scopes.ts"
import type { Trial } from "../../trial/Trial.ts"

const mint = async (trial: Trial, client: Client, body: unknown): Promise<Answer> => {
  const answer = await client.post("/v2/api-keys", body)
  if (mintedKeyIn(answer) !== "") trial.secret(mintedKeyIn(answer))
  return answer
}

/** What a minted key holds, as it says itself. */
const heldBy = async (client: Client, answer: Answer): Promise<ReadonlyArray<string>> => {
  const scopes = await client.as(mintedKeyIn(answer)).get("/v2/scopes")
  return scopes
    .items("scopes")
    .filter(isObject)
    .flatMap(({ scope, granted }) => (granted === true ? [String(scope)] : []))
    .sort()
}

const sorted = (scopes: ReadonlyArray<string>): ReadonlyArray<string> => [...scopes].sort()

const secret: Case = {
  id: "keys/mint/secret",
  title: "Minting answers the secret once, and the key works at once for the same organization",
  clauses: ["KEY-MINT-2", "KEY-MINT-5", "KEY-FORMAT-1", "KEY-FORMAT-2", "KEY-MINT-P1", "ERROR-STATUS-3", "ORG-3"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.organization()
    const answer = await mint(trial, client, { name: "for the report" })
    check.status("created", ["KEY-MINT-5", "ERROR-STATUS-3"], answer, 201)
    const key = mintedKeyIn(answer)
    check.that("format", "KEY-FORMAT-1", /^gat_[A-Za-z0-9_-]{43,}$/.test(key), {
      expected: "gat_ and at least 43 URL-safe characters (32 bytes)",
      got: `${key.slice(0, 4)} and ${key.length - 4} characters`,
      at: answer,
    })
    const me = await client.as(key).get("/v2/user/me")
    check.status("works-at-once", "KEY-MINT-5", me, 200)
    check.equal("same-organization", "ORG-3", me.at("organization_id"), organizationId, me)
    check.equal("key-id", "KEY-MINT-P1", answer.at("key_id"), await keyIdOf(key), answer)
    check.holds("preview", "KEY-MINT-P1", answer.at("key_preview") === keyPreviewOf(key), "the masked key", answer)
    check.equal("name", "KEY-MINT-P1", answer.at("name"), "for the report", answer)
    check.equal("status", "KEY-MINT-P1", answer.at("status"), "active", answer)
    check.holds("created-at", "KEY-MINT-P1", answer.string("created_at") !== "", "created_at", answer)
    const second = await mint(trial, client, { name: "for the report" })
    check.holds("unique", "KEY-FORMAT-1", mintedKeyIn(second) !== key, "another key", second)
    const list = await client.get("/v2/api-keys")
    check.holds("never-again", "KEY-FORMAT-2", !list.text.includes(key), "no full key", list)
  },
}

const scopes: Case = {
  id: "keys/mint/scopes",
  title: "A new key holds what it was given, never more than its minter and never keys:write by accident",
  clauses: [
    "KEY-MINT-3",
    "KEY-MINT-4",
    "KEY-MINT-6",
    "KEY-MINT-7",
    "KEY-MINT-8",
    "KEY-MINT-P1",
    "KEY-MINT-P6",
    "SCOPE-9",
    "VERSION-5",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { clients } = await trial.organization({
      keys: [{ keys_write: true }, { scopes: ["keys:write", "calls:read", "calls:write"] }],
    })
    const [old, narrow] = clients
    if (old === undefined || narrow === undefined) return

    const inherited = await mint(trial, old, { name: "inherited" })
    check.equal(
      "grandfathered-minter",
      ["KEY-MINT-6", "KEY-MINT-7", "SCOPE-9"],
      await heldBy(old, inherited),
      sorted(grandfatheredScopes),
      inherited,
    )
    const said = await old.as(mintedKeyIn(inherited)).get("/v2/scopes")
    check.equal(
      "grandfathering-does-not-propagate",
      ["VERSION-5", "KEY-MINT-7"],
      said.at("key.grandfathered"),
      false,
      said,
    )
    check.equal(
      "written-out",
      "KEY-MINT-7",
      said.items("key.granted").map(String).sort(),
      sorted(grandfatheredScopes),
      said,
    )
    check.equal("source-inherited", "KEY-MINT-P1", inherited.at("scopes_source"), "inherited", inherited)

    const child = await mint(trial, narrow, { name: "child" })
    check.equal(
      "inherits-minus-keys",
      ["KEY-MINT-6", "SCOPE-9"],
      await heldBy(narrow, child),
      ["calls:read", "calls:write"],
      child,
    )
    const list = await mint(trial, narrow, { name: "list", scopes: ["calls:read"] })
    check.equal("explicit", "KEY-MINT-3", await heldBy(narrow, list), ["calls:read"], list)
    check.equal("source-explicit", "KEY-MINT-P1", list.at("scopes_source"), "explicit", list)
    const nothing = await mint(trial, narrow, { name: "nothing", scopes: [] })
    check.status("nothing-allowed", "KEY-MINT-8", nothing, 201)
    check.equal("nothing", "KEY-MINT-8", await heldBy(narrow, nothing), [], nothing)

    const granted = await mint(trial, narrow, { name: "minter", scopes: ["keys:write"], grant_api_keys_write: true })
    check.equal("keys-write-granted", "KEY-MINT-4", await heldBy(narrow, granted), ["keys:write"], granted)
    const both = await mint(trial, narrow, { name: "heir", grant_api_keys_write: true })
    check.equal(
      "inherits-and-keys",
      "KEY-MINT-P6",
      await heldBy(narrow, both),
      ["calls:read", "calls:write", "keys:write"],
      both,
    )
    const everything = await mint(trial, old, { name: "all", scopes: [...allScopes], grant_api_keys_write: true })
    check.equal("all-eight", ["KEY-MINT-3", "KEY-MINT-4"], await heldBy(old, everything), sorted(allScopes), everything)
  },
}

const refusals: Case = {
  id: "keys/mint/refusals",
  title: "What a minter does not hold, what does not exist and what is malformed is refused, and nothing is minted",
  clauses: [
    "KEY-MINT-2",
    "KEY-MINT-1",
    "KEY-MINT-4",
    "KEY-MINT-9",
    "KEY-MINT-10",
    "KEY-MINT-11",
    "KEY-MINT-P3",
    "KEY-MINT-P4",
    "KEY-MINT-P5",
    "SCOPE-ENFORCED-8",
    "SCOPE-DENIED-1",
    "SCOPE-DENIED-G2",
    "SCOPE-9",
    "DECODE-P3",
    "ERROR-3",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { clients } = await trial.organization({
      keys: [
        { scopes: ["keys:write", "calls:read"] },
        {},
        { scopes: ["*"] },
        { scopes: [] },
        { scopes: ["keys:write", "calls:*"] },
      ],
    })
    const [narrow, grandfathered, star, nobody, wild] = clients
    if (
      narrow === undefined ||
      grandfathered === undefined ||
      star === undefined ||
      nobody === undefined ||
      wild === undefined
    )
      return
    const before = (await narrow.get("/v2/api-keys")).number("pagination.total")
    check.rejected("name-is-no-text", "KEY-MINT-2", await mint(trial, narrow, { name: 5 }))

    const unheld = await mint(trial, narrow, { name: "x", scopes: ["calls:read", "agents:write", "audit:read"] })
    check.refused("unheld", ["KEY-MINT-9", "KEY-MINT-10"], unheld, 1102)
    check.names("unheld-names-one", "KEY-MINT-9", unheld, "agents:write")
    check.names("unheld-names-other", "KEY-MINT-9", unheld, "audit:read")
    const unknown = await mint(trial, narrow, { name: "x", scopes: ["calls:fly"] })
    check.refused("unknown", "KEY-MINT-11", unknown, 1001)
    for (const scope of allScopes) check.names(`unknown-lists-${scope}`, "KEY-MINT-11", unknown, scope)
    check.refused(
      "unknown-before-unheld",
      "KEY-MINT-P4",
      await mint(trial, narrow, { name: "x", scopes: ["audit:read", "calls:fly"] }),
      1001,
    )
    check.refused(
      "keys-write-without-grant",
      "KEY-MINT-P3",
      await mint(trial, narrow, { name: "x", scopes: ["keys:write"] }),
      1001,
    )
    check.refused(
      "keys-write-with-grant-false",
      "KEY-MINT-P3",
      await mint(trial, narrow, { name: "x", scopes: ["keys:write"], grant_api_keys_write: false }),
      1001,
    )
    check.refused("wildcard-unheld", "KEY-MINT-P5", await mint(trial, narrow, { name: "x", scopes: ["calls:*"] }), 1102)
    const passed = await mint(trial, wild, { name: "x", scopes: ["calls:*"] })
    check.status("wildcard-held", "KEY-MINT-P5", passed, 201)
    const minted = passed.status === 201 ? 1 : 0

    const denied = await mint(trial, grandfathered, { name: "x" })
    check.refused("grandfathered", ["KEY-MINT-1", "SCOPE-ENFORCED-8", "SCOPE-DENIED-1", "SCOPE-9"], denied, 1102)
    const told =
      "This API key is not authorized to manage API keys. Ask an account admin to enable the 'keys:write' scope."
    check.equal("denied-wording", "SCOPE-DENIED-G2", denied.message, told, denied)
    check.refused("star", ["KEY-MINT-1", "SCOPE-9"], await mint(trial, star, { name: "x" }), 1102)
    check.refused("nobody", "KEY-MINT-1", await mint(trial, nobody, { name: "x" }), 1102)

    const malformed: ReadonlyArray<readonly [field: string, body: unknown]> = [
      ["name", { name: 5 }],
      ["scopes", { name: "x", scopes: "calls:read" }],
      ["scopes", { name: "x", scopes: [1] }],
      ["grant_api_keys_write", { name: "x", grant_api_keys_write: "yes" }],
    ]
    for (const [index, [field, body]] of malformed.entries()) {
      const answer = await mint(trial, narrow, body)
      check.refused(`malformed-${index}`, "DECODE-P3", answer, 1001)
      check.names(`malformed-${index}-named`, "DECODE-P3", answer, field)
    }
    const after = await narrow.get("/v2/api-keys")
    check.equal("nothing-minted", "KEY-MINT-10", after.number("pagination.total"), before + minted, after)
  },
}

export const mintCases: ReadonlyArray<Case> = [secret, scopes, refusals]
