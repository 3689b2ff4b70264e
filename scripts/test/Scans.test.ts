import { globSync, readFileSync } from "node:fs"
import { inDevanagari } from "../../packages/core/src/transliteration/rules/Devanagari.ts"
import { placeholderReader } from "../../packages/core/src/agents/ports/Placeholders.ts"
import { readCsvNumber } from "../../packages/core/src/phone/E164.ts"
import { CsvContacts } from "../../packages/core/src/intake/rules/Csv.ts"
import { parseBearer } from "../../packages/core/src/keys/rules/BearerHeader.ts"
import { chunksOf } from "../../packages/core/src/knowledge/Chunks.ts"
import { fileNameOf } from "../../packages/core/src/knowledge/rules/FileName.ts"
import { WordIndex } from "../../packages/core/src/memory/WordIndex.ts"
import { oversized } from "../../packages/core/src/Measure.ts"
import { parseDestination } from "../../packages/core/src/webhooks/rules/Destination.ts"
import { writtenJson } from "../../packages/http/src/AnswerPieces.ts"
import { splitTarget } from "../../packages/http/src/Edge.ts"
import { parseEscapedKeys } from "../../packages/http/src/EscapedKeys.ts"
import { readParts } from "../../packages/http/src/FormParts.ts"
import { readJsonObject } from "../../packages/http/src/JsonBody.ts"
import { parseQuery } from "../../packages/http/src/Query.ts"
import { echoedRequestId } from "../../packages/http/src/RequestId.ts"
import { pixelsOf } from "../../packages/knowledge-node/src/ImageSize.ts"
import { signedText } from "../../packages/twilio/src/Signature.ts"
import { twimlOf } from "../../packages/twilio/src/Voice.ts"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { expectLinear } from "../Linear.ts"

/**
 * Modules that look at a text, or at bytes, one after the other: what customers and strangers send runs through them on the one event loop. Each is
 * listed here, with the worst that it may meet, which takes time that grows with its length; or with why no such text comes to it. A module that is
 * new is refused until it is. Regular expressions are judged by `npm run check:expressions`.
 */
interface Scan {
  /** Where it stands. */
  readonly module: string
  /** What it does to a text. */
  readonly run: (text: string) => unknown
  /** Units of which the worst texts are made. */
  readonly units: ReadonlyArray<string>
  /** What stands around them. */
  readonly around?: (text: string) => string
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const attempted = (run: () => unknown): void => {
  try {
    run()
  } catch {
    // What is wrong is refused, and that takes its time as well.
  }
}

const run = (effect: Effect.Effect<unknown, unknown>): unknown => Effect.runSync(Effect.exit(effect))

const inObject = (text: string): string => `{"\\u0061":1,"a":"${text}"}`

const scans: ReadonlyArray<Scan> = [
  {
    module: "packages/http/src/EscapedKeys.ts",
    run: parseEscapedKeys,
    units: ['\\"', "x", '":"', '","\\u0061":"'],
    around: inObject,
  },
  {
    module: "packages/http/src/JsonBody.ts",
    run: (text) => run(readJsonObject(bytes(text))),
    units: ['\\"', "x", '","b":"', '","\\u0061":"'],
    around: inObject,
  },
  {
    module: "packages/http/src/JsonPieces.ts",
    run: (text) => run(readJsonObject(bytes(text))),
    units: ["[", "{", "]", ",", '"', '\\"'],
  },
  {
    module: "packages/http/src/JsonParts.ts",
    run: (text) => writtenJson({ a: text, b: [text] }),
    units: ["x", '"', "\u0001", "\u{1f600}", "\ud83d"],
  },
  {
    module: "packages/http/src/FormParts.ts",
    run: (text) => run(readParts(`multipart/form-data; boundary=${"b".repeat(70)}`, bytes(text), new Set(["file"]))),
    units: ["\r\n--", `\r\n--${"b".repeat(69)}a`, `\r\n--${"b".repeat(70)}\r\n`, "-"],
    around: (text) => `--${"b".repeat(70)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${text}`,
  },
  { module: "packages/http/src/Edge.ts", run: splitTarget, units: ["?", "/", "a:", "//"] },
  { module: "packages/http/src/Query.ts", run: parseQuery, units: ["a=&", "a=1&", "%", "+", "%f0%9f"] },
  { module: "packages/http/src/RequestId.ts", run: echoedRequestId, units: ["a", " ", "-"] },
  {
    module: "packages/core/src/keys/rules/BearerHeader.ts",
    run: parseBearer,
    units: [" ", "x "],
    around: (text) => `Bearer ${text}`,
  },
  {
    module: "packages/core/src/intake/rules/CsvRecords.ts",
    run: (text) => new CsvContacts("a.csv").push(bytes(text)),
    units: ['"', '""', ",", "\r", "\n", "\r\n", "x,"],
    around: (text) => `to_number,a\n+15555550100,${text}`,
  },
  { module: "packages/core/src/phone/E164.ts", run: readCsvNumber, units: ["1", " ", "(", "+", "-"] },
  {
    module: "packages/core/src/agents/ports/Placeholders.ts",
    run: (text) => run(placeholderReader()({ greeting_message: text, prompts: {} })),
    units: ["{", "{a", "{a}", "}", "{{a "],
  },
  {
    module: "packages/core/src/Measure.ts",
    run: (text) => oversized("agent", { a: text }, ["a"], 1024),
    units: ["\ud83d", "x", '"', "\u{1f600}"],
  },
  {
    module: "packages/core/src/transliteration/rules/Devanagari.ts",
    run: inDevanagari,
    units: ["a", "ksh", "a ", "rohit "],
  },
  {
    module: "packages/core/src/knowledge/Chunks.ts",
    run: (text) => run(chunksOf(text, { chunk_size: 512, overlapping: 128 }, { chunks: 1e6, characters: 1e9 })),
    units: ["x", " ", "\n", "x ", "\u0915\u094d", "漢", "\u0001"],
  },
  {
    module: "packages/core/src/memory/WordIndex.ts",
    run: (text) => new WordIndex([text]),
    units: ["x", "x ", "漢", "漢 ", "-", "\u0130 "],
  },
  { module: "packages/core/src/knowledge/rules/FileName.ts", run: fileNameOf, units: ["/", "\\", "\u200b", " "] },
  {
    module: "packages/core/src/webhooks/rules/Destination.ts",
    run: (text) => parseDestination(text, []),
    units: ["a.", "@", ":"],
    around: (text) => `https://${text}`,
  },
  {
    module: "packages/knowledge-node/src/ImageSize.ts",
    run: (text) => pixelsOf({ type: "jpeg", bytes: Uint8Array.from(text, (unit) => unit.charCodeAt(0)) }),
    units: ["\xff", "\xff\xc4\x00\x02"],
    around: (text) => `\xff\xd8${text}`,
  },
  {
    module: "packages/twilio/src/Signature.ts",
    run: (text) => signedText("https://a.test/", new URLSearchParams(text)),
    units: ["a&", "a=1&", "%", "b=&"],
  },
  {
    module: "packages/twilio/src/Voice.ts",
    run: (text) => twimlOf({ type: "say", text }, "exec_1", "https://a.test/"),
    units: ["<", "&", "x", "\u0001"],
  },
]

/** Modules that look at letters or places of what nobody sends, or of what is short. */
const elsewhere: Readonly<Record<string, string>> = {
  "packages/api/src/AsyncApi.ts": "our own document",
  "packages/api/src/mapping/CalleeHours.ts": "the seven days of a week",
  "packages/core/src/callees/rules/Callee.ts": "an id of ours",
  "packages/core/src/callees/rules/Marks.ts": "a mark of ours",
  "packages/core/src/carrier/Bytes.ts": "each byte once",
  "packages/core/src/webhooks/rules/FailingMemory.ts": "a key of ours",
  "packages/core/src/engine/rules/FlatText.ts": "digits of ours",
  "packages/core/src/engine/rules/Hash.ts": "each letter once, whatever it is",
  "packages/core/src/engine/ports/Ids.ts": "an alphabet of ours",
  "packages/core/src/keys/rules/ScopePolicy.ts": "scopes of ours",
  "packages/core/src/knowledge/rules/FileType.ts": "the first bytes of a file",
  "packages/core/src/memory/OrderedIndex.ts": "places in a tree",
  "packages/core/src/numbers/steps/CallerIds.ts": "one of the numbers of a body, once",
  "packages/core/src/webhooks/rules/WebhookEvent.ts": "an alphabet of ours",
  "packages/http/src/web.ts": "one look for a fragment",
  "packages/postgres/src/Documents.ts": "each letter once, by an expression that is judged",
  "packages/postgres/src/commit/Stripes.ts": "an id of ours",
  "packages/redis/src/SlotScripts.ts": "answers of a script of ours",
  "packages/telnyx/src/State.ts": "bytes of a state that was signed by us",
  "packages/twilio/src/Addresses.ts": "an id of ours",
}

const sources = "packages/{api,core,http,knowledge-node,livekit,postgres,redis,telnyx,twilio}/src/**/*.ts"
const isScanning = (text: string): boolean =>
  /charCodeAt\(|codePointAt\(|ndexOf\(|matchAll\(|\[at\]|\[position\]/.test(text)

describe("what looks at texts one letter after the other", () => {
  it("is listed, each module of it", () => {
    const found = globSync(sources)
      .filter((path) => !path.startsWith("packages/core/src/testing/"))
      .filter((path) => isScanning(readFileSync(path, "utf8")))
    const listed = new Set([...scans.map(({ module }) => module), ...Object.keys(elsewhere)])
    expect(found.filter((path) => !listed.has(path))).toEqual([])
    const named = [...listed].filter((path) => !globSync(sources).includes(path))
    expect(named).toEqual([])
  })

  it.each(scans)("takes time that grows with the text: $module", ({ around = (text) => text, run: look, units }) => {
    for (const unit of units) {
      expectLinear(4096, (size) => {
        const text = around(unit.repeat(Math.ceil(size / unit.length)))
        return () => attempted(() => look(text))
      })
    }
  })
})
