/** The part of the platform's decoder that is used here; every platform has it, though no type library of ours names it. */
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean },
) => { readonly decode: (bytes?: Uint8Array, options?: { readonly stream: boolean }) => string }

/** Text from bytes that come in pieces, a byte order mark left out. Null once the bytes are not UTF-8. */
export class Utf8Text {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })

  push(bytes: Uint8Array): string | null {
    return this.#decode(bytes, true)
  }

  /** What was held back of an unfinished character is an error by now. */
  finish(): string | null {
    return this.#decode(undefined, false)
  }

  #decode(bytes: Uint8Array | undefined, stream: boolean): string | null {
    try {
      return this.#decoder.decode(bytes, { stream })
    } catch {
      return null
    }
  }
}
