import type { Answer } from "../../http/Answer.ts"
import type { Case } from "../../run/Case.ts"
import type { Trial } from "../../trial/Trial.ts"

const ask = (trial: Trial, authorization: string | undefined): Promise<Answer> =>
  trial.anonymous.send("GET", "/v2/user/me", authorization === undefined ? {} : { headers: { authorization } })

const unknownKey = "gat_this-key-was-never-minted-by-anyone-0000000"

const withoutCredential: Case = {
  id: "authentication/header/no-credential",
  title: "A header without a bearer credential is no credential",
  clauses: ["AUTH-REJECT-2", "AUTH-HEADER-5", "AUTH-KEY-4", "ERROR-6"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const key = client.key ?? ""
    const rows: ReadonlyArray<readonly [name: string, clause: string, authorization: string | undefined]> = [
      ["no-header", "AUTH-REJECT-2", undefined],
      ["empty-header", "AUTH-REJECT-2", ""],
      ["scheme-alone", "AUTH-REJECT-2", "Bearer"],
      ["scheme-and-blanks", "AUTH-REJECT-2", "Bearer    "],
      ["bare-key", "AUTH-HEADER-5", key],
      ["bare-session-token", "AUTH-HEADER-5", "eyJhbGciOiJIUzI1NiJ9"],
      ["basic", "AUTH-HEADER-5", `Basic ${key}`],
      ["basic-encoded", "AUTH-HEADER-5", `Basic ${btoa(`${key}:`)}`],
      ["token-scheme", "AUTH-REJECT-2", `Token ${key}`],
      ["key-as-scheme", "AUTH-REJECT-2", `${key} Bearer`],
      ["longer-scheme", "AUTH-REJECT-2", `BearerX ${key}`],
      ["three-parts", "AUTH-HEADER-5", `Bearer ${key} ${key}`],
      ["scheme-joined", "AUTH-HEADER-5", `Bearer:${key}`],
    ]
    for (const [name, clause, authorization] of rows) {
      check.refused(name, [clause, "ERROR-6"], await ask(trial, authorization), 1100)
    }
    check.refused("every-endpoint", "AUTH-KEY-4", await trial.anonymous.post("/v2/calls", {}), 1100)
  },
}

const accepted: Case = {
  id: "authentication/header/accepted",
  title: "The scheme is matched in any case, and any run of whitespace parts it from the key",
  clauses: ["AUTH-HEADER-1", "AUTH-HEADER-2", "AUTH-HEADER-3", "AUTH-HEADER-4", "AUTH-KEY-1", "AUTH-KEY-5"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const key = client.key ?? ""
    const rows: ReadonlyArray<readonly [name: string, clause: string | ReadonlyArray<string>, authorization: string]> =
      [
        ["plain", ["AUTH-KEY-1", "AUTH-KEY-5", "AUTH-HEADER-1", "AUTH-HEADER-3"], `Bearer ${key}`],
        ["lower-case", "AUTH-HEADER-2", `bearer ${key}`],
        ["upper-case", "AUTH-HEADER-2", `BEARER ${key}`],
        ["mixed-case", "AUTH-HEADER-2", `bEaReR ${key}`],
        ["blanks", "AUTH-HEADER-4", `Bearer    ${key}`],
        ["tab", "AUTH-HEADER-4", `Bearer\t${key}`],
      ]
    for (const [name, clause, authorization] of rows) check.status(name, clause, await ask(trial, authorization), 200)
    const bare = key.slice("gat_".length)
    check.refused("prefix-belongs-to-the-key", "AUTH-HEADER-3", await ask(trial, `Bearer ${bare}`), 1101)
  },
}

const foreignToken: Case = {
  id: "authentication/header/not-a-public-key",
  title: "A bearer credential without the prefix of an API key is told apart",
  clauses: ["AUTH-KEY-5", "AUTH-REJECT-1", "AUTH-REJECT-3", "AUTH-REJECT-8", "ERROR-7", "AUTH-REJECT-G2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const session = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    const answer = await ask(trial, `Bearer ${session}`)
    check.refused("session-token", ["AUTH-REJECT-3", "AUTH-REJECT-8", "ERROR-7"], answer, 1101)
    check.rejected("one-credential-only", "AUTH-KEY-5", answer)
    // No store knows it, so its form was looked at first.
    check.equal("form-before-existence", "AUTH-REJECT-1", answer.code, 1101, answer)
    check.equal(
      "wording",
      "AUTH-REJECT-G2",
      answer.message,
      "A browser session token is not a public API key. Authenticate with Authorization: Bearer gat_...",
      answer,
    )
    const rows: ReadonlyArray<readonly [name: string, credential: string]> = [
      ["another-prefix", "sk_live_0123456789abcdef0123456789"],
      ["upper-case-prefix", (client.key ?? "").replace("gat_", "GAT_")],
      ["prefix-within", `x${client.key}`],
      ["prefix-without-underscore", (client.key ?? "").replace("gat_", "gat-")],
      ["one-letter", "x"],
    ]
    for (const [name, credential] of rows) {
      check.refused(name, "AUTH-REJECT-3", await ask(trial, `Bearer ${credential}`), 1101)
    }
  },
}

const unknown: Case = {
  id: "authentication/header/unknown-key",
  title: "A key that nobody minted is refused",
  clauses: ["AUTH-REJECT-4", "ERROR-6", "AUTH-REJECT-G3", "AUTH-REJECT-G1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const key = client.key ?? ""
    const answer = await ask(trial, `Bearer ${unknownKey}`)
    check.refused("never-minted", ["AUTH-REJECT-4", "ERROR-6"], answer, 1100)
    check.equal("wording", "AUTH-REJECT-G3", answer.message, "Invalid API key.", answer)
    check.refused("prefix-alone", "AUTH-REJECT-4", await ask(trial, "Bearer gat_"), 1100)
    check.refused("one-more-character", "AUTH-REJECT-4", await ask(trial, `Bearer ${key}A`), 1100)
    check.refused("one-less-character", "AUTH-REJECT-4", await ask(trial, `Bearer ${key.slice(0, -1)}`), 1100)
    check.refused("other-case", "AUTH-REJECT-4", await ask(trial, `Bearer gat_${swapCase(key.slice(4))}`), 1100)
    const missing = await ask(trial, undefined)
    const told = "Missing bearer token. Send Authorization: Bearer gat_..."
    check.equal("wording-of-none", "AUTH-REJECT-G1", missing.message, told, missing)
  },
}

const swapCase = (text: string): string =>
  [...text].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join("")

const elsewhere: Case = {
  id: "authentication/header/nowhere-else",
  title: "The key counts nowhere but in the Authorization header",
  clauses: ["AUTH-KEY-6"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const key = client.key ?? ""
    const headers: ReadonlyArray<readonly [name: string, header: string, value: string]> = [
      ["x-api-key", "x-api-key", key],
      ["api-key", "api-key", key],
      ["x-authorization", "x-authorization", `Bearer ${key}`],
      ["proxy-authorization", "proxy-authorization", `Bearer ${key}`],
      ["cookie", "cookie", `session=${key}; token=${key}; authorization=Bearer ${key}`],
    ]
    for (const [name, header, value] of headers) {
      const answer = await trial.anonymous.send("GET", "/v2/user/me", { headers: { [header]: value } })
      check.refused(name, "AUTH-KEY-6", answer, 1100)
    }
    for (const name of ["api_key", "key", "access_token", "token", "authorization"]) {
      const answer = await trial.anonymous.get("/v2/user/me", { [name]: key })
      check.refused(`query-${name}`, "AUTH-KEY-6", answer, 1100)
    }
  },
}

export const headerCases: ReadonlyArray<Case> = [withoutCredential, accepted, foreignToken, unknown, elsewhere]
