import { AccessToken } from "livekit-server-sdk"
import { bounds } from "./Bounds.ts"
import type { Job } from "./Job.ts"
import { bodyHash } from "./Tokens.ts"
import { type Finished, reportSubject, type Verdict, type WorkerReport } from "./WorkerReport.ts"

export { type Job, readJob } from "./Job.ts"
export type { Finished, Verdict } from "./WorkerReport.ts"

/** What a worker tells of its call. Each of them resolves once the engine has kept it, and rejects where it would not. */
export interface Reporter {
  readonly ringing: () => Promise<void>
  readonly answered: () => Promise<void>
  /** Who answered, as LiveKit's detection of answering machines says. */
  readonly machine: (verdict: Verdict) => Promise<void>
  /** The conversation is over. Sent once, within twenty seconds of its end, so that the transcript is in the call's last word. */
  readonly finished: (
    last: Pick<Finished, "answered_at" | "ended_at" | "hangup_by" | "machine" | "transcript" | "cost">,
  ) => Promise<void>
  readonly analysis: (
    analysis: Pick<Extract<WorkerReport, { readonly type: "analysis" }>, "summary" | "sentiment" | "extracted_data">,
  ) => Promise<void>
}

export interface ReporterOptions {
  /** The project's own, as the worker has them. */
  readonly apiKey: string
  readonly apiSecret: string
  /** How long to wait before each new attempt, in milliseconds. Default: 1, 2, 4, 8 and 16 seconds. */
  readonly retriesMs?: ReadonlyArray<number>
  /** The platform's own where it is left out. */
  readonly fetch?: typeof fetch
}

const standardRetriesMs = [1_000, 2_000, 4_000, 8_000, 16_000]
/** How long the engine has to answer. */
const answerMs = 10_000

/** The engine will not have a report, or could not keep it in all that time. */
export class ReportRefused extends Error {}

type Said<R> = R extends WorkerReport ? Omit<R, "version" | "report_id" | "execution_id" | "at"> : never

/** Signs a body for the engine: for five minutes, and for nothing but a report. */
const signed = async ({ apiKey, apiSecret }: ReporterOptions, body: string): Promise<string> => {
  const token = new AccessToken(apiKey, apiSecret, { identity: reportSubject, ttl: bounds.reportSeconds })
  token.sha256 = await bodyHash(body)
  return token.toJwt()
}

const isFinal = (status: number): boolean => status < 500 && status !== 429 && status !== 408

/** Sends a report until it is kept. It is the same report each time, so that one that was kept is not taken twice. */
const send = async (options: ReporterOptions, url: string, body: string): Promise<void> => {
  const delays = [...(options.retriesMs ?? standardRetriesMs)]
  for (;;) {
    const authorization = `Bearer ${await signed(options, body)}`
    const headers = { authorization, "content-type": "application/json" }
    const init = { method: "POST", headers, body, signal: AbortSignal.timeout(answerMs) }
    const answer = await (options.fetch ?? fetch)(url, init).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok === true) return
    const delay = delays.shift()
    if (delay === undefined || (answer !== null && isFinal(answer.status))) {
      throw new ReportRefused(`The engine did not take a report (${answer?.status ?? "no answer"}).`)
    }
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
}

/** Makes what a worker reports with, for the job that it read of its metadata. */
export const makeReporter = (job: Job, options: ReporterOptions): Reporter => {
  const report = (said: Said<WorkerReport>): Promise<void> => {
    const { execution_id } = job
    const head = { version: 1, report_id: crypto.randomUUID(), execution_id, at: Date.now() }
    return send(options, job.report_url, JSON.stringify({ ...head, ...said }))
  }
  return {
    ringing: () => report({ type: "ringing" }),
    answered: () => report({ type: "answered" }),
    machine: (verdict) => report({ type: "machine", verdict }),
    finished: (last) => report({ type: "finished", ...last }),
    analysis: (analysis) => report({ type: "analysis", ...analysis }),
  }
}
