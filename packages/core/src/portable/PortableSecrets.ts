import { Effect } from "effect"
import type { PortError } from "../Errors.ts"
import { shownValue } from "../providers/rules/Provider.ts"
import {
  headerPlace,
  type Kept,
  organizationSecretPlace,
  providerValuePlace,
  subscriptionSecretPlace,
} from "../secrets/rules/Kept.ts"
import type { SecretsShape } from "../secrets/ports/Secrets.ts"
import type { SecretUnreadable } from "../secrets/rules/SecretUnreadable.ts"
import type { SecretPlace } from "../secrets/rules/SecretPlace.ts"
import type { Line } from "./rules/PortableFile.ts"

/** The secrets of a line, as they lie in its row. */
export const secretsOf = (line: Line): ReadonlyArray<Kept> => {
  const found: Array<{ readonly sealed: string | null; readonly place: SecretPlace }> = []
  if (line.kind === "organization") {
    found.push({ sealed: line.row.webhook_secret, place: organizationSecretPlace(line.row) })
  }
  if (line.kind === "provider") found.push({ sealed: line.row.provider_value, place: providerValuePlace(line.row) })
  if (line.kind === "subscription") {
    const { headers, secret } = line.row
    found.push({ sealed: secret, place: subscriptionSecretPlace(line.row) })
    for (const [name, sealed] of headers) found.push({ sealed, place: headerPlace(line.row, name) })
  }
  return found.flatMap(({ place, sealed }) => (sealed === null || sealed === "" ? [] : [{ sealed, place }]))
}

type Resealed<A> = Effect.Effect<A, SecretUnreadable | PortError>

/** The line with its secrets as this installation seals them. */
export const resealed = (secrets: SecretsShape, line: Line): Resealed<Line> => {
  const anew = <A extends string | null>(sealed: A, place: SecretPlace): Resealed<A | string> =>
    sealed === null || sealed === "" || secrets.isCurrent(sealed)
      ? Effect.succeed(sealed)
      : Effect.flatMap(secrets.open(sealed, place), (text) => secrets.seal(text, place))
  return Effect.gen(function* () {
    switch (line.kind) {
      case "organization": {
        const webhook_secret = yield* anew(line.row.webhook_secret, organizationSecretPlace(line.row))
        return { kind: line.kind, row: { ...line.row, webhook_secret } }
      }
      case "provider": {
        const { row } = line
        const provider_value = yield* anew(row.provider_value, providerValuePlace(row))
        if (provider_value === row.provider_value) return line
        return { kind: line.kind, row: { ...row, provider_value, provider_value_preview: shownValue(row) } }
      }
      case "subscription": {
        const { row } = line
        const secret = yield* anew(row.secret, subscriptionSecretPlace(row))
        const headers = yield* Effect.forEach(row.headers, ([name, value]) =>
          Effect.map(anew(value, headerPlace(row, name)), (text) => [name, text] as const),
        )
        return { kind: line.kind, row: { ...row, secret, headers } }
      }
      default:
        return line
    }
  })
}
