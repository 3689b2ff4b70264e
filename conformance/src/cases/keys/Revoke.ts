import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { keyIdOf } from "../../trial/KeyId.ts"

const revoke: Case = {
  id: "keys/revoke/at-once",
  title: "A revoked key is refused from the next request on, and revoking it again changes nothing",
  clauses: [
    "KEY-REVOKE-2",
    "KEY-REVOKE-3",
    "KEY-REVOKE-P1",
    "KEY-REVOKE-P3",
    "KEY-CACHE-P2",
    "KEY-LIST-P1",
    "ERROR-STATUS-2",
    "ERROR-6",
    "KEY-RECORD-11",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{ keys_write: true }, {}, {}] })
    const [, victim, bystander] = clients
    if (victim === undefined || bystander === undefined) return
    check.status("works-before", "KEY-REVOKE-2", await victim.get("/v2/user/me"), 200)
    const keyId = await keyIdOf(victim.key ?? "")
    const answer = await client.delete(`/v2/api-keys/${keyId}`)
    check.status("answered", ["KEY-REVOKE-3", "ERROR-STATUS-2"], answer, 200)
    check.holds("body", "KEY-REVOKE-3", isObject(answer.json), "a result body", answer)
    const { revoked_at: _moment, ...result } = isObject(answer.json) ? answer.json : {}
    check.equal("result", "KEY-REVOKE-P1", result, { key_id: keyId, status: "inactive", revoked: true }, answer)
    check.refused("refused-at-once", "KEY-CACHE-P2", await victim.get("/v2/user/me"), 1100)
    check.status("others-go-on", "KEY-REVOKE-2", await bystander.get("/v2/user/me"), 200)
    const again = await client.delete(`/v2/api-keys/${keyId}`)
    check.status("again", "KEY-REVOKE-P3", again, 200)
    check.equal("again-same-body", "KEY-REVOKE-P3", again.json, answer.json, again)
    const list = await client.get("/v2/api-keys")
    const record = list
      .items()
      .filter(isObject)
      .find(({ key_id }) => key_id === keyId)
    check.equal("listed-inactive", "KEY-LIST-P1", record?.["status"], "inactive", list)
  },
}

const refusals: Case = {
  id: "keys/revoke/refusals",
  title: "The key in use, a foreign key, an unknown one, and a caller without the scope are refused",
  clauses: ["KEY-REVOKE-1", "KEY-REVOKE-4", "KEY-REVOKE-P2", "SCOPE-ENFORCED-8", "MESSAGE-G9", "ERROR-10", "TENANCY-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{ keys_write: true }, {}] })
    const plain = clients[1]
    const other = await trial.organization()
    const own = await keyIdOf(client.key ?? "")
    const self = await client.delete(`/v2/api-keys/${own}`)
    check.refused("self", ["KEY-REVOKE-4", "ERROR-10"], self, 1201)
    check.equal(
      "self-wording",
      "MESSAGE-G9",
      self.message,
      "You cannot revoke the key you are authenticating with.",
      self,
    )
    check.status("self-still-works", "KEY-REVOKE-4", await client.get("/v2/user/me"), 200)
    const foreign = await client.delete(`/v2/api-keys/${await keyIdOf(other.client.key ?? "")}`)
    check.refused("foreign", ["KEY-REVOKE-P2", "TENANCY-2"], foreign, 1200)
    check.status("foreign-still-works", "TENANCY-2", await other.client.get("/v2/user/me"), 200)
    const unknown = await client.delete("/v2/api-keys/key_0000000000000000")
    check.refused("unknown", "KEY-REVOKE-P2", unknown, 1200)
    check.equal("foreign-like-unknown", "TENANCY-2", foreign.text, unknown.text, foreign)
    if (plain !== undefined) {
      check.refused(
        "without-scope",
        ["KEY-REVOKE-1", "SCOPE-ENFORCED-8"],
        await plain.delete(`/v2/api-keys/${own}`),
        1102,
      )
    }
  },
}

export const revokeCases: ReadonlyArray<Case> = [revoke, refusals]
