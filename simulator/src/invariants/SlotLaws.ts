import type { Call } from "@carillon/core"
import type { Commit, SlotMember, SlotRequest, SlotStore } from "@carillon/core/ports"
import { limits } from "@carillon/core"
import { Effect } from "effect"
import type { Invariants } from "./Invariants.ts"

/**
 * All memberships are counted against the levels after this many uses of the store, or as many as there were members, so that
 * a use costs the same however many lines there are.
 */
const countAfter = 256

/** Of so many lines that are held one is asked for by a fence that was never its own: the engine itself hardly ever does so. */
const staleEvery = 16

/** Expectations that are over before the list is shortened by them. */
const shortenAfter = 1024

/** A line that outlives the final report is found by two ticks of the reconciler. */
const releaseWithinMs = 2 * limits.reconcileMs

const memberPage = 10_000

interface Counted {
  readonly level: SlotMember["levels"][number]
  count: number
}

/** How many members each level has; the platform is counted also where it has none. */
const countedBy = (members: Iterable<SlotMember>): ReadonlyArray<Counted> => {
  const counted = new Map<string, Counted>([
    ["platform platform", { level: { level: "platform", key: "platform" }, count: 0 }],
  ])
  for (const { levels } of members) {
    for (const level of levels) {
      const key = `${level.level} ${level.key}`
      const entry = counted.get(key)
      if (entry === undefined) counted.set(key, { level, count: 1 })
      else entry.count += 1
    }
  }
  return [...counted.values()]
}

export interface SlotLaws {
  /** The store, watched. */
  readonly watched: SlotStore["Service"]
  readonly observe: (commit: Commit) => void
  /** Looks at everything that is due to be looked at; after every event. */
  readonly look: () => void
  /** A call is being dialled: by now it holds exactly one line, by the rows and by the slot store. */
  readonly atDial: (executionId: string, call: Call | undefined) => void
  /** Held lines by organization. */
  readonly held: () => ReadonlyMap<string, number>
  /** Counts all memberships against all levels now. */
  readonly count: Effect.Effect<void>
}

interface Held {
  readonly fence: number
  readonly organization_id: string
}

/** The laws of lines: what the slot store says of its memberships is held against what was done to it. */
export const slotLaws = (
  invariants: Invariants,
  store: SlotStore["Service"],
  options: {
    readonly now: () => number
    /** When the reconciler last could not do its work. */
    readonly lastOutage: () => number
  },
): SlotLaws => {
  const s1 = invariants.open({
    name: "S1b",
    description: "No dial is given a line over one of its ceilings.",
  })
  const s2 = invariants.open({ name: "S2", description: "A line is held at all of its levels or at none." })
  const s3 = invariants.open({
    name: "S3",
    description: "A dialled call holds one line; two ticks of the reconciler after its final report it holds none.",
  })
  const s4 = invariants.open({
    name: "S4",
    description: "Asking twice for a line gives the same one, and a stale fence frees nothing.",
  })

  const members = new Map<string, { readonly fence: number; readonly request: Pick<SlotMember, "organization_id"> }>()
  const held = new Map<string, Held>()
  const heldByOrganization = new Map<string, number>()
  const expected: Array<{ readonly member: string; readonly fence: number | null; readonly by: number }> = []
  let firstExpected = 0
  let usesLeft = countAfter
  /** The store did not answer: what it holds now may be other lines than those it gave. */
  let isUnsure = false

  const countHeld = (organizationId: string, by: number) => {
    const count = (heldByOrganization.get(organizationId) ?? 0) + by
    if (count === 0) heldByOrganization.delete(organizationId)
    else heldByOrganization.set(organizationId, count)
  }

  const enter = (executionId: string, one: Held) => {
    if (!held.has(executionId)) countHeld(one.organization_id, 1)
    held.set(executionId, one)
  }

  const drop = (executionId: string) => {
    const one = held.get(executionId)
    if (one !== undefined) countHeld(one.organization_id, -1)
    held.delete(executionId)
    members.delete(executionId)
  }

  const everyMember = Effect.gen(function* () {
    const found = new Map<string, SlotMember>()
    for (let after: string | null = null; ;) {
      const page: ReadonlyArray<SlotMember> = yield* store.members(after, memberPage)
      for (const member of page) found.set(member.execution_id, member)
      if (page.length < memberPage) return found
      after = page.at(-1)?.execution_id ?? null
    }
  })

  /** Whether the members are the same a second time: on a server of its own the store may enter rows between two questions. */
  const areStill = (found: ReadonlyMap<string, SlotMember>) =>
    Effect.map(
      everyMember,
      (again) =>
        again.size === found.size &&
        [...again.values()].every((one) => found.get(one.execution_id)?.fence === one.fence),
    )

  const count = Effect.gen(function* () {
    const found = yield* everyMember
    const counted = countedBy(found.values())
    usesLeft = Math.max(countAfter, members.size)
    const used = yield* store.used(counted.map(({ level }) => level))
    if (counted.some((entry, index) => used[index] !== entry.count) && !(yield* areStill(found))) {
      usesLeft = 0
      return
    }
    for (const [index, entry] of counted.entries()) {
      s2(
        used[index] === entry.count,
        () => `${used[index]} lines at ${entry.level.level} ${entry.level.key}, but ${entry.count} members`,
      )
    }
    if (!isUnsure) return
    for (const [executionId, { fence }] of held) if (found.get(executionId)?.fence !== fence) drop(executionId)
    for (const [executionId, member] of found) if (member.state === "held") enter(executionId, member)
    isUnsure = false
  }).pipe(Effect.ignore)

  const used = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    isUnsure || --usesLeft <= 0 ? Effect.tap(sure(use), () => count) : sure(use)

  const sure = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapError(use, () =>
      Effect.sync(() => {
        isUnsure = true
      }),
    )

  /** Dials that stood in line: a line may have been given to them under other ceilings. */
  const stood = new Set<string>()
  /** What the rows prove is entered over a ceiling if need be: counted as it begins and as it ends. */
  let restored = 0

  const withinCeilings = ({ execution_id, levels }: SlotRequest, restoredBefore: number) =>
    Effect.map(store.used(levels), (lines) => {
      if (restored !== restoredBefore) return
      for (const [index, { ceiling, key, level }] of levels.entries()) {
        const taken = lines[index] ?? 0
        s1(
          ceiling === null || taken <= ceiling,
          () => `${execution_id} was given line ${taken} of ${ceiling} at ${level} ${key}`,
        )
      }
    }).pipe(Effect.ignore)

  let holds = 0
  /** Hands in a fence that must free nothing. */
  const tryStale = (executionId: string, fence: number) => {
    if (holds++ % staleEvery !== 0) return Effect.void
    const stale = fence - 1
    return Effect.andThen(
      Effect.ignore(store.release(executionId, stale, options.now())),
      staleRelease(executionId, fence, stale),
    )
  }

  /** A stale fence must leave the membership as it is: its own fence still finds it. */
  const staleRelease = (executionId: string, own: number, fence: number) =>
    Effect.map(store.hold(executionId, own), (still) =>
      s4(still, () => `The stale fence ${fence} freed the line of ${executionId}`),
    ).pipe(Effect.ignore)

  return {
    watched: {
      ...store,
      acquire: (request) =>
        Effect.suspend(() => {
          const restoredBefore = restored
          return Effect.tap(used(store.acquire(request)), (answer) =>
            Effect.suspend(() => {
              const { execution_id } = request
              if (answer._tag === "Blocked") {
                if (request.waitUntil === null) stood.delete(execution_id)
                else stood.add(execution_id)
                return Effect.void
              }
              const one = held.get(execution_id)
              s4(
                one === undefined || one.fence === answer.fence,
                () => `${execution_id} got fence ${answer.fence} while it held ${one?.fence}`,
              )
              const isNew = !stood.delete(execution_id) && !members.has(execution_id)
              members.set(execution_id, { fence: answer.fence, request })
              return isNew ? withinCeilings(request, restoredBefore) : Effect.void
            }),
          )
        }),
      hold: (executionId, fence) =>
        Effect.tap(sure(store.hold(executionId, fence)), (ok) =>
          Effect.suspend(() => {
            if (!ok) return Effect.void
            const member = members.get(executionId)
            enter(executionId, { fence, organization_id: member?.request.organization_id ?? "" })
            return tryStale(executionId, fence)
          }),
        ),
      restore: (member) =>
        Effect.suspend(() => {
          restored += 1
          return Effect.tap(sure(store.restore(member)), () =>
            Effect.sync(() => {
              restored += 1
              members.set(member.execution_id, { fence: member.fence, request: member })
              enter(member.execution_id, member)
            }),
          )
        }),
      release: (executionId, fence, now) =>
        Effect.suspend(() => {
          const one = held.get(executionId)
          const release = used(store.release(executionId, fence, now))
          if (one !== undefined && one.fence !== fence) {
            return Effect.tap(release, () => staleRelease(executionId, one.fence, fence))
          }
          return Effect.tap(release, () => Effect.sync(() => drop(executionId)))
        }),
    },
    observe: (commit) => {
      for (const change of commit.changes) {
        if (change.put !== "call") continue
        const { final_report_at, slot } = change.row
        if (final_report_at === null || slot === null || final_report_at !== change.row.updated_at) continue
        expected.push({ member: slot.member, fence: slot.fence, by: options.now() + releaseWithinMs })
      }
    },
    look: () => {
      if (isUnsure) return
      for (; firstExpected < expected.length; firstExpected++) {
        const { member, fence, by } = expected[firstExpected]!
        if (Math.max(by, options.lastOutage() + releaseWithinMs) >= options.now()) break
        const one = held.get(member)
        s3(
          one === undefined || (fence !== null && one.fence !== fence),
          () => `${member} still holds its line ${releaseWithinMs / 1000} s after its final report`,
        )
      }
      if (firstExpected < shortenAfter) return
      expected.splice(0, firstExpected)
      firstExpected = 0
    },
    atDial: (executionId, call) => {
      const slot = call?.slot ?? null
      s3(
        slot !== null && (slot.fence === null || held.get(slot.member)?.fence === slot.fence),
        () => `${executionId} was dialled without a line`,
      )
    },
    held: () => heldByOrganization,
    count,
  }
}
