/** The part of the platform's encoder that is used here; every platform has it, though no type library of ours names it. */
declare const TextEncoder: new () => {
  readonly encodeInto: (text: string, into: Uint8Array) => { readonly read: number; readonly written: number }
}

const encoder = new TextEncoder()

/** Longer texts than this (in UTF-16 code units) get bytes of their own, so that one of them does not hold memory for good. */
const sharedText = 16_384
/** A code unit takes three bytes at most. */
const bytesPerUnit = 3

const shared = new Uint8Array(sharedText * bytesPerUnit)

/**
 * The UTF-8 bytes of a text, a lone surrogate as U+FFFD. They are good until the next call, so whoever asks uses them up at once: for
 * hashing, where bytes of their own for each text would cost more than a part of the hash.
 */
export const transientUtf8 = (text: string): Uint8Array => {
  const into = text.length <= sharedText ? shared : new Uint8Array(text.length * bytesPerUnit)
  return into.subarray(0, encoder.encodeInto(text, into).written)
}

/** How many bytes of UTF-8 a text takes, a lone surrogate as U+FFFD. A long one is looked at in parts, so that it needs no bytes of its own. */
export const utf8Length = (text: string): number => {
  let bytes = 0
  for (let from = 0; from < text.length;) {
    const { read, written } = encoder.encodeInto(from === 0 ? text : text.slice(from), shared)
    bytes += written
    from += read
  }
  return bytes
}
