/** What a thread is given to read. */
export interface PdfTask {
  readonly bytes: Uint8Array
  readonly charactersMax: number
  readonly pagesMax: number
}

/** What it found. */
export type PdfText = { readonly _tag: "Text"; readonly text: string } | { readonly _tag: "Unreadable" }
