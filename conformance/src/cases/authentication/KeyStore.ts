import type { Case } from "../../run/Case.ts"

const away: Case = {
  id: "authentication/key-store/away",
  title:
    "With the key store away a warm key is served, a cold one answers 1501, and what needs no store is still decided",
  clauses: [
    "AUTH-STORE-1",
    "AUTH-STORE-2",
    "AUTH-STORE-G1",
    "AUTH-REJECT-7",
    "ERROR-14",
    "KEY-CACHE-P3",
    "KEY-CACHE-P4",
    "MESSAGE-2",
  ],
  requires: ["fixtures", "clock", "faults:key_store"],
  run: async (trial) => {
    const { check, anonymous, clock } = trial
    const { client: warm, keyIds } = await trial.organization()
    const { client: cold } = await trial.organization()
    trial.made(await warm.get("/v2/user/me"), 200)

    await trial.breaks("key_store", { mode: "unreachable" })
    check.status("warm", "AUTH-STORE-2", await warm.get("/v2/user/me"), 200)
    const unknown = await cold.get("/v2/user/me")
    check.refused("cold", ["AUTH-STORE-1", "ERROR-14"], unknown, 1501)
    check.equal(
      "cold-wording",
      "AUTH-STORE-G1",
      unknown.message,
      "Authentication service is temporarily unavailable.",
      unknown,
    )
    check.refused("no-credential", "AUTH-REJECT-7", await anonymous.get("/v2/user/me"), 1100)
    const token = await anonymous.send("GET", "/v2/user/me", { headers: { authorization: "Bearer session-token" } })
    check.refused("not-a-key", "AUTH-REJECT-7", token, 1101)

    const list = await warm.get("/v2/api-keys")
    check.refused("list", "KEY-CACHE-P4", list, 1501)
    // Whether keys are listed without their store is a reading.
    if (!list.succeeded) check.names("list-names-the-store", "MESSAGE-2", list, "API key store")
    check.refused("mint", "KEY-CACHE-P4", await warm.post("/v2/api-keys", { name: "while away" }), 1501)
    check.refused("revoke", "KEY-CACHE-P4", await warm.delete(`/v2/api-keys/${keyIds[0]}x`), 1501)

    await clock.advance(10 * 60_000)
    check.status("warm-after-ten-minutes", "KEY-CACHE-P3", await warm.get("/v2/user/me"), 200)

    await trial.restores("key_store")
    check.status("mended", "AUTH-STORE-1", await cold.get("/v2/user/me"), 200)
  },
}

export const keyStoreCases: ReadonlyArray<Case> = [away]
