/**
 * Texts in one piece. What is put together by appending stays a chain of all its parts until somebody looks into it, and of what is only
 * stored and passed on that is never: 32 bytes for each character of a signature.
 */
export const flatText = (codes: ReadonlyArray<number>): string => String.fromCharCode(...codes)

const digits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0))

/** Bytes as lower-case hexadecimal digits. */
export const hexText = (bytes: Uint8Array): string => {
  const codes: Array<number> = []
  for (const byte of bytes) codes.push(digits[byte >>> 4] ?? 0, digits[byte & 15] ?? 0)
  return flatText(codes)
}
