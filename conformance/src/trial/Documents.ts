import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import { form } from "./Forms.ts"
import type { Trial } from "./Trial.ts"

/** Text whose characters are bytes. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

/** A whole PDF that says one line, in plain letters. */
export const pdf = (line: string): Uint8Array<ArrayBuffer> => {
  const content = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]
  let text = "%PDF-1.4\n"
  const offsets: Array<string> = []
  objects.forEach((object, nth) => {
    offsets.push(String(text.length).padStart(10, "0"))
    text += `${nth + 1} 0 obj\n${object}\nendobj\n`
  })
  const table = text.length
  text += `xref\n0 6\n0000000000 65535 f \n${offsets.map((offset) => `${offset} 00000 n \n`).join("")}`
  return bytesOf(`${text}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`)
}

/** A whole image of one pixel. */
export const png = (): Uint8Array<ArrayBuffer> =>
  bytesOf(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="))

/** A file of an upload. */
export interface UploadFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The form of an upload. */
export const uploadForm = (fields: Readonly<Record<string, string>>, files: ReadonlyArray<UploadFile>) =>
  form([
    ...Object.entries(fields).map(([name, value]) => ({ name, value })),
    ...files.map(({ bytes, name }) => ({ name: "files", filename: name, value: bytes })),
  ])

/** A name that no other knowledge base has. */
export const collectionName = (trial: Trial): string => `conformance-${trial.fresh()}`

const bases = "/v2/knowledge-bases"

/** Asks for a knowledge base of these files. */
export const createBase = (client: Client, collection: string, ...files: ReadonlyArray<UploadFile>): Promise<Answer> =>
  client.send("POST", bases, uploadForm({ collection }, files))

/** Adds these files to a knowledge base. */
export const addFiles = (client: Client, collection: string, ...files: ReadonlyArray<UploadFile>): Promise<Answer> =>
  client.send("POST", `${bases}/${collection}/documents`, uploadForm({}, files))

/** Makes a knowledge base; it is deleted again where the organization is not the case's own. */
export const makeBase = async (
  trial: Trial,
  client: Client,
  ...files: ReadonlyArray<UploadFile>
): Promise<{ readonly collection: string; readonly made: Answer }> => {
  const collection = collectionName(trial)
  const made = trial.made(await createBase(client, collection, ...files), 201)
  if (!trial.hasFixtures) {
    trial.defer(async () => {
      await client.delete(`${bases}/${collection}`)
    })
  }
  return { collection, made }
}
