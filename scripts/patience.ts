import { Effect } from "effect"

/** What is seen of something that is to come about. */
export interface Sight {
  readonly isThere: boolean
  /** Changes with whatever is done on the way to it. */
  readonly progress?: string | number
}

/** How it is looked at, and what is told where it does not come. */
export interface Watched<E, R> {
  readonly look: Effect.Effect<Sight, E, R>
  /** What shows why it does not come, such as rows. */
  readonly rows: Effect.Effect<ReadonlyArray<unknown>, unknown, R>
  readonly stillMs?: number
  /** Between two looks; longer where a look is work for others. */
  readonly pollMs?: number
}

/** Longer than the claims of a dead process last, and than a dispatcher waits before it looks again. */
const stillMs = 20_000
const usualPollMs = 20
/** Of the looks that fit into that time, on a machine so busy that it lets nobody else get on either. */
const looksAtLeast = 1 / 4
/** What is told is a text for people. */
const rowsShown = 60
const rowsMaxMs = 10_000

const told = (rows: ReadonlyArray<unknown>): string =>
  [
    ...rows.slice(0, rowsShown).map((row) => (typeof row === "string" ? row : JSON.stringify(row))),
    ...(rows.length > rowsShown ? [`and ${rows.length - rowsShown} more`] : []),
  ].join("\n")

/**
 * Waits for something, for as long as anything changes on the way to it. Where nothing has changed for a while it fails with the rows that
 * show why. Not the total counts, which on a busy machine may be any, and a machine that hardly lets anybody look is given more time.
 */
export const comesAbout = Effect.fnUntraced(function* <E, R>(what: string, watched: Watched<E, R>) {
  const patienceMs = watched.stillMs ?? stillMs
  const pollMs = watched.pollMs ?? usualPollMs
  let seen = yield* watched.look
  let changedAt = performance.now()
  let looks = 0
  while (!seen.isThere) {
    yield* Effect.sleep(pollMs)
    const { progress } = seen
    seen = yield* watched.look
    looks += 1
    const now = performance.now()
    if (seen.progress !== progress) [changedAt, looks] = [now, 0]
    const isStill = now - changedAt > patienceMs && looks > (patienceMs / pollMs) * looksAtLeast
    if (seen.isThere || !isStill) continue
    const rows = yield* Effect.timeout(watched.rows, rowsMaxMs).pipe(
      Effect.catchCause((cause) => Effect.succeed([`The rows cannot be read: ${String(cause)}`])),
    )
    const since = `nothing has changed for ${Math.round((now - changedAt) / 1_000)} s (${seen.progress ?? "no sign of it"})`
    return yield* Effect.die(new Error(`${what} does not come about: ${since}\n${told(rows)}`))
  }
})

/** Does something of several steps, for as long as anything changes meanwhile. */
export const whileMoving = <A, E, R, E2, R2>(
  what: string,
  body: Effect.Effect<A, E, R>,
  watched: { readonly progress: Effect.Effect<string | number, E2, R2> } & Omit<Watched<E2, R2>, "look">,
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.raceFirst(
    body,
    Effect.andThen(
      comesAbout(what, {
        ...watched,
        look: Effect.map(watched.progress, (progress) => ({ isThere: false, progress })),
      }),
      Effect.never,
    ),
  )
