import type { FileType } from "./FileType.ts"

/** A file as it was uploaded, of a type that was judged by its content. */
export interface SourceFile {
  readonly name: string
  readonly type: FileType
  readonly bytes: Uint8Array
}
