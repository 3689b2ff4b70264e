import { DependencyUnavailable, limits, type SourceFile, TextExtractor, UnreadableFile } from "@carillon/core"
import { RetrievalIndex } from "@carillon/core/ports"
import { Effect, Latch, Layer } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { formOf, type Part, pdf } from "../Forms.ts"
import { agentId, keyRow, keyText, makeWorld, organizationId, seed, type World } from "../World.ts"

/** Reads what stands after the signature; a file that says so is unreadable, or waits. */
const gate = Latch.makeUnsafe(false)
const extract = ({ bytes, type }: SourceFile): Effect.Effect<string | null, UnreadableFile> => {
  if (type !== "pdf") return Effect.succeed(null)
  const text = Buffer.from(bytes).toString("latin1").slice("%PDF-1.7\n".length)
  if (text.startsWith("unreadable")) return Effect.fail(new UnreadableFile())
  return text.startsWith("wait") ? Effect.as(gate.await, text) : Effect.succeed(text)
}

let world: World

beforeEach(async () => {
  gate.closeUnsafe()
  world = await makeWorld(Layer.succeed(TextExtractor, { extract }))
})
afterEach(() => world.close())

const upload = (target: string, parts: ReadonlyArray<Part>, key?: string) =>
  world.send({ method: "POST", target, ...formOf(parts), ...(key === undefined ? {} : { key }) })

const bases = "/v2/knowledge-bases"
const named = (collection: string): Part => ({ name: "collection", value: collection })
const bytes = (value: string, filename = "a.pdf"): Part => ({ name: "files", filename, value })
const create = (collection: string, ...files: ReadonlyArray<Part>) => upload(bases, [named(collection), ...files])
const remove = (target: string) => world.send({ method: "DELETE", target })
const ask = (collection: string, body: object) =>
  world.send({ method: "POST", target: `${bases}/${collection}/query`, body })
const list = async (target: string) => (await world.send({ target })).json["data"]

/** Nothing of any knowledge base is left behind. */
const expectNothing = async () => {
  expect(await list(bases)).toEqual([])
  expect(world.tables.auditTrail(organizationId).filter(({ outcome }) => outcome === "allowed")).toEqual([])
}

describe("a knowledge base", () => {
  it("is created with its first files, filled, asked, emptied and deleted", async () => {
    const created = await upload(bases, [
      { name: "name", value: "docs" },
      { name: "description", value: "What we know" },
      { name: "chunk_size", value: "32" },
      { name: "overlapping", value: "0" },
      pdf("Refunds are paid within ten days.", "../refunds.pdf"),
      pdf("Parking is free.", "parking.txt"),
    ])
    expect(created.status).toBe(201)
    expectDeclared("knowledge.create", created)
    expect(created.json).toMatchObject({
      collection: "docs",
      files_accepted: ["refunds.pdf", "parking.txt"],
      chunks_indexed: 3,
      metadata_recorded: true,
      warnings: [],
    })
    world.clock.now += 1000
    const image = { name: "files", filename: "a.png", value: Buffer.from("\x89PNG\r\n\x1a\n", "latin1") }
    const added = await upload(`${bases}/docs/documents`, [image])
    expectDeclared("knowledge.upload", added)
    expect(added.json).toMatchObject({ chunks_indexed: 0, retrieval_id: created.json["retrieval_id"] })
    expect(added.json["warnings"]).toHaveLength(1)

    const read = await world.send({ target: `${bases}/docs` })
    expectDeclared("knowledge.get", read)
    expect(read.json).toMatchObject({ description: "What we know", documents: 2, chunks_indexed: 3 })
    const all = await world.send({ target: bases })
    expectDeclared("knowledge.list", all)
    expect(all.json["data"]).toEqual([read.json])

    const documents = await world.send({ target: `${bases}/docs/documents?page_size=1` })
    expectDeclared("knowledge.documents", documents)
    expect(documents.json).toMatchObject({
      data: [{ files: ["a.png"], status: "failed", chunks_indexed: 0 }],
      pagination: { total: 2, has_more: true },
    })
    const [first] = (await list(`${bases}/docs/documents?page=2&page_size=1`)) as ReadonlyArray<{ document_id: string }>

    const hits = await ask("docs", { query: "refunds" })
    expectDeclared("knowledge.query", hits)
    expect(hits.json["data"]).toMatchObject([
      { document_id: first?.document_id, file: "refunds.pdf", chunk: 0, text: "Refunds are paid within ten" },
    ])
    const removed = await remove(`${bases}/docs/documents/${first?.document_id}`)
    expectDeclared("knowledge.removeDocument", removed)
    expect(removed.json).toEqual({
      deleted: true,
      collection: "docs",
      record_id: first?.document_id,
      vectors_removed: 3,
    })
    expect((await ask("docs", { query: "refunds" })).json).toEqual({ data: [] })
    expect((await remove(`${bases}/docs/documents/${first?.document_id}`)).json["error"]).toBe(1200)
    expect((await world.send({ target: `${bases}/docs` })).json).toMatchObject({ documents: 1, chunks_indexed: 0 })

    const gone = await remove(`${bases}/docs`)
    expectDeclared("knowledge.remove", gone)
    expect(gone.json).toMatchObject({ deleted: true, uploads_removed: 1, vectors_removed: 0 })
    expect((await world.send({ target: `${bases}/docs` })).status).toBe(404)
    expect((await create("docs", pdf("again"))).status).toBe(201)
  })

  it("takes a chunk size of any length without an overlap", async () => {
    for (const chunk_size of ["32", "100", "128", "129"]) {
      const size: Part = { name: "chunk_size", value: chunk_size }
      expect((await upload(bases, [named(`c${chunk_size}`), size, pdf("Parking is free.")])).status).toBe(201)
    }
  })

  it("is not filled with many times its text by what chunks share", async () => {
    const words = Array.from({ length: 4_000 }, (_, nth) => String(10_000 + nth)).join(" ")
    const cut = (chunk_size: string, overlapping: string): ReadonlyArray<Part> => [
      { name: "chunk_size", value: chunk_size },
      { name: "overlapping", value: overlapping },
    ]
    const refused = await upload(bases, [named("docs"), ...cut("8192", "8180"), pdf(words)])
    expect([refused.status, refused.json["error"]]).toEqual([413, 1000])
    await expectNothing()
    expect((await upload(bases, [named("docs"), ...cut("8192", "4096"), pdf(words)])).status).toBe(201)
  })

  it("keeps a second copy of a file that is uploaded again", async () => {
    await create("docs", pdf("Parking is free."))
    await upload(`${bases}/docs/documents`, [pdf("Parking is free.")])
    expect((await ask("docs", { query: "parking" })).json["data"]).toHaveLength(2)
    expect((await ask("docs", { query: "parking", top_k: 1 })).json["data"]).toHaveLength(1)
    expect(await list(`${bases}/docs/documents`)).toHaveLength(2)
  })

  it("cannot be deleted while an agent uses it", async () => {
    await create("docs", pdf("text"))
    const [, , agent] = seed
    if (agent?.put !== "agent") throw new Error("the seed has an agent")
    world.write({ put: "agent", row: { ...agent.row, revision: 2, knowledge_base: "docs" } })
    const refused = await remove(`${bases}/docs`)
    expect([refused.status, refused.json["error"]]).toEqual([409, 1201])
    expect((await ask("docs", { query: "text" })).json["data"]).toHaveLength(1)
    world.write({ put: "agent", row: { ...agent.row, agent_id: agentId, revision: 3, knowledge_base: null } })
    expect((await remove(`${bases}/docs`)).status).toBe(200)
  })

  it("is unknown to every other organization", async () => {
    await create("docs", pdf("secret"))
    const foreign = keyText(77)
    world.write({ put: "api_key", row: keyRow(foreign, { organization_id: "org_2" }) })
    const [document] = (await list(`${bases}/docs/documents`)) as ReadonlyArray<{ document_id: string }>
    const asked = async (method: string, path: string, body?: object) => {
      const sent = { key: foreign, method, ...(body === undefined ? {} : { body }) }
      const theirs = await world.send({ ...sent, target: `${bases}/docs${path}` })
      const nobodys = await world.send({ ...sent, target: `${bases}/unknown${path}` })
      expect([theirs.status, theirs.text]).toEqual([404, nobodys.text])
    }
    await asked("GET", "")
    await asked("GET", "/documents")
    await asked("DELETE", "")
    await asked("DELETE", `/documents/${document?.document_id}`)
    await asked("POST", "/query", { query: "secret" })
    expect((await upload(`${bases}/docs/documents`, [pdf("x")], foreign)).status).toBe(404)
    expect((await world.send({ key: foreign, target: bases })).json["data"]).toEqual([])
  })
})

describe("an upload", () => {
  it.each<[string, ReadonlyArray<Part>, number, number]>([
    ["no name", [pdf("x")], 400, 1002],
    ["a bad name", [named("a b"), pdf("x")], 400, 1000],
    ["an empty name", [named(""), pdf("x")], 400, 1000],
    ["a name twice", [named("a"), named("b"), pdf("x")], 422, 1001],
    ["no file", [named("docs")], 400, 1002],
    ["a file without a name that is a text", [named("docs"), { name: "files", value: "x" }], 415, 1000],
    ["eleven files", [named("docs"), ...Array.from({ length: 11 }, () => pdf("x"))], 413, 1000],
    ["an empty file", [named("docs"), { name: "files", filename: "a.pdf", value: "" }], 400, 1000],
    ["a text", [named("docs"), pdf("x"), { name: "files", filename: "a.pdf", value: "text" }], 415, 1000],
    ["an unreadable file", [named("docs"), pdf("x"), pdf("unreadable")], 400, 1000],
    ["an archive that ends in a PDF", [named("docs"), bytes(`PK\u0003\u0004${pdf("x").value}`)], 415, 1000],
    ["a PDF behind a line break", [named("docs"), bytes(`\n${pdf("x").value}`)], 415, 1000],
    ["half a signature", [named("docs"), bytes("%PDF")], 415, 1000],
    ["a bad chunk size", [named("docs"), { name: "chunk_size", value: "1" }, pdf("x")], 422, 1001],
    ["no whole number", [named("docs"), { name: "chunk_size", value: "64.5" }, pdf("x")], 422, 1001],
    ["an overlap that leaves no step", [named("docs"), { name: "overlapping", value: "512" }, pdf("x")], 400, 1000],
  ])("of %s is refused, and nothing is stored", async (_, parts, status, error) => {
    const refused = await upload(bases, parts)
    expect([refused.status, refused.json["error"]]).toEqual([status, error])
    await expectNothing()
  })

  it("needs a Content-Length and a form, and is not larger than its bound", async () => {
    const {
      bytes: body,
      headers: { "content-type": type },
    } = formOf([named("docs"), pdf("x")])
    const sent = (headers: Readonly<Record<string, string>>, bytes: Uint8Array | "oversize" | null) =>
      world.send({ method: "POST", target: bases, headers, bytes })
    const length = String(body.length)
    const statuses = [
      await sent({ "content-type": type }, body),
      await sent({ "content-type": type, "content-length": String(limits.knowledgeUploadBytes + 1) }, body),
      await sent({ "content-type": type, "content-length": length }, "oversize"),
      await sent({ "content-type": "application/json", "content-length": length }, body),
      await sent({ "content-type": type, "content-length": length }, body.subarray(0, -20)),
      await sent({ "content-type": type, "content-length": "0" }, null),
    ].map(({ json, status }) => [status, json["error"]])
    expect(statuses).toEqual([
      [411, 1000],
      [413, 1000],
      [413, 1000],
      [400, 1000],
      [400, 1000],
      [400, 1000],
    ])
    await expectNothing()
  })

  it("into a base that is full is too large, whichever of its bounds is met, until something of it is deleted", async () => {
    const parts = [named("docs"), { name: "chunk_size", value: "8192" }, { name: "overlapping", value: "0" }]
    const words = (count: number) => pdf("abcd ".repeat(count))
    expect((await upload(bases, [...parts, words(1)])).status).toBe(201)
    const documents = `${bases}/docs/documents`
    const half = words((limits.knowledgeCharacters / 5) * 0.6)
    const first = await upload(documents, [half])
    expect(first.status).toBe(201)
    const refused = await upload(documents, [half])
    expect([refused.status, refused.json["error"]]).toEqual([413, 1000])
    const [newest] = world.tables.knowledge.uploads.rows(organizationId).toReversed()
    expect((await remove(`${documents}/${newest?.document_id ?? ""}`)).status).toBe(200)
    expect((await upload(documents, [half])).status).toBe(201)
    const [base] = world.tables.knowledge.bases.rows(organizationId)
    if (base !== undefined) world.tables.knowledge.bases.put({ ...base, documents: limits.knowledgeDocuments })
    const more = await upload(documents, [words(1)])
    expect([more.status, more.json["error"]]).toEqual([413, 1000])
  })

  it("of any number of files beyond ten is too large", async () => {
    for (const count of [11, 127, 128, 500]) {
      const refused = await create("docs", ...Array.from({ length: count }, () => pdf("x")))
      expect([count, refused.status, refused.json["error"]]).toEqual([count, 413, 1000])
    }
    await expectNothing()
  })

  it("of a name that is taken, or into a base that is not there, changes nothing", async () => {
    expect((await create("docs", pdf("first"))).status).toBe(201)
    const taken = await create("docs", pdf("second"))
    expect([taken.status, taken.json["error"]]).toEqual([409, 1201])
    expect((await upload(`${bases}/other/documents`, [pdf("x")])).status).toBe(404)
    expect((await ask("docs", { query: "second" })).json).toEqual({ data: [] })
    expect(await list(`${bases}/docs/documents`)).toHaveLength(1)
  })

  it("is the only one of its organization, from its first byte to its answer", async () => {
    await create("docs", pdf("first"))
    const waiting = upload(`${bases}/docs/documents`, [pdf("wait for it")])
    const second = await create("more", pdf("x"))
    expect([second.status, second.json]).toEqual([
      429,
      { error: 1300, message: "Another upload for this organization is in progress." },
    ])
    expect(Number(second.headers["Retry-After"])).toBeGreaterThan(0)
    // Until its answer, however far the clock jumps.
    world.clock.now += 2 * limits.knowledgePlaceMs
    expect((await create("more", pdf("x"))).status).toBe(429)
    const other = keyText(78)
    world.write({ put: "api_key", row: keyRow(other, { organization_id: "org_2" }) })
    expect((await upload(bases, [named("docs"), pdf("x")], other)).status).toBe(201)
    // Everything else goes on meanwhile.
    expect((await ask("docs", { query: "first" })).json["data"]).toHaveLength(1)
    gate.openUnsafe()
    expect((await waiting).status).toBe(201)
    expect((await create("more", pdf("x"))).status).toBe(201)
  })

  it("holds its place while its body is on the way, and gives it back when none comes", async () => {
    const { bytes: body, headers: form } = formOf([named("docs"), pdf("late")])
    let arrive: (body: Uint8Array | null) => void = () => {}
    const key = keyText(79)
    world.write({ put: "api_key", row: keyRow(key, {}) })
    const headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}`, ...form }
    const begin = () =>
      new Promise<number>((resolve) =>
        world.handle(
          {
            method: "POST",
            target: bases,
            header: (name) => headers[name] ?? null,
            body: null,
            lateBody: (_, read) => (arrive = read),
          },
          ({ status }) => resolve(status),
        ),
      )
    const first = begin()
    expect((await create("more", pdf("x"))).status).toBe(429)
    arrive(body)
    expect(await first).toBe(201)
    const abandoned = begin()
    arrive(null)
    expect(await abandoned).toBe(400)
    expect((await create("more", pdf("x"))).status).toBe(201)
  })

  it("counts in its bucket, 20 a minute", async () => {
    const answer = await create("docs", pdf("x"))
    expect(answer.headers["X-RateLimit-Limit"]).toBe("20")
    expect((await ask("docs", { query: "x" })).headers["X-RateLimit-Limit"]).toBe("1000")
  })
})

describe("a form that means harm", () => {
  it("and ends too early is refused wherever it ends, and nothing is stored", async () => {
    const { bytes: whole, headers } = formOf([named("docs"), pdf("Parking is free.")])
    for (let length = 0; length < whole.length - 2; length += 3) {
      const refused = await world.send({ method: "POST", target: bases, headers, bytes: whole.subarray(0, length) })
      expect([length, refused.status, refused.json["error"]]).toEqual([length, 400, 1000])
      world.clock.now += 4_000
    }
    await expectNothing()
  })

  it("is taken for what it says, whatever its fields are called and its files are named", async () => {
    const made = await upload(bases, [
      named("docs"),
      { name: "__proto__", value: '{"description": "polluted"}' },
      { name: "constructor", value: "x" },
      { name: "__proto__", filename: "a.pdf", value: "x" },
      pdf("one", "../../etc/passwd"),
      pdf("two", "C:\\temp\\evil.exe"),
      pdf("three", "__proto__"),
      pdf("four", ""),
    ])
    expect(made.json).toMatchObject({ files_accepted: ["passwd", "evil.exe", "__proto__", "file"], chunks_indexed: 4 })
    expect((await world.send({ target: `${bases}/docs` })).json["description"]).toBeNull()
    expect(Reflect.get({}, "description")).toBeUndefined()
  })
})

describe("the audit trail", () => {
  it("has every write that was made or failed, and none that was refused as such", async () => {
    await create("docs", pdf("one"))
    await create("docs", pdf("two"))
    await create("a b", pdf("three"))
    await upload(`${bases}/docs/documents`, [pdf("four")])
    await upload(`${bases}/docs/documents`, [bytes("text")])
    const [document] = (await list(`${bases}/docs/documents`)) as ReadonlyArray<{ document_id: string }>
    await remove(`${bases}/docs/documents/${document?.document_id}`)
    await remove(`${bases}/docs/documents/${document?.document_id}`)
    await remove(`${bases}/docs`)
    const base = expect.stringMatching(/^kb_/)
    expect(
      world.tables
        .auditTrail(organizationId)
        .map(({ action, outcome, resource }) => [action, outcome, outcome === "allowed" ? resource?.id : null]),
    ).toEqual([
      ["knowledge_base.create", "allowed", base],
      ["knowledge_base.create", "failed", null],
      ["document.create", "allowed", document?.document_id],
      ["document.delete", "allowed", document?.document_id],
      ["knowledge_base.delete", "allowed", base],
    ])
  })
})

describe("a query", () => {
  it.each([
    {},
    { query: "" },
    { query: "  " },
    { query: "x", top_k: 0 },
    { query: "x", top_k: 51 },
    { query: "x".repeat(2001) },
  ])("that asks for nothing is refused: %j", async (body) => {
    await create("docs", pdf("x"))
    const refused = await ask("docs", body)
    expect([400, 422]).toContain(refused.status)
    expect([1001, 1002]).toContain(refused.json["error"])
  })
})

describe("many queries at once", () => {
  it("are asked two at a time; so many wait, and what is beyond is refused with 1300", async () => {
    const open = Latch.makeUnsafe(false)
    let asked = 0
    let most = 0
    const search = () =>
      Effect.gen(function* () {
        asked += 1
        most = Math.max(most, asked)
        yield* open.await
        asked -= 1
        return []
      })
    await world.close()
    world = await makeWorld(
      Layer.mergeAll(
        Layer.succeed(TextExtractor, { extract }),
        Layer.succeed(RetrievalIndex, {
          add: () => Effect.void,
          remove: () => Effect.succeed(0),
          document: () => Effect.succeed(null),
          search,
        }),
      ),
    )
    await create("docs", pdf("x"))
    const { atOnce, open: openMax } = limits.knowledgeQueries
    const answers = Array.from({ length: openMax + 3 }, () => ask("docs", { query: "x" }))
    const refused = await Promise.race(answers)
    expect([refused.status, refused.json]).toEqual([
      429,
      { error: 1300, message: `${openMax} questions to knowledge bases of this organization are in progress.` },
    ])
    expect(refused.headers["Retry-After"]).toBe(String(limits.knowledgeRetryAfterSeconds))
    expect(most).toBe(atOnce)
    open.openUnsafe()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(3)
    expect(statuses.filter((status) => status === 200)).toHaveLength(openMax)
    expect(most).toBe(atOnce)
    expect((await ask("docs", { query: "x" })).status).toBe(200)
  })
})

describe("when a dependency is away", () => {
  const away = Effect.fail(new DependencyUnavailable({ dependency: "knowledge_index" }))

  it("the index: the upload is refused with 1501, and nothing is stored", async () => {
    await world.close()
    world = await makeWorld(
      Layer.mergeAll(
        Layer.succeed(TextExtractor, { extract }),
        Layer.succeed(RetrievalIndex, {
          add: () => away,
          remove: () => away,
          document: () => away,
          search: () => away,
        }),
      ),
    )
    const refused = await create("docs", pdf("x"))
    expect([refused.status, refused.json]).toEqual([
      503,
      { error: 1501, message: "The account service is temporarily unavailable." },
    ])
    await expectNothing()
  })
})
