import { isRefusal, type Rule, unless } from "./Rule.ts"

/** The statuses that Errors > Status use names, and those of the error codes. */
const statuses = [200, 201, 202, 204, 302, 400, 401, 402, 403, 404, 409, 411, 413, 415, 422, 429, 500, 503, 504]

const recordingPath = /^\/v2\/calls\/[^/]+\/recording$/

const json: Rule = {
  id: "transport/json-body",
  clauses: ["CONV-2"],
  judge: ({ answer }) =>
    answer.text === "" || answer.status === 302
      ? undefined
      : unless(answer.json !== undefined, "a JSON body", answer.text.slice(0, 80)),
}

const body: Rule = {
  id: "transport/body-present",
  clauses: ["ERROR-STATUS-2", "ENVELOPE-2"],
  judge: ({ answer }) =>
    answer.status === 200 || answer.status === 201 || answer.status === 202 || isRefusal(answer)
      ? unless(answer.text !== "", "a body", "none")
      : undefined,
}

const empty: Rule = {
  id: "transport/no-content-is-empty",
  clauses: ["ERROR-STATUS-5"],
  judge: ({ answer }) =>
    answer.status === 204 ? unless(answer.text === "", "no body with 204", answer.text) : undefined,
}

const neverBadGateway: Rule = {
  id: "transport/never-502",
  clauses: ["ERROR-STATUS-7"],
  judge: ({ answer }) => unless(answer.status !== 502, "any status but 502", answer.status),
}

const knownStatus: Rule = {
  id: "transport/known-status",
  clauses: ["ERROR-STATUS-2", "ENVELOPE-5"],
  judge: ({ answer }) => unless(statuses.includes(answer.status), `one of ${statuses.join(", ")}`, answer.status),
}

const redirect: Rule = {
  id: "transport/redirect-only-for-recordings",
  clauses: ["ERROR-STATUS-6"],
  judge: ({ answer, path }) =>
    answer.status >= 300 && answer.status < 400
      ? unless(answer.status === 302 && recordingPath.test(path), "302 from the recording route alone", path)
      : undefined,
}

/** What is shorter is no key. */
const keyLength = 17
const beginningLength = 8

/** The full key is returned only once, in the response that mints it. */
const noKeyRepeated: Rule = {
  id: "transport/no-key-repeated",
  clauses: ["KEY-FORMAT-2"],
  judge: ({ answer, secrets }) => {
    // All keys of a server begin alike, and hardly an answer has a word that does: no answer is searched for each key.
    const beginnings = new Set<string>()
    for (const secret of secrets) if (secret.length >= keyLength) beginnings.add(secret.slice(0, beginningLength))
    const begun = [...beginnings].filter((beginning) => answer.text.includes(beginning))
    for (const secret of begun.length === 0 ? [] : secrets) {
      if (secret.length >= keyLength && answer.text.includes(secret))
        return { expected: "no full key in a body", got: "a full key" }
    }
    return null
  },
}

/** What every answer must be as HTTP. */
export const transportRules: ReadonlyArray<Rule> = [
  json,
  body,
  empty,
  neverBadGateway,
  knownStatus,
  redirect,
  noKeyRepeated,
]
