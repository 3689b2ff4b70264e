import { makeReporter, readJob, type Reporter } from "@carillon/livekit/worker"
import { AMD, cli, defineAgent, inference, type JobContext, llm, ServerOptions, voice } from "@livekit/agents"
import { type RemoteParticipant, RoomEvent } from "@livekit/rtc-node"
import { costOf, hangupOf, instructionsOf, phaseOf, type Said, transcriptOf } from "./telling.ts"

const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`Set ${name}.`)
  return value
}

const models = { stt: "deepgram/nova-3", llm: "openai/gpt-4o-mini", tts: "cartesia/sonic-3" } as const

/** A report that the engine would not have is told here; the conversation goes on. */
const tell = (report: Promise<void>): Promise<void> => report.catch((error: unknown) => console.error(error))

/** Waits until the callee answers, and tells of the ring; null: they left before. */
const answerOf = ({ room }: JobContext, callee: RemoteParticipant, reporter: Reporter): Promise<number | null> =>
  new Promise((resolve) => {
    let told: string | null = null
    const look = () => {
      const phase = phaseOf(callee.attributes["sip.callStatus"])
      if (phase === null || phase === told) return
      told = phase
      void tell(phase === "ringing" ? reporter.ringing() : reporter.answered())
      if (phase === "answered") resolve(Date.now())
    }
    room.on(RoomEvent.ParticipantAttributesChanged, look)
    room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
      if (identity === callee.identity) resolve(null)
    })
    look()
  })

const saidIn = (session: voice.AgentSession): ReadonlyArray<Said> =>
  session.history.items.flatMap((item) =>
    item.type === "message" ? [{ role: item.role, text: item.textContent ?? "", at: item.createdAt }] : [],
  )

/** One sentence on what was said. */
const summaryOf = async (said: ReadonlyArray<Said>): Promise<string> => {
  const chatCtx = llm.ChatContext.empty()
  chatCtx.addMessage({ role: "system", content: "Say in one sentence what came of this phone call." })
  chatCtx.addMessage({ role: "user", content: said.map(({ role, text }) => `${role}: ${text}`).join("\n") })
  let text = ""
  for await (const { delta } of new inference.LLM({ model: models.llm }).chat({ chatCtx })) text += delta?.content ?? ""
  return text
}

// oxlint-disable-next-line import/no-default-export -- the framework loads this file in a process for each job, and takes its default export
export default defineAgent({
  entry: async (context) => {
    const job = readJob(context.job.metadata)
    if (job === null) return context.shutdown("The job is none of Carillon's.")
    const reporter = makeReporter(job, {
      apiKey: setting("LIVEKIT_API_KEY"),
      apiSecret: setting("LIVEKIT_API_SECRET"),
    })
    await context.connect()
    const callee = await context.waitForParticipant(job.callee)
    const answered_at = await answerOf(context, callee, reporter)
    // What a call was that nobody answered, LiveKit tells the engine itself.
    if (answered_at === null) return context.shutdown("Nobody answered.")

    const session = new voice.AgentSession(models)
    const closed = new Promise<void>((resolve) => session.once(voice.AgentSessionEventTypes.Close, () => resolve()))
    const detection: { machine: boolean | null } = { machine: null }
    const agent = new voice.Agent({ instructions: instructionsOf(job) })
    await session.start({ agent, room: context.room, inputOptions: { participantIdentity: job.callee } })
    const amd = new AMD(session, { participantIdentity: job.callee })
    amd.once("amd_prediction", ({ category, isMachine }) => {
      detection.machine = category === "uncertain" ? null : isMachine && category !== "machine-ivr"
      void tell(reporter.machine(category))
    })
    void amd.execute().catch((error: unknown) => console.error(error))
    session.generateReply()
    await closed

    const ended_at = Date.now()
    const said = saidIn(session)
    await tell(
      reporter.finished({
        answered_at,
        ended_at,
        hangup_by: hangupOf(callee.disconnectReason),
        machine: detection.machine,
        transcript: transcriptOf(said, answered_at),
        cost: costOf(ended_at - answered_at),
      }),
    )
    const summary = await summaryOf(said)
    await tell(reporter.analysis({ summary, sentiment: null, extracted_data: null }))
    context.shutdown("The call is over.")
  },
})

cli.runApp(new ServerOptions({ agent: import.meta.filename, agentName: "carillon" }))
