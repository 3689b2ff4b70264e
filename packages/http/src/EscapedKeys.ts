const stringToken = /"(?:[^"\\]|\\.)*"(\s*:)?/g

/**
 * `JSON.parse` for text with escapes in its keys, which V8 misreads from version 13 on: once any object had the key `\`, the key `"\""`
 * comes back as `\` too (nodejs/node#63785), so one caller's body could rename the keys in another's. Here the parser sees a plain
 * name for every key, and each object gets its real keys afterwards. Duplicates, order and refusals are those of `JSON.parse`.
 * Keys that `isDropped` names are left out.
 */
export const parseEscapedKeys = (text: string, isDropped: (key: string) => boolean): unknown => {
  const keys: Array<string> = []
  const plain = text.replace(stringToken, (token: string, colon: string | undefined) => {
    if (colon === undefined) return token
    // A text alone has no keys: it is read rightly, or refused.
    const key: unknown = JSON.parse(token.slice(0, -colon.length))
    return `"k${keys.push(String(key)) - 1}"${colon}`
  })
  return JSON.parse(plain, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, held]) => {
            const key = keys[Number(name.slice(1))]
            return key === undefined || isDropped(key) ? [] : [[key, held]]
          }),
        )
      : value,
  )
}
