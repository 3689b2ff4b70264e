import { test, type TestAPI } from "vitest"
import { serve } from "./server/Server.ts"
import { Simulator, type SimulatorOptions } from "./Simulator.ts"

/** An organization of one test, with an agent that may call. Its wallet pays for everything. */
export interface TestTenant {
  readonly organization_id: string
  readonly key: string
  readonly agent_id: string
}

/** What a test of `simulatorTest` may ask for; what none asks for is not made. */
export interface SimulatorFixtures {
  /** The world of the file. */
  readonly simulator: Simulator
  /** Answers from the world, whatever the host of the URL: no socket is opened. */
  readonly fetch: typeof fetch
  /** Where the world is on a socket of this machine, for programs that know only a URL. */
  readonly url: string
  /** This test's own organization, so that tests of one world do not see each other's calls. */
  readonly tenant: TestTenant
}

const into =
  (simulator: Simulator): typeof fetch =>
  (input, init) =>
    simulator.fetch(new Request(input, init))

const post = async (send: typeof fetch, path: string, key: string | null, body: object): Promise<object> => {
  const headers = { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) }
  const answer = await send(`http://carillon.test${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`)
  return Object(JSON.parse(text))
}

const textOf = (object: object, field: string): string => String(Reflect.get(object, field))

const makeTenant = async (send: typeof fetch, controlToken: string | null): Promise<TestTenant> => {
  const made = await post(send, "/_sim/organizations", controlToken, {})
  const keys: unknown = Reflect.get(made, "keys")
  const [first] = Array.isArray(keys) ? keys : []
  const key = textOf(Object(first), "key")
  const agent = await post(send, "/v2/agents", key, { display_name: "Agent of a test", status: "ACTIVE" })
  return { organization_id: textOf(made, "organization_id"), key, agent_id: textOf(agent, "agent_id") }
}

/**
 * vitest's `test` with a world for each file that uses it: started when the first test asks for it, and closed behind the last. Its clock is
 * `manual` unless the options say otherwise. Tests that run side by side (`test.concurrent`) share the clock.
 */
export const simulatorTest = (options: SimulatorOptions = {}): TestAPI<SimulatorFixtures> =>
  test.extend<SimulatorFixtures>({
    simulator: [
      // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        await using simulator = await Simulator.start({ clock: "manual", ...options })
        await use(simulator)
      },
      { scope: "file" },
    ],
    fetch: async ({ simulator }, use) => use(into(simulator)),
    url: [
      async ({ simulator }, use) => {
        const server = await serve(simulator, "127.0.0.1", 0)
        await use(server.url)
        await server.close()
      },
      { scope: "file" },
    ],
    tenant: async ({ simulator }, use) => use(await makeTenant(into(simulator), options.controlToken ?? null)),
  })
