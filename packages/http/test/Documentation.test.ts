import { asyncApiDocument, openApiDocument } from "@carillon/api/documents"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { documentation } from "../src/Documentation.ts"
import type { PageResponse } from "../src/Fallback.ts"
import { toEdge } from "./World.ts"

const textOf = (page: PageResponse | null): string =>
  typeof page?.body === "string" ? page.body : new TextDecoder().decode(page?.body ?? new Uint8Array())

it("serves the health, the document and the page, and nothing else", async () => {
  const serve = await Effect.runPromise(documentation)
  const get = (target: string, method = "GET") => serve(toEdge({ target, method }))
  expect([get("/healthz")?.status, textOf(get("/healthz"))]).toEqual([200, '{"status":"ok"}'])
  expect(get("/healthz?x=1", "HEAD")?.status).toBe(200)
  expect(JSON.parse(textOf(get("/openapi.json")))).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
  expect(JSON.parse(textOf(get("/asyncapi.json")))).toEqual(JSON.parse(JSON.stringify(asyncApiDocument())))
  expect(get("/docs")?.headers["Content-Type"]).toBe("text/html; charset=utf-8")
  expect(textOf(get("/docs"))).toContain("<html")
  for (const target of ["/", "/docs/", "/toString", "/v2/calls"]) expect(get(target)).toBeNull()
  expect(get("/healthz", "POST")).toBeNull()
})

it("sends the same bytes to all, and nothing to whoever has them", async () => {
  const serve = await Effect.runPromise(documentation)
  const get = (known?: string) =>
    serve(toEdge({ target: "/docs", headers: known === undefined ? {} : { "if-none-match": known } }))
  const whole = get()
  expect(whole?.body).toBeInstanceOf(Uint8Array)
  expect(get()?.body).toBe(whole?.body)
  const name = whole?.headers["ETag"] ?? ""
  expect(name).toMatch(/^"[^"]+"$/)
  for (const known of [name, `W/${name}`, `"other", ${name}`, "*"]) {
    expect(get(known)).toMatchObject({ status: 304, body: null, headers: { ETag: name } })
  }
  for (const known of ["", '"other"', name.slice(1, -1), '""']) expect(get(known)).toBe(whole)
  expect(serve(toEdge({ target: "/openapi.json" }))?.headers["ETag"]).not.toBe(name)
})

it("names the prefix of its mount as the server", async () => {
  const serve = await Carillon.documentation({ prefix: "/voice" })
  const document = JSON.parse(textOf(serve(toEdge({ target: "/openapi.json" }))))
  expect(document).toMatchObject({ servers: [{ url: "/voice" }] })
  await expect(Carillon.documentation({ prefix: "/voice/v2" })).rejects.toThrow("leave /v2 off")
})
