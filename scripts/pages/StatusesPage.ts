import {
  agentStatuses,
  agentTransitions,
  BatchStatus,
  callStatuses,
  callTransitions,
  CampaignStatus,
  canMove,
  failureStatuses,
  inFlightStatuses,
  isRetryTrigger,
  isTerminal,
  terminalStatuses,
} from "@carillon/core/domain"

type Moves = ReadonlyMap<string, ReadonlySet<string>>

/** A state picture. Names of states may not have dashes, so they are shown by their words. */
const picture = (first: ReadonlyArray<string>, moves: Moves, finals: ReadonlyArray<string>): string => {
  const idOf = (status: string) => status.replaceAll("-", "_")
  const states = new Set([...moves.keys(), ...[...moves.values()].flatMap((to) => [...to])])
  const lines = [
    ...[...states].filter((one) => idOf(one) !== one).map((one) => `state "${one}" as ${idOf(one)}`),
    ...first.map((one) => `[*] --> ${idOf(one)}`),
    ...[...moves].flatMap(([from, to]) => [...to].map((one) => `${idOf(from)} --> ${idOf(one)}`)),
    ...finals.map((one) => `${idOf(one)} --> [*]`),
  ]
  return `\`\`\`mermaid\nstateDiagram-v2\n${lines.map((line) => `  ${line}`).join("\n")}\n\`\`\`\n`
}

const movesOf = <Status extends string>(
  statuses: ReadonlyArray<Status>,
  next: (status: Status) => ReadonlyArray<Status>,
): Moves => new Map(statuses.map((from) => [from, new Set<string>(next(from).filter((to) => to !== from))]))

const listed = (statuses: ReadonlyArray<string>): string => statuses.map((status) => `\`${status}\``).join(", ")

/** Ends that are reached from the same statuses are drawn as one, so that the picture can be read. */
const ends = "ended"

const callMoves = movesOf<string>(inFlightStatuses, (from) => {
  const status = inFlightStatuses.find((one) => one === from)
  const to = status === undefined ? [] : callTransitions[status]
  const further = to.filter((one) => !isTerminal(one))
  return [...further, ...(to.length > further.length ? [ends] : [])]
})

const endRows = terminalStatuses.map((status) => {
  const from = callStatuses.filter((one) => canMove(one, status))
  const retried = isRetryTrigger(status) ? "yes" : "no"
  return `| \`${status}\` | ${listed(from)} | ${retried} |`
})

const campaignCommands: ReadonlyArray<CampaignStatus.CampaignCommand> = [
  { kind: "pause" },
  { kind: "resume" },
  { kind: "cancel" },
  { kind: "revive" },
  { kind: "delete", unfinishedBatches: 0 },
  { kind: "edit", changesAgent: false, endTimeMs: null, nowMs: 0 },
]

const campaignOccurrences: ReadonlyArray<CampaignStatus.CampaignOccurrence> = [
  { kind: "batch_dials" },
  { kind: "end_time_passes", contacts: 1 },
  { kind: "work_changes", contacts: 1, unfinishedBatches: 0, pendingAttempts: 0 },
]

const campaignMoves = movesOf(CampaignStatus.campaignStatuses, (from) => [
  ...campaignCommands.flatMap((command) => {
    const decision = CampaignStatus.decideCampaign(from, command)
    return decision.ok ? [decision.to] : []
  }),
  ...campaignOccurrences.map((occurrence) => CampaignStatus.campaignAfter(from, occurrence)),
])

const progresses: ReadonlyArray<BatchStatus.BatchProgress> = [
  { waits: "created", exhausted: false, settled: false },
  { waits: "scheduled", exhausted: false, settled: false },
  { waits: null, exhausted: false, settled: false },
  { waits: null, exhausted: true, settled: false },
  { waits: null, exhausted: true, settled: true },
]

/** Whether a batch of a status may have come so far: one that waits for its first dial stays as it is, and what has begun waits no more. */
const mayBe = (status: BatchStatus.BatchStatus, { waits }: BatchStatus.BatchProgress): boolean =>
  waits === null || waits === status || status === "paused" || BatchStatus.isFinishedBatch(status)

const batchMoves = movesOf(BatchStatus.batchStatuses, (status) => {
  const cancelled_by = status === "cancelled" ? "campaign" : null
  const state: BatchStatus.BatchState = { status, paused_by: status === "paused" ? "campaign" : null, cancelled_by }
  const asked = [
    BatchStatus.decideBatch(state, { kind: "schedule" }),
    BatchStatus.decideBatch(state, { kind: "pause" }),
    BatchStatus.decideBatch(state, { kind: "stop" }),
  ].flatMap((decision) => (decision.ok ? [decision.to.status] : []))
  const reached = progresses.filter((progress) => mayBe(status, progress))
  const further = reached.flatMap((progress) => [
    BatchStatus.batchAfter(state, { kind: "progress", progress }).status,
    BatchStatus.cascadeToBatch(state, { kind: "resume", progress }).status,
    BatchStatus.cascadeToBatch(state, { kind: "reopen", progress }).status,
  ])
  const failed = BatchStatus.batchAfter(state, { kind: "failure" }).status
  const along = [
    BatchStatus.cascadeToBatch(state, { kind: "cancel" }).status,
    BatchStatus.cascadeToBatch(state, { kind: "expire" }).status,
  ]
  return [...asked, ...further, failed, ...along]
})

const agentMoves = movesOf(agentStatuses, (from) => agentTransitions[from])

/** The page of all statuses, as pictures that are drawn from the rules. */
export const statusesPage = (): string => `# Statuses

The pictures are drawn from the rules that the engine decides by.

## Calls

${listed(inFlightStatuses)} are in flight. A call that was not booked begins \`queued\`. “ended” stands for the ends below.

${picture(["queued", "scheduled"], callMoves, [ends])}
| End | From | Retried by a campaign |
|---|---|---|
${endRows.join("\n")}

A retry follows ${listed(failureStatuses)}, and no other end. A voicemail box ends \`no-answer\`.

## Campaigns

${picture(["created"], campaignMoves, ["archived"])}
## Batches

A batch that stops with its campaign comes back with it; one that was stopped for itself does not.

${picture(["created"], batchMoves, [...BatchStatus.finishedBatchStatuses])}
## Agents

Only an agent that is \`ACTIVE\` places calls.

${picture(["DRAFT"], agentMoves, ["ARCHIVED"])}`
