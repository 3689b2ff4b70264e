import { type JsonSchema, Schema } from "effect"
import { Refused } from "./Answers.ts"
import { type ControlOperation, controlOperations } from "./Operations.ts"

/** The OpenAPI 3.1 document of the control surface. */
export interface ControlDocument {
  readonly openapi: "3.1.0"
  readonly info: object
  readonly servers: ReadonlyArray<object>
  readonly tags: ReadonlyArray<object>
  readonly security: ReadonlyArray<object>
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly responses: Readonly<Record<string, unknown>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

const tags: Readonly<Record<string, string>> = {
  world: "The world as a whole. Of these a conformance run needs `capabilities` alone.",
  organizations: "Fixtures: organizations with keys, numbers, wallets and limits.",
  platform: "The platform's own ceiling.",
  clock: "Virtual time.",
  telephony: "The carrier: its script, and what it saw.",
  inbox: "Endpoints for webhooks.",
  dns: "The resolver.",
  faults: "Dependencies that fail.",
}

const info = {
  title: "Control of a simulated world (/_sim)",
  version: "1",
  description:
    "What a test, a load generator or the conformance suite does to the world around `/v2`. A server may serve a part of it: `GET /_sim/capabilities` says which. `x-capability` names the capability that promises a route. Bodies are JSON; a field that is not in them is refused with 1001. Errors have the envelope of `/v2`.",
  license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
}

const components = "#/components/schemas/"

/** A JSON Schema with its references as OpenAPI has them. */
const moved = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(moved)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref" && typeof member === "string" ? member.replace("#/$defs/", components) : moved(member),
    ]),
  )
}

/** Collects the named schemas of the document while it is written. */
class Schemas {
  readonly named: Record<string, unknown> = {}

  /** A body is refused for a field too many; an answer may have more than it says. */
  of(schema: Schema.Top, onExcessProperty: "error" | "ignore"): unknown {
    const { definitions, schema: own }: JsonSchema.Document<"draft-2020-12"> = Schema.toJsonSchemaDocument(schema, {
      onExcessProperty,
    })
    for (const [name, definition] of Object.entries(definitions)) this.named[name] ??= moved(definition)
    return moved(own)
  }
}

const examplesOf = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))

const content = ({ json, text }: ControlOperation["answer"], schemas: Schemas) => {
  if (json !== undefined) {
    return { "application/json": { schema: schemas.of(json.schema, "ignore"), example: json.example } }
  }
  if (text === undefined) return undefined
  return { [text]: { schema: { type: text === "application/json" ? "object" : "string" } } }
}

const refusal = { $ref: "#/components/responses/Refused" }

const documented = (operation: ControlOperation, schemas: Schemas) => {
  const { answer, body, capability, description, id, path, query = [], refusals = {}, summary } = operation
  const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }))
  const answered = content(answer, schemas)
  return {
    operationId: id,
    tags: [id.slice(0, id.indexOf("."))],
    summary,
    ...(description === undefined ? {} : { description }),
    "x-capability": capability,
    parameters: [
      ...placeholders,
      ...query.map((one) => ({ ...one, in: "query", required: false, schema: { type: "string" } })),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: schemas.of(body.schema, "error"), examples: examplesOf(body.examples) },
            },
          },
        }),
    responses: {
      [answer.status]: { description: answer.description, ...(answered === undefined ? {} : { content: answered }) },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, why]) => [
          status,
          { description: why, content: { "application/json": { schema: { $ref: `${components}Refused` } } } },
        ]),
      ),
      "4XX": refusal,
    },
  }
}

const write = (): ControlDocument => {
  const schemas = new Schemas()
  const refused = schemas.of(Refused, "ignore")
  // Bodies first: a schema that both a body and an answer name is as strict as the body.
  const bodies = controlOperations.filter(({ body }) => body !== undefined)
  for (const { body } of bodies) if (body !== undefined) schemas.of(body.schema, "error")
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of controlOperations) {
    const methods = (paths[operation.path] ??= {})
    methods[operation.method.toLowerCase()] = documented(operation, schemas)
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      schemas: schemas.named,
      responses: {
        Refused: {
          description:
            "400: not JSON (1000) or something absent (1002). 401: the control token is missing or wrong. 404: no such thing. 409: not now. 422: a value is wrong.",
          content: {
            "application/json": {
              schema: refused,
              example: { error: 1001, message: "Invalid value for 'by_ms': must be an integer." },
            },
          },
        },
      },
      securitySchemes: {
        controlToken: {
          type: "http",
          scheme: "bearer",
          description: "Asked for where the server listens beyond this machine.",
        },
      },
    },
  }
}

/** The document of the control surface: what `GET /_sim/openapi.json` answers. */
export const controlDocument: ControlDocument = write()
