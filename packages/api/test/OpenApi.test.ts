import { eventTypes } from "@carillon/core/domain"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { errorClasses, errorStatuses } from "../src/Errors.ts"
import { EventPayload } from "../src/Events.ts"
import {
  agentSortBy,
  agentStatusFilter,
  auditOutcomeFilter,
  batchStatusFilter,
  callStatusFilter,
  campaignStatusFilter,
  deliveryStatusFilter,
  directionFilter,
  eventTypeFilter,
  experimentStatus,
  sortOrder,
  usageGroupBy,
} from "../src/Filters.ts"
import { handedOn, isHandedOn, meaningKeys, meanings } from "../src/Meanings.ts"
import { openApiDocument } from "../src/OpenApi.ts"
import { routes } from "../src/Routes.ts"

const document = openApiDocument()

const operations = routes.map((route) => ({
  route,
  operation: document.paths[route.path]?.[route.method.toLowerCase()],
}))

const rateHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Every object in the document. */
const objectsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const below = (child: unknown) => objectsIn(child)
  if (Array.isArray(value)) return value.flatMap(below)
  return isObject(value) ? [value, ...Object.values(value).flatMap(below)] : []
}

const at = (reference: string): unknown =>
  reference
    .replace("#/", "")
    .split("/")
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document)

const propertiesOf = (name: string): Readonly<Record<string, unknown>> => {
  const properties = document.components.schemas[name]?.["properties"]
  return isObject(properties) ? properties : {}
}

const chosenIn = (name: string): ReadonlyArray<string> =>
  Object.entries(propertiesOf(name))
    .filter(([, property]) => isObject(property) && property["x-origin"] === "chosen")
    .map(([field]) => field)

/** Every field of the components, with its path. */
const fieldsIn = (
  value: unknown,
  path: ReadonlyArray<string>,
): ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly field: Readonly<Record<string, unknown>> }> => {
  if (Array.isArray(value)) return value.flatMap((member) => fieldsIn(member, path))
  if (!isObject(value)) return []
  const { properties, ...around } = value
  const own = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) => {
    const here = [...path, name]
    return [...(isObject(field) ? [{ path: here, field }] : []), ...fieldsIn(field, here)]
  })
  return [...own, ...Object.values(around).flatMap((member) => fieldsIn(member, path))]
}

const allFields = Object.entries(document.components.schemas).flatMap(([name, schema]) => fieldsIn(schema, [name]))

describe("the OpenAPI document", () => {
  it("has every route of the contract and no other, with bucket, scope and origin", () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.sameMembers(
      documented,
      routes.map((route) => `${route.method} ${route.path}`),
    )
    for (const { route, operation } of operations) {
      assert.strictEqual(operation?.["x-bucket"], route.bucket)
      assert.strictEqual(operation?.["x-scope"], route.scope)
      assert.strictEqual(operation?.["x-origin"], route.origin)
      assert.strictEqual(operation?.operationId, route.name)
      assert.isNotEmpty(operation?.summary)
      assert.deepStrictEqual(operation?.security, [{ bearer: [] }])
    }
  })

  it("is OpenAPI 3.1 with resolvable references and a described tag for each operation", () => {
    assert.match(document.openapi, /^3\.1\./)
    const references = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []))
    assert.isNotEmpty(references)
    for (const reference of references) assert.isDefined(at(reference), reference)
    const tags = new Map(document.tags.map((tag) => [tag.name, tag.description]))
    for (const { operation } of operations) {
      for (const tag of operation?.tags ?? []) assert.isNotEmpty(tags.get(tag))
    }
  })

  it("names the path parameters and takes organization_id on every operation", () => {
    for (const { route, operation } of operations) {
      const parameters = operation?.parameters ?? []
      const inPath = parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name)
      assert.deepStrictEqual(
        inPath,
        [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
      )
      assert.isTrue(parameters.some(({ name, in: place }) => name === "organization_id" && place === "query"))
    }
  })

  it("describes query parameters by their meaning, not by the strings that carry them", () => {
    const parameters = document.paths["/v2/calls"]?.["get"]?.parameters ?? []
    const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema
    assert.deepStrictEqual(schemaOf("page_size"), { type: "integer", minimum: 1, maximum: 100 })
    assert.deepStrictEqual(schemaOf("page"), { type: "integer", minimum: 1, maximum: 10_000 })
    assert.deepStrictEqual(schemaOf("include_transcript"), { type: "boolean" })
    assert.deepStrictEqual(schemaOf("from_date"), { type: "string", format: "date-time" })
  })

  it("carries the rate headers on every response, and Retry-After on every 429", () => {
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation?.responses ?? {})) {
        assert.includeMembers(Object.keys(response.headers), [...rateHeaders, "X-Request-Id"])
        if (status === "429") assert.include(Object.keys(response.headers), "Retry-After")
      }
    }
    const recording = document.paths["/v2/calls/{execution_id}/recording"]?.["get"]?.responses["302"]
    assert.include(Object.keys(recording?.headers ?? {}), "Location")
    assert.isUndefined(recording?.content)
  })

  it("lists the errors that may appear everywhere, and those of single operations", () => {
    for (const { route, operation } of operations) {
      const statuses = Object.keys(operation?.responses ?? {})
      assert.includeMembers(statuses, ["400", "401", "403", "404", "422", "429", "500", "503", "504"])
      assert.strictEqual(statuses.includes("413"), route.body !== "none")
      assert.strictEqual(statuses.includes("402"), route.name === "calls.place")
      assert.notIncludeMembers(statuses, ["502"])
    }
    const stop = document.paths["/v2/calls/{execution_id}/stop"]?.["post"]
    assert.includeMembers(Object.keys(stop?.responses ?? {}), ["200", "202", "409"])
    assert.strictEqual(stop?.requestBody?.required, false)
    const dial = document.paths["/v2/calls"]?.["post"]
    assert.includeMembers(Object.keys(dial?.responses ?? {}), ["201", "202", "402"])
    assert.strictEqual(dial?.requestBody?.required, true)
    assert.isTrue(dial?.parameters.some((parameter) => parameter.name === "Idempotency-Key"))
  })

  it("has error schemas of exactly a code and a message, and knows no tag", () => {
    const used = new Set(
      operations.flatMap(({ operation }) =>
        Object.entries(operation?.responses ?? {})
          .filter(([status]) => Number(status) >= 400)
          .flatMap(([, { content = {} }]) => Object.values(content).flatMap(({ schema }) => objectsIn(schema)))
          .flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : [])),
      ),
    )
    assert.isNotEmpty(used)
    const names = new Set<string>(errorClasses.map((errorClass) => errorClass.name))
    for (const reference of used) {
      const schema = at(reference)
      if (!isObject(schema) || !isObject(schema["properties"])) return assert.fail(reference)
      assert.isTrue(names.has(reference.split("/").at(-1) ?? ""), reference)
      assert.deepStrictEqual(Object.keys(schema["properties"]), ["error", "message"])
      assert.deepStrictEqual(schema["required"], ["error", "message"])
      const error = schema["properties"]["error"]
      assert.isTrue(isObject(error) && Array.isArray(error["enum"]) && String(error["enum"][0]) in errorStatuses)
    }
    assert.notInclude(JSON.stringify(document), "_tag")
  })

  it("marks what was chosen, and only that", () => {
    assert.sameMembers(
      [...chosenIn("ConversationConfig")],
      ["completion_probe", "probe_start_delay_seconds", "presence_probe_enabled", "presence_probe_after_seconds"],
    )
    assert.sameMembers(
      [...chosenIn("MintedKey")],
      Object.keys(propertiesOf("MintedKey")).filter((field) => field !== "key"),
    )
    for (const name of [
      "CallTranscript",
      "TranscriptTurn",
      "RevokedKey",
      "TimingSummary",
      "SetupTiming",
      "BucketFigures",
      "Batch",
      "Contact",
      "CampaignExplanation",
    ]) {
      assert.sameMembers([...chosenIn(name)], Object.keys(propertiesOf(name)), name)
    }
    for (const name of [
      "Call",
      "Agent",
      "KeyRecord",
      "Pagination",
      "DialRequest",
      "CallTiming",
      "Recording",
      "Scopes",
      "Campaign",
      "CampaignCreate",
      "CampaignStats",
    ]) {
      assert.isNotEmpty(Object.keys(propertiesOf(name)), name)
      // What a dial may say beside is an extension.
      assert.deepStrictEqual(
        chosenIn(name),
        name === "DialRequest" ? ["override_suppression", "override_callee_hours", "override_call_caps"] : [],
        name,
      )
    }
    const filters = document.paths["/v2/calls"]?.["get"]?.parameters ?? []
    assert.sameMembers(
      filters.filter((parameter) => parameter["x-origin"] !== "chosen").map((parameter) => parameter.name),
      ["page", "page_size", "organization_id"],
    )
  })

  it("describes forms beside JSON: structured settings as objects, the file as bytes, contacts by their entries", () => {
    const content = document.paths["/v2/campaigns"]?.["post"]?.requestBody?.content ?? {}
    assert.sameMembers(Object.keys(content), ["application/json", "multipart/form-data"])
    const upload = document.paths["/v2/batches/upload"]?.["post"]?.requestBody?.content ?? {}
    assert.sameMembers(Object.keys(upload), ["multipart/form-data"])
    const file = propertiesOf("CampaignUpload")["file"]
    assert.isTrue(isObject(file) && file["type"] === "string" && file["format"] === "binary")
    assert.deepStrictEqual(
      propertiesOf("CampaignUpload")["retry_policy"],
      propertiesOf("CampaignCreate")["retry_policy"],
    )
    const contacts = propertiesOf("CampaignCreate")["contacts"]
    assert.isTrue(isObject(contacts) && contacts["type"] === "array" && contacts["maxItems"] === 50_000)
    assert.notInclude(JSON.stringify(document), "x-document")
  })

  it("leaves no object and no list unsaid: free-form objects are open, and lists name what they hold", () => {
    for (const object of objectsIn({ ...document.components.schemas, paths: document.paths })) {
      const told = JSON.stringify(object).slice(0, 200)
      if (object["type"] === "object") assert.isTrue("properties" in object || "additionalProperties" in object, told)
      if (object["type"] === "array") assert.isTrue("items" in object, told)
    }
    for (const [component, field] of [
      ["DialRequest", "variables"],
      ["DialRequest", "metadata"],
      ["Call", "variables"],
      ["CampaignCreate", "default_call_context"],
    ] as const) {
      const property = propertiesOf(component)[field]
      assert.isTrue(isObject(property) && property["additionalProperties"] === true, `${component}.${field}`)
    }
    // Fields beside those that are named are kept here, and are a slip there.
    assert.strictEqual(document.components.schemas["AgentConfiguration"]?.["additionalProperties"], true)
    assert.notProperty(document.components.schemas["DialRequest"], "additionalProperties")
  })

  it("lists the words of every filter, and each of them is taken", () => {
    const judges: Readonly<Record<string, (text: string) => Result.Result<unknown, string>>> = {
      "GET /v2/calls status": callStatusFilter,
      "GET /v2/calls direction": directionFilter,
      "GET /v2/agents/{agent_id}/executions status": callStatusFilter,
      "GET /v2/agents/{agent_id}/executions direction": directionFilter,
      "GET /v2/batches/{batch_id}/executions status": callStatusFilter,
      "GET /v2/batches/{batch_id}/executions direction": directionFilter,
      "GET /v2/agents status": agentStatusFilter,
      "GET /v2/agents sort_by": agentSortBy,
      "GET /v2/agents sort_order": sortOrder,
      "GET /v2/agents/{agent_id}/versions status": experimentStatus,
      "GET /v2/campaigns status": campaignStatusFilter,
      "GET /v2/batches status": batchStatusFilter,
      "GET /v2/usage group_by": usageGroupBy,
      "GET /v2/webhooks/deliveries event_type": eventTypeFilter,
      "GET /v2/webhooks/deliveries status": deliveryStatusFilter,
      "GET /v2/audit-logs outcome": auditOutcomeFilter,
    }
    const listed = operations.flatMap(({ operation, route }) =>
      (operation?.parameters ?? []).flatMap((parameter) => {
        const { items, ...schema } = parameter.schema
        const words = isObject(items) ? items["enum"] : schema["enum"]
        // A list in a query is one parameter, because a repeated one is refused.
        if (isObject(items)) assert.deepInclude(parameter, { style: "form", explode: false })
        return Array.isArray(words) ? [{ name: `${route.method} ${route.path} ${parameter.name}`, words }] : []
      }),
    )
    assert.sameMembers(
      listed.map(({ name }) => name),
      Object.keys(judges),
    )
    for (const { name, words } of listed) {
      for (const word of words) assert.isTrue(Result.isSuccess(judges[name]?.(String(word)) ?? Result.fail("")), name)
      assert.isTrue(Result.isFailure(judges[name]?.("anything else") ?? Result.succeed("")), name)
    }
    const all = listed.find(({ name }) => name === "GET /v2/calls status")?.words ?? []
    assert.isTrue(Result.isSuccess(callStatusFilter(all.join(","))))
  })

  it("says of every filter what it leaves, or which words it takes", () => {
    for (const { operation, route } of operations) {
      for (const { description, in: place, name, schema } of operation?.parameters ?? []) {
        if (place !== "query") continue
        assert.isTrue(typeof description === "string" || "enum" in schema, `${route.name} ${name}`)
      }
    }
  })

  it("says what every field means, but of those that are handed on as given", () => {
    const silent = allFields.filter(({ field }) => typeof field["description"] !== "string").map(({ path }) => path)
    assert.isAbove(allFields.length, 900)
    assert.isEmpty(silent.filter((path) => !isHandedOn(path)))
    // Nothing is said of a field that there is not, and no field is let off that says something.
    const said = new Set(
      allFields.flatMap(({ field, path }) =>
        meaningKeys(path)
          .filter((key) => Object.hasOwn(meanings, key))
          .slice(0, 1)
          .filter((key) => meanings[key] === field["description"]),
      ),
    )
    assert.isEmpty(Object.keys(meanings).filter((key) => !said.has(key)))
    assert.isEmpty(handedOn.filter((prefix) => !silent.some((path) => path.join(".").startsWith(prefix))))
    for (const { field, path } of allFields) {
      if (typeof field["description"] === "string") assert.match(field["description"], /\S.*\.$/su, path.join("."))
    }
  })

  it("has every event in webhooks, and none else, each with the one payload and its own type", () => {
    assert.sameMembers(Object.keys(document.webhooks), [...eventTypes])
    for (const type of eventTypes) {
      const reference = document.webhooks[type]?.post.requestBody.content["application/json"].schema["$ref"]
      const schema = at(String(reference))
      if (!isObject(schema) || !Array.isArray(schema["allOf"])) return assert.fail(type)
      const [payload, own] = schema["allOf"]
      assert.deepStrictEqual(payload, { $ref: "#/components/schemas/EventPayload" })
      assert.deepStrictEqual(own.properties.event_type.enum, [type])
    }
    assert.sameMembers(Object.keys(propertiesOf("EventPayload")), Object.keys(EventPayload.fields))
  })

  it("says the same thing every time, and is served where it is told", () => {
    assert.deepStrictEqual(openApiDocument(), document)
    const servers = [{ url: "https://calls.example" }]
    assert.deepStrictEqual(openApiDocument({ servers }).servers, servers)
  })
})
