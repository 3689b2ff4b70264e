import { makeWorkerUtils, run, Logger, type Runner, type RunnerOptions } from "graphile-worker"
import { Handled, numberOf, type StartQueue } from "./Queue.ts"

const silent = new Logger(() => () => undefined)

/** How often it is asked whether everything was completed: completions are in the database only some time after their handlers ran. */
const lookMs = 5

/** A graphile-worker with these options; a job is done once its row is deleted. */
export const startGraphile =
  (options: Pick<RunnerOptions, "preset">): StartQueue =>
  async (connectionString) => {
    const utils = await makeWorkerUtils({ connectionString, logger: silent })
    await utils.migrate()
    let handled = new Handled(0)
    let runner: Runner | undefined
    return {
      fill: async (jobs) => {
        handled = new Handled(jobs)
        const numbers = Array.from({ length: jobs }, (_, nth) => ({ identifier: "dial", payload: numberOf(nth) }))
        await utils.addJobs(numbers.map(({ identifier, payload }) => ({ identifier, payload: { to_number: payload } })))
      },
      drain: async (begins) => {
        runner = await run({
          ...options,
          connectionString,
          logger: silent,
          noHandleSignals: true,
          taskList: {
            dial: (payload) => {
              handled.run(JSON.stringify(payload))
            },
          },
        })
        begins()
        await handled.all
        await utils.withPgClient(async (client) => {
          for (;;) {
            const { rows } = await client.query<{ left: boolean }>(
              "select exists (select 1 from graphile_worker.jobs) as left",
            )
            if (rows[0]?.left !== true) return
            await new Promise((resume) => setTimeout(resume, lookMs))
          }
        })
        return handled.errors
      },
      rest: async () => {
        await runner?.stop()
        await runner?.promise
      },
      close: async () => {
        await utils.release()
      },
    }
  }
