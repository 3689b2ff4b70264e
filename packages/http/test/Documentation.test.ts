import { asyncApiDocument, openApiDocument } from "@carillon/api/documents"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { documentation } from "../src/Documentation.ts"
import { toEdge } from "./World.ts"

it("serves the health, the document and the page, and nothing else", async () => {
  const serve = await Effect.runPromise(documentation)
  const get = (target: string, method = "GET") => serve(toEdge({ target, method }))
  expect(get("/healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' })
  expect(get("/healthz?x=1", "HEAD")?.status).toBe(200)
  expect(JSON.parse(get("/openapi.json")?.body ?? "")).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
  expect(JSON.parse(get("/asyncapi.json")?.body ?? "")).toEqual(JSON.parse(JSON.stringify(asyncApiDocument())))
  expect(get("/docs")?.headers["Content-Type"]).toBe("text/html; charset=utf-8")
  expect(get("/docs")?.body).toContain("<html")
  for (const target of ["/", "/docs/", "/toString", "/v2/calls"]) expect(get(target)).toBeNull()
  expect(get("/healthz", "POST")).toBeNull()
})

it("names the prefix of its mount as the server", async () => {
  const serve = await Carillon.documentation({ prefix: "/voice" })
  const document = JSON.parse(serve(toEdge({ target: "/openapi.json" }))?.body ?? "")
  expect(document).toMatchObject({ servers: [{ url: "/voice" }] })
  await expect(Carillon.documentation({ prefix: "/voice/v2" })).rejects.toThrow("leave /v2 off")
})
