import { Effect } from "effect"
import { DependencyUnavailable } from "../../Errors.ts"

/** What stands between the engine and one operation of a port, named `store.commit`, `slots.acquire`, … */
export type Interposition = (
  operation: string,
  effect: Effect.Effect<unknown, unknown>,
) => Effect.Effect<unknown, unknown>

/** The answer of a dependency that cannot be reached. */
export const away = Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))

const isOperation = (member: unknown): member is Effect.Effect<unknown, unknown> => Effect.isEffect(member)

/** The service with something between it and whoever uses it. */
const behind = <Service extends object>(name: string, service: Service, interpose: Interposition): Service =>
  new Proxy(service, {
    get: (target, operation) => {
      const member: unknown = Reflect.get(target, operation)
      const named = `${name}.${String(operation)}`
      if (isOperation(member)) return interpose(named, member)
      if (typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>) => interpose(named, Reflect.apply(member, target, args))
    },
  })

/** The ports with something between each of their operations and the engine. */
export const interposed = <Ports extends object>(ports: Ports, interpose: Interposition): Ports =>
  new Proxy(ports, {
    get: (target, name) => {
      const service: unknown = Reflect.get(target, name)
      return typeof service === "object" && service !== null ? behind(String(name), service, interpose) : service
    },
  })
