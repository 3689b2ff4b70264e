import { type Route, routes } from "@carillon/api"
import { limits } from "@carillon/core"
import { deflateSync } from "node:zlib"
import { SchemaAST, type Schema } from "effect"
import type { Attack, Known } from "./Attack.ts"
import { bytes, form, megabytes, pdfOf, pngOf } from "./Files.ts"
import { tomorrow } from "./Furnishing.ts"
import type { Tenant } from "./Messages.ts"
import { muchAttacks } from "./MuchAttacks.ts"
import { bodies, structures, texts } from "./Worst.ts"

const json = { "content-type": "application/json" }

const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map(({ name }) => String(name))
    : []

/** What fields need so that a body is looked at to its end. */
const plausible = ({ agent_id }: Tenant): Readonly<Record<string, unknown>> => ({
  agent_id,
  display_name: "x",
  name: "x",
  to_number: "+15555550100",
  to_numbers: ["+15555550100"],
  contacts: [{ to_number: "+15555550100" }],
  callback_url: "https://example.com/hook",
  event_type: "call_completed",
  query: "what",
  provider_name: "x",
  provider_type: "x",
  credentials: {},
  phone_number: "+15555550009",
  version_name: "x",
  variant_agent_id: agent_id,
  variant_traffic_pct: 1,
  suppress_on: { outcomes: ["busy"] },
  // Nothing is dialled of it: the question is what its coming costs.
  scheduled_at: tomorrow(),
  start_time: tomorrow(),
})

/** Routes that would take away what the other attacks are made on. */
const ending = /\.(?:archive|cancel|delete|release|remove\w*|revoke|stop|unbind|undeploy)$/

const targetOf = ({ name, path }: Route, { agent_id }: Tenant, { parameters }: Known): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    if (ending.test(name)) return "x"
    return parameter === "agent_id" ? agent_id : (parameters[parameter] ?? "x")
  })

/** Requests with 1 MiB of body are sent this often at once, and those with contacts or files. */
const parallel = 4
const parallelLarge = 2
/** Lists of some thousands of contacts, that are stored at once. */
const parallelLists = 20
const listed = 5_000
/** Changes that meet at one row. */
const parallelMeeting = 150

type Make = (tenant: Tenant) => {
  readonly body: Buffer | null
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
}

const attackOn = (route: Route, name: string, make: Make, options: Partial<Attack> = {}): Attack => ({
  route: `${route.method} ${route.path}`,
  name,
  hasFiles: false,
  parallel,
  isHeld: false,
  needs: null,
  isInBody: false,
  shot: (tenant, known) => {
    const { body, headers = {}, query = "" } = make(tenant)
    return { method: route.method, target: `${targetOf(route, tenant, known)}${query}`, headers, body }
  },
  ...options,
})

const withField = (tenant: Tenant, fields: ReadonlyArray<string>, field: string, value: string): string => {
  const base = plausible(tenant)
  const others = fields.filter((name) => name !== field && name in base)
  return `{${others.map((name) => `${JSON.stringify(name)}:${JSON.stringify(base[name])},`).join("")}${JSON.stringify(field)}:${value}}`
}

const inBody = (attack: Attack): Attack => ({ ...attack, isInBody: true })

const jsonAttacks = (route: Route): ReadonlyArray<Attack> => {
  const fields = fieldsOf(route.endpoint.payload.get("application/json")?.schemas[0])
  if (fields.length === 0) return []
  const whole = Object.entries(bodies).map(([name, body]) =>
    attackOn(route, name, () => ({ headers: json, body: bytes(body) })),
  )
  const inFields = fields.flatMap((field) =>
    [...Object.entries(texts), ...Object.entries(structures)].map(([name, value]) =>
      attackOn(route, `${field}: ${name}`, (tenant) => ({
        headers: json,
        body: bytes(withField(tenant, fields, field, value)),
      })),
    ),
  )
  const [first = ""] = fields
  const held = attackOn(
    route,
    "sixty bodies that never end",
    (tenant) => ({
      headers: json,
      body: bytes(withField(tenant, fields, first, texts["letters"] ?? "")),
    }),
    { isHeld: true, parallel: 60 },
  )
  return [...whole, ...inFields.map(inBody), held]
}

const contact = (nth: number, rest: string): string => `{"to_number":"+1555${String(nth).padStart(7, "0")}"${rest}}`

/** Values that a contact may have in a list, beside itself and the list. */
const contactHeld = limits.contactValues - 4

const contactLists: Readonly<Record<string, () => string>> = {
  "fifty thousand small ones": () => contacts(limits.contactsPerRequest, ""),
  "as many values as there may be": () =>
    contacts(limits.contactsPerRequest, Array.from({ length: 17 }, (_, nth) => `,"v${nth}":""`).join("")),
  "names of their own": () =>
    contacts(25_000, "", (nth) => `,${Array.from({ length: 20 }, (_, v) => `"n${nth}_${v}":0`).join(",")}`),
  "as many bytes as there may be": () => contacts(limits.contactsPerRequest, `,"note":"${"x".repeat(600)}"`),
  "empty objects": () => `[${"{},".repeat(900_000)}{}]`,
  "more values than there may be": () => `[${"{},".repeat(megabytes(10))}{}]`,
  "one of thirty megabytes": () => `[${contact(0, `,"note":"${"x".repeat(megabytes(30))}"`)}]`,
  "wrong numbers": () => `[${'{"to_number":"x"},'.repeat(400_000)}{}]`,
  blanks: () => `[${" ".repeat(megabytes(30))}]`,
  "quotes that never end": () => `[{"\\u0061":"${'\\"'.repeat(megabytes(15))}`,
  "escaped keys": () => contacts(limits.contactsPerRequest, ',"\\u0061":"b","c":{"d":[]}'),
  "lists in lists": () => contacts(1_950, `,"a":[${"[],".repeat(contactHeld / 2)}[]]`),
  "objects in lists": () => contacts(1_950, `,"a":[${'{"b":0},'.repeat(contactHeld / 2)}{}]`),
  "as wide as they may be": () =>
    contacts(1_950, `,${Array.from({ length: limits.contactValues }, (_, nth) => `"k${nth}":0`).join(",")}`),
  "wider than they may be": () =>
    contacts(100, `,${Array.from({ length: 6_000 }, (_, nth) => `"k${nth}":0`).join(",")}`),
}

const contacts = (count: number, rest: string, own: (nth: number) => string = () => ""): string =>
  `[${Array.from({ length: count }, (_, nth) => contact(nth, rest + own(nth))).join(",")}]`

/** Long names by the thousand, no two alike, each written twice. */
const withScript = (tenant: Tenant, fields: ReadonlyArray<string>): string => {
  const script = { enabled: true, fields: ["note"], target_language_code: "hi", keep_original: true }
  const list = contacts(500, "", (nth) => `,"note":"${`na${nth} ksharohit `.repeat(3_500)}"`)
  return withField(tenant, fields, "contacts", list).replace("{", `{"transliteration":${JSON.stringify(script)},`)
}

const carrierAttacks = (route: Route): ReadonlyArray<Attack> => {
  const fields = fieldsOf(route.endpoint.payload.get("application/json")?.schemas[0])
  if (!fields.includes("contacts")) return []
  const large = { parallel: parallelLarge }
  const body = (tenant: Tenant, list: () => string) => bytes(withField(tenant, fields, "contacts", list()))
  const atOnce = attackOn(
    route,
    "contacts: twenty lists at once",
    (tenant) => ({ headers: json, body: body(tenant, () => contacts(listed, "")) }),
    { parallel: parallelLists },
  )
  const lists = Object.entries(contactLists).flatMap(([name, list]) => [
    attackOn(route, `contacts: ${name}`, (tenant) => ({ headers: json, body: body(tenant, list) }), large),
    ...(route.idempotent && name.startsWith("as many")
      ? [
          attackOn(
            route,
            `contacts: ${name}, with a key`,
            (tenant) => ({
              headers: { ...json, "idempotency-key": `${name}${crypto.randomUUID()}` },
              body: body(tenant, list),
            }),
            large,
          ),
        ]
      : []),
    ...(fields.includes("transliteration") && name === "as many bytes as there may be"
      ? [
          attackOn(
            route,
            "contacts: texts to be written in another script",
            (tenant) => ({ headers: json, body: bytes(withScript(tenant, fields)) }),
            large,
          ),
        ]
      : []),
    ...(name === "as many bytes as there may be"
      ? [
          attackOn(
            route,
            "contacts: twenty lists that never end",
            (tenant) => ({ headers: json, body: body(tenant, list) }),
            { parallel: 20, isHeld: true },
          ),
        ]
      : []),
  ])
  return [...lists, atOnce]
}

const longest = "b".repeat(limits.formBoundaryCharacters)

const rows = (count: number, columns: number, cell: string): string => {
  const names = Array.from({ length: columns }, (_, nth) => `v${nth}`)
  const rest = Array.from({ length: columns }, () => cell).join(",")
  return `${["to_number", ...names].join(",")}\n${Array.from({ length: count }, (_, nth) => `+1555${String(nth).padStart(7, "0")}${columns === 0 ? "" : `,${rest}`}`).join("\n")}\n`
}

const files: Readonly<Record<string, () => string>> = {
  "fifty thousand rows": () => rows(limits.contactsPerRequest, 1, "x"),
  "as many bytes as there may be": () => rows(limits.contactsPerRequest, 1, "x".repeat(390)),
  "as many columns as there may be": () => rows(2_400, 1_000, ""),
  "long names of as many columns as there may be": () => rows(1_000, 1_000, "").replaceAll(/v(?=\d)/g, "n".repeat(50)),
  "short cells": () => rows(limits.contactsPerRequest, 49, "x"),
  "quoted cells": () => rows(20_000, 1, `"${'""'.repeat(200)}"`),
  "columns without an end": () => `to_number${",x".repeat(megabytes(9))}`,
  "a quote that never ends": () => `to_number,a\n+15555550100,"${"x".repeat(megabytes(18))}`,
  "quotes alone": () => `to_number,a\n${'"'.repeat(megabytes(18))}`,
  "line ends alone": () => `to_number,a${"\r".repeat(megabytes(18))}`,
  "wrong rows": () => `to_number,a\n${"x,y\n".repeat(megabytes(4))}`,
  "near misses of the boundary": () => `to_number,a\n${`\r\n--${longest.slice(1)}a`.repeat(megabytes(18) / 75)}`,
  "starts of the boundary": () => `to_number,a\n${"\r\n--".repeat(megabytes(4))}`,
}

const formAttacks = (route: Route): ReadonlyArray<Attack> => {
  const fields = fieldsOf(route.endpoint.payload.get("multipart/form-data")?.schemas[0])
  if (fields.length === 0) return []
  const isKnowledge = !fields.includes("file")
  const large = { parallel: parallelLarge, hasFiles: isKnowledge }
  const sent = (boundary: string, body: Buffer, more = {}) => ({
    headers: { "content-type": `multipart/form-data; boundary=${boundary}`, ...more },
    body,
  })
  const named = { name: "x", collection: "docs", start_time: tomorrow(), scheduled_at: tomorrow() }
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, nth) => [`f${nth}`, "x".repeat(8000)]))
  const fileName = isKnowledge ? "a.pdf" : "a.csv"
  const heavy: ReadonlyArray<Attack> = isKnowledge
    ? Object.entries(uploads).map(([name, file]) =>
        attackOn(
          route,
          `files: ${name}`,
          (tenant) =>
            sent(
              longest,
              form(tenant, file(), name.startsWith("png") ? "a.png" : "a.pdf", longest, {
                ...named,
                collection: `c${crypto.randomUUID()}`,
              }),
            ),
          large,
        ),
      )
    : Object.entries(files).flatMap(([name, file]) => [
        attackOn(
          route,
          `file: ${name}`,
          (tenant) => sent(longest, form(tenant, file(), fileName, longest, named)),
          large,
        ),
        ...(route.idempotent && name.startsWith("as many")
          ? [
              attackOn(
                route,
                `file: ${name}, with a key and a boundary of one letter`,
                (tenant) =>
                  sent("x", form(tenant, file(), fileName, "x", named), {
                    "idempotency-key": `k${crypto.randomUUID()}`,
                  }),
                large,
              ),
            ]
          : []),
      ])
  return [
    ...heavy,
    attackOn(
      route,
      "a long boundary",
      (tenant) => {
        const boundary = "b".repeat(8000)
        return sent(boundary, form(tenant, `\r\n--${boundary.slice(1)}`.repeat(100), fileName, boundary, named))
      },
      large,
    ),
    attackOn(
      route,
      "many fields",
      (tenant) => sent("x", form(tenant, "to_number\n+15555550100", fileName, "x", { ...named, ...many })),
      large,
    ),
    attackOn(
      route,
      "wide fields",
      (tenant) =>
        sent(
          "x",
          form(tenant, "to_number\n+15555550100", fileName, "x", {
            ...named,
            metadata: structures["a wide list of objects"] ?? "",
            default_call_variables: structures["a wide object"] ?? "",
          }),
        ),
      large,
    ),
  ]
}

/** Files that say that they are more than they are. */
const uploads: Readonly<Record<string, () => Buffer>> = {
  "pdf of nothing": () => Buffer.concat([bytes("%PDF-1.7\n"), Buffer.alloc(megabytes(20), "obj ")]),
  "pdf of brackets": () => Buffer.concat([bytes("%PDF-1.7\n1 0 obj\n"), Buffer.alloc(megabytes(4), "<<")]),
  "pdf of references": () =>
    bytes(
      `%PDF-1.7\n${Array.from({ length: 100_000 }, (_, nth) => `${nth + 1} 0 obj\n<< /Next ${nth + 2} 0 R >>\nendobj\n`).join("")}trailer\n<< /Root 1 0 R >>\n`,
    ),
  "pdf of text that unpacks to sixty megabytes": () => pdfOf(deflateSync(Buffer.alloc(megabytes(60), "(x) Tj "))),
  "png of as many pixels as there may be": () => pngOf(7000),
  "png of four gigapixels": () =>
    Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      Buffer.from("0000ffff0000ffff0806000000", "hex"),
      Buffer.alloc(1000),
    ]),
}

const longQueries: Readonly<Record<string, string>> = {
  "parameters by the thousand": `?${"a=&".repeat(3500)}`,
  "one parameter again and again": `?${Array.from({ length: 1500 }, (_, nth) => `a=${nth}`).join("&")}`,
  "percent signs": `?search=${"%".repeat(12_000)}`,
  "halves of letters": `?search=${"%f0%9f".repeat(2000)}`,
  "a long page": `?page=${"9".repeat(12_000)}`,
  "the last page of all": `?page=10000&page_size=100`,
  "a long status": `?status=${"a".repeat(12_000)}`,
  "a long time": `?from_date=2026-01-05T09:00:00.${"0".repeat(12_000)}Z`,
}

const longHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "blanks in the credential": { authorization: `Bearer${" ".repeat(12_000)}x y` },
  "a long credential": { authorization: `Bearer gat_${"x".repeat(12_000)}` },
  "a type of parameters": { "content-type": `multipart/form-data${'; a="\\"'.repeat(1700)}` },
  "a type of blanks": { "content-type": `application/json${" ".repeat(12_000)}x` },
  "a long request id": { "x-request-id": "a".repeat(12_000) },
  "a long idempotency key": { "idempotency-key": "k".repeat(12_000) },
}

const addressAttacks = (route: Route): ReadonlyArray<Attack> => {
  const body = route.body === "none" ? null : bytes("{}")
  return [
    ...Object.entries(longQueries).map(([name, query]) =>
      attackOn(route, `query: ${name}`, () => ({ body, headers: json, query }), { parallel: 20 }),
    ),
    ...Object.entries(longHeaders).map(([name, headers]) =>
      attackOn(route, `header: ${name}`, () => ({ body, headers: { ...json, ...headers } }), { parallel: 20 }),
    ),
    ...["%2f".repeat(4000), ";".repeat(12_000), "%".repeat(12_000), "a".repeat(12_000), "/".repeat(12_000)].map(
      (tail) =>
        attackOn(route, `path: ${tail.slice(0, 3)}…`, () => ({ body, headers: json, query: tail }), { parallel: 20 }),
    ),
    attackOn(route, "as often as it goes", () => ({ body, headers: json }), { parallel: 300 }),
  ]
}

/** Fields of which any text is a change. */
const named = ["display_name", "name", "label", "version_name"]

/** Changes of one row that are all decided before any of them is written. */
const meetingAttacks = (route: Route): ReadonlyArray<Attack> => {
  const fields = fieldsOf(route.endpoint.payload.get("application/json")?.schemas[0])
  const field = named.find((name) => fields.includes(name))
  if (route.method !== "PATCH" || field === undefined) return []
  const body = () => ({ headers: json, body: bytes(JSON.stringify({ [field]: `x${crypto.randomUUID()}` })) })
  return [attackOn(route, "changes of one row at once", body, { parallel: parallelMeeting })]
}

/** Every attack on every route, and on what lies beside them. */
export const attacks: ReadonlyArray<Attack> = [
  ...routes.flatMap((route) => [
    ...jsonAttacks(route),
    ...carrierAttacks(route),
    ...formAttacks(route),
    ...addressAttacks(route),
    ...meetingAttacks(route),
  ]),
  // At the end: who has made much is slower to everybody.
  ...muchAttacks,
]
