import { putId, type RowKind, type StoragePorts } from "@carillon/core/ports"
import { Effect } from "effect"
import { interposed } from "../../packages/core/src/testing/world/Interposed.ts"
import { Draws, Known } from "../../packages/http/test/contract/Generator.ts"
import type { JournalLine, WrittenJournal } from "../src/journal/Journal.ts"
import { replay, worldOptionsOf } from "../src/journal/Replay.ts"
import type { Stage } from "../src/Stage.ts"
import type { Durable } from "../src/storage/Durable.ts"
import { ofRows } from "../src/storage/Mirror.ts"
import type { WorldOptions } from "../src/World.ts"
import { Dice } from "./Dice.ts"
import { drawnRequest, learnt, oddRequests, readEverything } from "./DrawnRequests.ts"
import { OneAtATime } from "./OneAtATime.ts"
import { drawParameters, type Parameters } from "./Parameters.ts"
import { disturbOnce, journalOf, open, overtakingNobody } from "./WorldSoak.ts"

const minuteMs = 60_000

/** Nothing breaks, nobody overtakes anybody, and there is no file to be read. */
const calm = (drawn: Parameters): Parameters => {
  const { weights, ...rest } = overtakingNobody(drawn)
  return { ...rest, weights: { ...weights, fault: 0, crash: 0, rush: 0, uploads: 0 } }
}

/** The engine asks a database for its next moment, and each such use would draw whether it fails. */
const isFault = ({ entry }: JournalLine): boolean => entry.input === "control" && entry.target === "/_sim/faults"

const openCalm = async (seed: number) => {
  const dice = new Dice(seed)
  const { scene, simulator } = await open(seed, dice, calm(drawParameters(dice)), new Set(), [])
  const inputs = async (): Promise<WrittenJournal> => {
    const journal = await journalOf(simulator)
    await simulator.close()
    return { ...journal, lines: journal.lines.filter((line) => !isFault(line)) }
  }
  return { scene, inputs, draws: new Draws(`two stores ${seed}`) }
}

/** The inputs of a random world that is asked for everything the API's document describes, and is read whole in the end. */
export const askedJournal = async (seed: number, steps: number): Promise<WrittenJournal> => {
  const { draws, inputs, scene } = await openCalm(seed)
  const places = scene.places.map((place) => ({ place, known: new Known() }))
  for (let step = 0; step < steps; step++) {
    if (draws.chance(0.4)) await disturbOnce(scene)
    const { known, place } = draws.of(places)
    await drawnRequest(draws, learnt(known, place), scene.customer, place, false)
    if (draws.chance(0.4)) await drawnRequest(draws, known, scene.customer, place, true)
  }
  for (const { place } of places) {
    await scene.advance({ by_ms: minuteMs })
    await readEverything(draws, scene.customer, place)
  }
  return inputs()
}

/** Requests that a key may make in a minute, and some less. */
const inAMinute = 800

/** The inputs of a world that is asked for everything with something odd in it. */
export const oddJournal = async (seed: number, steps: number): Promise<WrittenJournal> => {
  const { draws, inputs, scene } = await openCalm(seed)
  for (let step = 0; step < steps; step++) await disturbOnce(scene)
  const [place] = scene.places
  if (place === undefined) throw new Error("A world has an organization at least.")
  let asked = 0
  for (const { body, method, target } of oddRequests(draws, learnt(new Known(), place))) {
    if (++asked % inAMinute === 0) await scene.advance({ by_ms: minuteMs })
    const bytes = body === null ? null : Buffer.from(JSON.stringify(body))
    await scene.customer.send(place.key, method, target, bytes, { "content-type": "application/json" })
  }
  return inputs()
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** JSON in which the order of the fields says nothing. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1))) : item,
  )

/** What a world came to, each line by itself. */
export interface Life {
  /** Each answer with its headers, in their order. */
  readonly answers: ReadonlyArray<string>
  /** Each commit, in their order; what is to be looked at later is not among it. */
  readonly commits: ReadonlyArray<string>
  /** All rows that were ever written, as they stand in the end. */
  readonly rows: ReadonlyArray<string>
}

const rowsOf = (stage: Stage, written: ReadonlyMap<string, { readonly kind: RowKind; readonly id: string }>) =>
  Promise.all(
    [...written]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(async ([name, asked]) => {
        const found = await Effect.runPromise(stage.world.watched.store.rows([asked]))
        return `${name} ${textOf(found.of(asked))}`
      }),
  )

/**
 * Lives a journal through again on a database, which is empty, or in memory. On both each use of a store comes after the one before, so that what
 * comes of the journal follows from what the stores answer and from nothing else.
 */
export const lifeOf = async (journal: WrittenJournal, durable: Durable | null): Promise<Life> => {
  const turns = new OneAtATime()
  const answers: Array<string> = []
  const commits: Array<string> = []
  const written = new Map<string, { readonly kind: RowKind; readonly id: string }>()
  const decorate = (ports: StoragePorts): StoragePorts => {
    const { rates, slots } = ports
    return { ...interposed(ports, (_, use) => turns.use(use)), rates, slots }
  }
  const opened = (stage: Stage): void | Promise<void> => {
    turns.goOn = () => stage.process.goOn()
    stage.world.tables.onCommit((commit) => {
      commits.push(textOf(ofRows(commit)))
      for (const change of commit.changes) {
        if (!("row" in change)) continue
        const id = putId(change)
        written.set(`${change.put} ${id}`, { kind: change.put, id })
      }
    })
    // On a database a process begins with what an earlier one has left: its housekeeping counts from then.
    if (durable === null) return stage.process.recover()
  }
  const storage = durable === null ? undefined : { durable, contents: await durable.contents() }
  const options: WorldOptions = { ...worldOptionsOf(journal), decorate, storage }
  const stage = await replay(options, journal, {
    logLevel: "None",
    isExact: false,
    audience: {
      opened,
      answered: ({ body, headers, status }) => answers.push(`${status} ${String(body)} ${textOf(headers)}`),
    },
  })
  const rows = await rowsOf(stage, written)
  await stage.world.close()
  return { answers, commits, rows }
}

const kinds = ["answers", "rows", "commits"] as const

/** Letters that are shown of a line, before and after what is another. */
const shown = 200

/** Where two lives part, the first place of each kind; nothing where they are one. */
export const partings = (one: Life, other: Life): ReadonlyArray<string> =>
  kinds.flatMap((kind) => {
    const [lines, others] = [one[kind], other[kind]]
    const nth = lines.findIndex((line, place) => line !== others[place])
    if (nth < 0 && lines.length === others.length) return []
    const [line = "", beside = ""] = nth < 0 ? [] : [lines[nth], others[nth]]
    const at = [...line].findIndex((letter, place) => letter !== beside[place])
    const part = (text: string) => text.slice(Math.max(0, at - shown), at + shown)
    return [`${kind} ${nth} of ${lines.length} and ${others.length}: ${part(line)} | ${part(beside)}`]
  })
