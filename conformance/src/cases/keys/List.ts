import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { keyIdOf, keyPreviewOf, mintedKeyIn } from "../../trial/KeyId.ts"

const listed: Case = {
  id: "keys/list/records",
  title: "Keys are listed masked, newest first, for their own organization",
  clauses: [
    "KEY-LIST-1",
    "KEY-LIST-2",
    "KEY-LIST-3",
    "KEY-LIST-4",
    "KEY-RECORD-1",
    "KEY-RECORD-3",
    "KEY-RECORD-11",
    "KEY-RECORD-14",
    "KEY-MINT-P2",
    "SCOPE-OPEN-1",
    "TENANCY-1",
  ],
  requires: ["fixtures", "clock"],
  realTimeMs: 3_000,
  run: async (trial) => {
    const { check, clock } = trial
    const { client, clients } = await trial.organization({
      keys: [{ keys_write: true }, { status: "inactive" }, { scopes: [] }],
    })
    const nobody = clients[2]
    const other = await trial.organization()
    const minted: Array<string> = []
    for (const name of ["first", "second", "third"]) {
      await clock.advance(1_000)
      const answer = trial.made(await client.post("/v2/api-keys", { name }), 201)
      trial.secret(mintedKeyIn(answer))
      minted.push(mintedKeyIn(answer))
    }
    const answer = await client.get("/v2/api-keys")
    const rows = answer.items().filter(isObject)
    check.status("answered", ["KEY-LIST-1", "KEY-LIST-4"], answer, 200)
    const ids = rows.map(({ key_id }) => key_id)
    const newestFirst = await Promise.all([...minted].reverse().map(keyIdOf))
    check.equal("newest-first", ["KEY-LIST-3", "KEY-RECORD-1"], ids.slice(0, 3), newestFirst, answer)
    check.equal("all-of-them", "KEY-LIST-1", rows.length, 6, answer)
    check.equal(
      "previews",
      "KEY-RECORD-3",
      rows.slice(0, 3).map(({ key_preview }) => key_preview),
      [...minted].reverse().map(keyPreviewOf),
      answer,
    )
    const names = rows.slice(0, 3).map(({ description }) => description)
    check.equal("names", "KEY-MINT-P2", names, ["third", "second", "first"], answer)
    const current = rows.filter(({ is_current }) => is_current === true).map(({ key_id }) => key_id)
    check.equal("current", "KEY-RECORD-14", current, [await keyIdOf(client.key ?? "")], answer)
    const asleep = rows.filter(({ status }) => status === "inactive").length
    check.equal("inactive", "KEY-RECORD-11", asleep, 1, answer)
    const secrets = [...minted, client.key ?? ""]
    check.holds(
      "no-secrets",
      "KEY-LIST-3",
      secrets.every((secret) => !answer.text.includes(secret)),
      "no full key",
      answer,
    )
    const foreign = await keyIdOf(other.client.key ?? "")
    check.holds("no-foreign-keys", "TENANCY-1", !ids.includes(foreign), "keys of one organization", answer)
    check.equal("pages", "KEY-LIST-2", (await client.get("/v2/api-keys", { page: 2, page_size: 4 })).items().length, 2)
    if (nobody !== undefined) {
      check.status("no-scope-needed", ["KEY-LIST-1", "SCOPE-OPEN-1"], await nobody.get("/v2/api-keys"), 200)
    }
  },
}

export const listCases: ReadonlyArray<Case> = [listed]
