import { NotFound, StateConflict } from "@carillon/core"
import type { KnowledgeBase, KnowledgeUpload } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { knowledgeUsersOf } from "../../src/engine/rules/Guards.ts"
import { asks, put, refused, remove, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import { removesChunks } from "../../src/knowledge/rules/KnowledgeErrand.ts"
import { addUpload } from "../../src/knowledge/steps/AddUpload.ts"
import { createKnowledgeBase } from "../../src/knowledge/steps/CreateKnowledgeBase.ts"
import { giveUpKnowledgeBase } from "../../src/knowledge/steps/GiveUpKnowledgeBase.ts"
import { removeKnowledgeBase } from "../../src/knowledge/steps/RemoveKnowledgeBase.ts"
import { emptyUpload, removeUpload } from "../../src/knowledge/steps/RemoveUpload.ts"
import { sampleAgent, sampleCaller, sampleKnowledgeBase, sampleKnowledgeUpload } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const base: KnowledgeBase = sampleKnowledgeBase(organization_id, {
  retrieval_id: "kb_one",
  collection: "one",
  revision: 4,
  documents: 2,
  chunks_indexed: 9,
  characters: 900,
})
const upload: KnowledgeUpload = sampleKnowledgeUpload(base, {
  document_id: "doc_one",
  files: ["a.pdf", "b.pdf"],
  chunks_indexed: 3,
  characters: 300,
  created_at: 4_000,
})
const other = sampleKnowledgeBase(organization_id, { retrieval_id: "kb_other", collection: "one", revision: 2 })
const going = { ...base, removing: true } as const
const stored = sourcesOn({ put: "knowledge_base", row: base }, { put: "knowledge_upload", row: upload })
const rests = { kind: "knowledge_base", id: "kb_one", revision: 4 } as const
const at = momentAt(5_000)

const noSuchBase = new NotFound({ message: "Knowledge base not found." })
const noSuchDocument = new NotFound({ message: "Document not found." })

describe("a knowledge base is made", () => {
  const empty = { ...base, revision: 0, documents: 0, chunks_indexed: 0 }
  const { characters: _, ...uncounted } = empty
  const asked = { caller, base: uncounted, upload }

  it("with its first upload, of which its tallies are", () => {
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(), createKnowledgeBase.reads(asked)))
    // That there is none of its name is held by the second key of its row.
    assert.deepStrictEqual(expected, [])
    const filled = { ...uncounted, documents: 1, chunks_indexed: 3, characters: 300, updated_at: 4_000 }
    assert.deepStrictEqual(
      createKnowledgeBase.decide(asked, view, at),
      write([put("knowledge_base", null, filled), put("knowledge_upload", null, upload)], {
        audit: [{ resource: { type: "knowledge_base", id: "kb_one" }, details: { files: 2, chunks_indexed: 3 } }],
        reply: undefined,
      }),
    )
  })

  it("under a name that is not taken, also by one that is being removed", () => {
    const taken = new StateConflict({ message: "A knowledge base named 'one' already exists." })
    for (const row of [other, { ...other, removing: true } as const]) {
      const read = readOn(sourcesOn({ put: "knowledge_base", row }), createKnowledgeBase.reads(asked))
      assert.deepStrictEqual(createKnowledgeBase.decide(asked, Result.getOrThrow(read).view, at), refused(taken))
    }
  })
})

describe("an upload is added", () => {
  const asked = { caller, upload }

  it("to the base that it was read for", () => {
    const { expected, view } = Result.getOrThrow(readOn(stored, addUpload.reads(asked)))
    assert.deepStrictEqual(expected, [rests])
    const after = { ...base, documents: 3, chunks_indexed: 12, characters: 1_200, updated_at: 5_000 }
    assert.deepStrictEqual(
      addUpload.decide(asked, view, at),
      write([put("knowledge_upload", null, upload), put("knowledge_base", base, after)], {
        audit: [{ resource: { type: "document", id: "doc_one" }, details: { files: 2, chunks_indexed: 3 } }],
        reply: "recorded",
      }),
    )
  })

  it("to none that is gone, is going, or has its name only", () => {
    for (const row of [null, going, other]) {
      assert.deepStrictEqual(addUpload.decide(asked, row, at), unchanged("gone"))
    }
  })
})

describe("a knowledge base is given up", () => {
  const asked = { caller, collection: "one" }
  const user = sampleAgent(organization_id, { knowledge_base: "one" })
  const removing = removesChunks({ caller, collection: "one", retrieval_id: "kb_one", document_id: null })

  it("before anything of it goes, on the ground that no agent uses it", () => {
    const { expected, view } = Result.getOrThrow(readOn(stored, giveUpKnowledgeBase.reads(asked)))
    assert.deepStrictEqual(expected, [{ guard: knowledgeUsersOf(organization_id), version: 0 }, rests])
    const change = put("knowledge_base", base, { ...going, updated_at: 5_000 })
    assert.deepStrictEqual(giveUpKnowledgeBase.decide(asked, view, at), asks(removing, [change]))
  })

  it("once: whoever asks again goes on with its removal", () => {
    const view = { base: going, isUsed: false }
    assert.deepStrictEqual(giveUpKnowledgeBase.decide(asked, view, at), asks(removing))
  })

  it("once, whoever is given it meanwhile: it counts as not there", () => {
    const used = sourcesOn({ put: "knowledge_base", row: going }, { put: "agent", row: user })
    const { expected, view } = Result.getOrThrow(readOn(used, giveUpKnowledgeBase.reads(asked)))
    assert.deepStrictEqual(expected, [rests])
    assert.deepStrictEqual(giveUpKnowledgeBase.decide(asked, view, at), asks(removing))
  })

  it("only where it is there and no agent uses it", () => {
    assert.deepStrictEqual(readOn(sourcesOn(), giveUpKnowledgeBase.reads(asked)), Result.fail(noSuchBase))
    const inUse = new StateConflict({ message: "This knowledge base is used by an agent and cannot be deleted." })
    const used = sourcesOn({ put: "knowledge_base", row: base }, { put: "agent", row: user })
    const { view } = Result.getOrThrow(readOn(used, giveUpKnowledgeBase.reads(asked)))
    assert.deepStrictEqual(giveUpKnowledgeBase.decide(asked, view, at), refused(inUse))
  })
})

describe("a knowledge base that was given up is removed", () => {
  const asked = { caller, collection: "one", retrieval_id: "kb_one", vectors_removed: 9 }

  it("with its uploads", () => {
    const { expected, view } = Result.getOrThrow(readOn(stored, removeKnowledgeBase.reads(asked)))
    assert.deepStrictEqual(expected, [rests])
    const details = { uploads_removed: 2, vectors_removed: 9 }
    assert.deepStrictEqual(
      removeKnowledgeBase.decide(asked, view, at),
      write([remove("knowledge_base", base)], {
        audit: [{ resource: { type: "knowledge_base", id: "kb_one" }, details }],
        reply: { collection: "one", record_id: "kb_one", ...details },
      }),
    )
  })

  it("once, and not another one that has its name", () => {
    for (const row of [null, other]) {
      assert.deepStrictEqual(removeKnowledgeBase.decide(asked, row, at), refused(noSuchBase))
    }
  })
})

describe("an upload is removed", () => {
  const asked = { caller, collection: "one", retrieval_id: "kb_one", document_id: "doc_one", vectors_removed: 3 }

  it("once its chunks have gone from the index", () => {
    const { expected, view } = Result.getOrThrow(readOn(stored, emptyUpload.reads(asked)))
    assert.deepStrictEqual(expected, [])
    const removing = removesChunks({ caller, collection: "one", retrieval_id: "kb_one", document_id: "doc_one" })
    assert.deepStrictEqual(emptyUpload.decide(asked, view, at), asks(removing))
  })

  it("and its base counts it no more", () => {
    const { expected, view } = Result.getOrThrow(readOn(stored, removeUpload.reads(asked)))
    assert.deepStrictEqual(expected, [rests, { kind: "knowledge_upload", id: "doc_one", revision: upload.revision }])
    const after = { ...base, documents: 1, chunks_indexed: 6, characters: 600, updated_at: 5_000 }
    assert.deepStrictEqual(
      removeUpload.decide(asked, view, at),
      write([remove("knowledge_upload", upload), put("knowledge_base", base, after)], {
        audit: [{ resource: { type: "document", id: "doc_one" }, details: { vectors_removed: 3 } }],
        reply: { collection: "one", record_id: "doc_one", uploads_removed: null, vectors_removed: 3 },
      }),
    )
  })

  it("once, and neither from another base nor in another organization", () => {
    for (const row of [null, { ...upload, retrieval_id: "kb_other" }, { ...upload, organization_id: "org_two" }]) {
      const there = row === null ? [] : [{ put: "knowledge_upload", row } as const]
      const sources = sourcesOn({ put: "knowledge_base", row: base }, ...there)
      assert.deepStrictEqual(readOn(sources, removeUpload.reads(asked)), Result.fail(noSuchDocument))
    }
  })

  it("with its base, where that was removed meanwhile", () => {
    assert.deepStrictEqual(removeUpload.decide(asked, [null, upload], at), refused(noSuchDocument))
  })
})
