import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { isCollectionName } from "../../src/knowledge/rules/CollectionName.ts"
import { fileNameOf } from "../../src/knowledge/rules/FileName.ts"
import { fileTypeOf } from "../../src/knowledge/rules/FileType.ts"
import { judgeFiles } from "../../src/knowledge/rules/UploadRules.ts"
import { limits } from "../../src/Limits.ts"
import type { SentFile } from "../../src/SentFile.ts"

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

const pdf = bytesOf("%PDF-1.7\n")
const sized = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  bytes.set(pdf.subarray(0, length))
  return bytes
}

const file = (bytes: Uint8Array, name = "a.pdf"): SentFile => ({ name, bytes })

const refusalOf = (files: ReadonlyArray<SentFile>): string => {
  const judged = judgeFiles(files)
  return Result.isFailure(judged) ? judged.failure._tag : "accepted"
}

describe("the files of an upload", () => {
  it("are judged by count, size and content, in this order, at the exact bounds", () => {
    const large = sized(limits.knowledgeFileBytes)
    const tooLarge = sized(limits.knowledgeFileBytes + 1)
    const cases: ReadonlyArray<readonly [what: string, files: ReadonlyArray<SentFile>, verdict: string]> = [
      ["none", [], "MissingField"],
      ["one", [file(pdf)], "accepted"],
      ["ten", Array.from({ length: 10 }, () => file(pdf)), "accepted"],
      ["eleven", Array.from({ length: 11 }, () => file(pdf)), "TooLarge"],
      ["eleven of a bad type", Array.from({ length: 11 }, () => file(bytesOf("text"))), "TooLarge"],
      ["one of 25 MiB", [file(large)], "accepted"],
      ["one more byte", [file(tooLarge)], "TooLarge"],
      ["50 MiB together", [file(large), file(large)], "accepted"],
      ["one more byte together", [file(large), file(large), file(bytesOf("%"))], "TooLarge"],
      ["an empty one", [file(pdf), file(new Uint8Array())], "Malformed"],
      ["a text", [file(pdf), file(bytesOf("Dear sir"))], "UnsupportedFile"],
      ["a signature that is cut", [file(bytesOf("%PDF"))], "UnsupportedFile"],
    ]
    for (const [what, files, verdict] of cases) assert.strictEqual(refusalOf(files), verdict, what)
  })

  it("have the type of their content, whatever they are called", () => {
    const known = [
      [bytesOf("%PDF-"), "pdf"],
      [bytesOf("\x89PNG\r\n\x1a\n"), "png"],
      [bytesOf("\xff\xd8\xff\xe0"), "jpeg"],
    ] as const
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.uint8Array(), fc.string(), ([signature, type], rest, name) => {
        const bytes = Uint8Array.from([...signature, ...rest])
        assert.strictEqual(fileTypeOf(bytes), type)
        const judged = judgeFiles([{ name, bytes }])
        assert.isTrue(Result.isSuccess(judged) && judged.success[0]?.type === type)
      }),
    )
    for (const polyglot of ["GIF89a%PDF-1.4", "PK\x03\x04%PDF-1.4", "<html>%PDF-", "\n%PDF-1.4", "MZ%PDF-", "%!PS"]) {
      assert.isNull(fileTypeOf(bytesOf(polyglot)), polyglot)
    }
  })

  it("lose the folders and the invisible parts of their names", () => {
    assert.strictEqual(fileNameOf("../../etc/passwd"), "passwd")
    assert.strictEqual(fileNameOf("C:\\files\\a b.pdf"), "a b.pdf")
    assert.strictEqual(fileNameOf("a\u0000\u202eb.pdf"), "ab.pdf")
    for (const nameless of ["", "..", "a/..", "/", "\u0000", "x/"]) assert.strictEqual(fileNameOf(nameless), "file")
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b".repeat(99), "/", "\\", " ", ".", "\u0000", "\u202e", "😀", "\ud83d"), {
          maxLength: 12,
        }),
        (parts) => {
          const sent = parts.join("")
          const name = fileNameOf(sent)
          assert.isFalse(/[/\\\p{C}]/u.test(name))
          assert.isAtLeast(name.length, 1)
          assert.isAtMost([...name].length, 255)
          assert.strictEqual(fileNameOf(name), name)
        },
      ),
    )
  })
})

describe("the name of a knowledge base", () => {
  it("has 1 to 100 letters, digits, hyphens and underscores", () => {
    const letters = fc.constantFrom("a", "z", "A", "Z", "0", "9", "-", "_")
    fc.assert(
      fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 100 }), fc.nat(), (name, at) => {
        assert.isTrue(isCollectionName(name))
        for (const bad of [" ", ".", "/", "é", "\n", "\u0000", "%"]) {
          const cut = at % (name.length + 1)
          assert.isFalse(isCollectionName(name.slice(0, cut) + bad + name.slice(cut)))
        }
      }),
    )
    assert.isFalse(isCollectionName(""))
    assert.isTrue(isCollectionName("a".repeat(100)))
    assert.isFalse(isCollectionName("a".repeat(101)))
  })
})
