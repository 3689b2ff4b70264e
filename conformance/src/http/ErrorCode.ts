/** The public error codes and the HTTP statuses that belong to them (Errors). */

const statuses: ReadonlyMap<number, readonly [number, ...ReadonlyArray<number>]> = new Map([
  // 411, 413 and 415 come with uploads and oversized bodies.
  [1000, [400, 411, 413, 415]],
  [1001, [422]],
  [1002, [400]],
  [1100, [401]],
  [1101, [401]],
  [1102, [403]],
  [1200, [404]],
  [1201, [409]],
  [1300, [429]],
  [1400, [402]],
  [1500, [500]],
  [1501, [503]],
  [1502, [504]],
])

/** Every code there is. */
export const errorCodes: ReadonlyArray<number> = [...statuses.keys()]

/** The statuses of a code, the usual one first; empty for a code that does not exist. */
export const statusesOf = (code: number): ReadonlyArray<number> => statuses.get(code) ?? []
