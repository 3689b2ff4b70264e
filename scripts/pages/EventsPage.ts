import { openApiDocument } from "@carillon/api/documents"
import { limits } from "@carillon/core"
import { deliveryStatuses, eventTypes } from "@carillon/core/domain"
import { table } from "./Table.ts"

const document = openApiDocument()

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A type in a word or two. */
const typeOf = (schema: unknown): string => {
  if (!isRecord(schema)) return "anything"
  const { $ref, anyOf, enum: words, items, type } = schema
  if (typeof $ref === "string") return String($ref.split("/").at(-1))
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" or ")
  if (Array.isArray(words)) return words.length > 4 ? "one of its words" : words.map((word) => `\`${word}\``).join(", ")
  if (type === "array") return `list of ${typeOf(items)}`
  if (Array.isArray(type)) return type.join(" or ")
  return typeof type === "string" ? type : "anything"
}

const payload = document.components.schemas["EventPayload"]

const fieldsOf = (schema: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  if (!isRecord(schema) || !isRecord(schema["properties"])) throw new Error("The payload of events has no fields.")
  return Object.entries(schema["properties"]).map(([name, field]) => [
    `\`${name}\``,
    typeOf(field),
    isRecord(field) && typeof field["description"] === "string" ? field["description"] : "",
  ])
}

const events = eventTypes.map((type) => {
  const post = document.webhooks[type]?.post
  if (post === undefined) throw new Error(`The document does not have ${type}.`)
  return [`\`${type}\``, post.description]
})

const seconds = limits.webhookAttemptOffsetsMs.map((ms) => (ms === 0 ? "at once" : `after ${ms / 1_000} s`)).join(", ")

/** The page of the events that webhooks carry. */
export const eventsPage = (): string => `# Events

How to receive them is told in [Webhooks](../guides/webhooks.md). \`/asyncapi.json\` of a server has the same for machines.

${table(["Event", "When it is sent"], events)}
Attempts begin ${seconds}. An endpoint has ${limits.webhookAttemptMs / 1_000} s to acknowledge. A delivery is one of ${deliveryStatuses.map((status) => `\`${status}\``).join(", ")}.

## Fields

Every event has the same fields. What is not known is \`null\`.

${table(["Field", "Type", "Meaning"], fieldsOf(payload))}`
