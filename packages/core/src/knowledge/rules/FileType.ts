/** The types of files that a knowledge base takes. */
export type FileType = "pdf" | "png" | "jpeg"

const signatures: ReadonlyArray<readonly [type: FileType, bytes: ReadonlyArray<number>]> = [
  ["pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["jpeg", [0xff, 0xd8, 0xff]],
]

/**
 * The type of a file by its first bytes, whatever its name says; null for every other content. A signature further inside does not
 * count, so that nothing is taken for a PDF that another program would take for something else.
 */
export const fileTypeOf = (bytes: Uint8Array): FileType | null =>
  signatures.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte))?.[0] ?? null
