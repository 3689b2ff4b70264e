import { type ErrorCode, errorClasses, errorStatuses } from "@carillon/api"
import { openApiDocument } from "@carillon/api/documents"
import { Schema } from "effect"

interface Advice {
  readonly cause: string
  readonly remedy: string
  /** Whether the same request may succeed later. */
  readonly again: "yes" | "no" | "after Retry-After"
}

/** What leads to each code, and what helps. */
const advice: { readonly [Code in ErrorCode]: Advice } = {
  1000: {
    cause: "The request cannot be read, contradicts itself, or is too large.",
    remedy: "Mend the request; the message says what is wrong with it.",
    again: "no",
  },
  1001: {
    cause: "A field is there, and its value is not allowed.",
    remedy: "The message names the first such field. Mend it and send the request again.",
    again: "no",
  },
  1002: { cause: "A required field is not there.", remedy: "The message names it. Add it.", again: "no" },
  1100: {
    cause: "There is no key, it is not known, or it was revoked.",
    remedy: "Send `Authorization: Bearer gat_…` with a key that is active.",
    again: "no",
  },
  1101: {
    cause: "The bearer token is something else than an API key.",
    remedy: "Send a key that begins with `gat_`. Tokens of browser sessions are not accepted.",
    again: "no",
  },
  1102: {
    cause: "The key belongs to another organization or to none, or lacks a scope.",
    remedy: "Ask `GET /v2/scopes` what the key may do. Leave `organization_id` out, or send the key's own.",
    again: "no",
  },
  1200: {
    cause: "There is no such resource in the organization. One of another organization looks the same.",
    remedy: "Check the id, and whose key it is.",
    again: "no",
  },
  1201: {
    cause: "The state of the resource does not allow it now.",
    remedy: "Read the resource and decide again. Where the answer has `Retry-After`, the state is about to change.",
    again: "after Retry-After",
  },
  1300: {
    cause: "Too many requests in 60 seconds, or no line was free for five.",
    remedy: "Wait as long as `Retry-After` says. The beginning of the message tells the two apart.",
    again: "after Retry-After",
  },
  1400: { cause: "The wallet cannot fund the call.", remedy: "Fill the wallet.", again: "no" },
  1500: {
    cause: "Something in the service is broken.",
    remedy: "Report it with the `X-Request-Id` of the answer.",
    again: "no",
  },
  1501: {
    cause: "Something that the service needs is away; the message names it.",
    remedy: "Try again, with growing pauses. With an `Idempotency-Key` nothing is done twice.",
    again: "yes",
  },
  1502: {
    cause: "Something that the service needs has not answered in time; the message names it.",
    remedy: "Try again, with growing pauses. With an `Idempotency-Key` nothing is done twice.",
    again: "yes",
  },
}

const again: { readonly [Word in Advice["again"]]: string } = {
  yes: "Yes, with growing pauses.",
  no: "No: it would be refused again.",
  "after Retry-After": "Yes, after `Retry-After` seconds where the answer has that header.",
}

const isCode = (code: number): code is ErrorCode => code in errorStatuses

/** Every error class with what it says of itself. */
const told = errorClasses.map((errorClass) => {
  const { description, httpApiStatus } = Schema.resolveAnnotations(errorClass) ?? {}
  const { error } = new errorClass({ message: "A sentence." })
  return { code: error, name: errorClass.name, status: Number(httpApiStatus), meaning: String(description) }
})

const operations = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    route: `${method.toUpperCase()} ${path}`,
    errors: JSON.stringify(Object.values(responses).map(({ content }) => content)),
  })),
)

/** More routes than these are not listed. */
const routesShown = 4

/** Which routes answer with an error. */
const whereOf = (name: string): string => {
  const routes = operations.filter(({ errors }) => errors.includes(`"#/components/schemas/${name}"`))
  if (routes.length === operations.length) return "every route"
  return routes.length > routesShown ? "several routes" : routes.map(({ route }) => `\`${route}\``).join(", ")
}

const sectionOf = (code: ErrorCode): string => {
  const { again: repeat, cause, remedy } = advice[code]
  const rows = told
    .filter((one) => one.code === code)
    .map(({ meaning, name, status }) => `| ${status} | ${meaning} | ${whereOf(name)} |`)
  return `## ${code}

| HTTP | Meaning | Where |
|---|---|---|
${rows.join("\n")}

- **Cause.** ${cause}
- **Remedy.** ${remedy}
- **Send it again?** ${again[repeat]}
`
}

/** The page of all error codes, from the contract. */
export const errorsPage = (): string => `# Error codes

Every refusal under \`/v2\` is \`{"error": <code>, "message": <sentence>}\` and nothing else. Branch on the code: it never changes. The message may, and must not be parsed.

${Object.keys(errorStatuses).map(Number).filter(isCode).map(sectionOf).join("\n")}`
