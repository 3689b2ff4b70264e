import { put, write } from "../../engine/rules/Outcome.ts"
import { ask, each, refuse, sets } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { KeptText } from "../../keys/rules/KeptText.ts"
import { concurrencyDefaults } from "../../limits/rules/SlotLevels.ts"
import { mayRegister, numberHolders } from "../../numbers/steps/NumberSets.ts"
import { newPhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import { hostsKey } from "../rules/HostsKey.ts"
import type { Organization, Wallet } from "../rules/Organization.ts"
import type { NewOrganization } from "../rules/NewOrganization.ts"

const noFunds: Wallet = { balance: 0, currency: "USD" }

interface Opening extends ByEngine {
  readonly request: NewOrganization
  /** As it may lie in its row. */
  readonly webhook_secret: string | null
  readonly kept: KeptText
}

/** The host opens an organization with its numbers, none of which another has that does not share it, and one key that holds every scope. */
export const openOrganization = step({
  name: "organization.open",
  *reads({ organization_id, request: { phone_numbers = [] } }: Opening) {
    const known = yield* sets(numberHolders, phone_numbers)
    const held = phone_numbers.flatMap((phone_number, nth) => {
      const holders = (known[nth] ?? []).filter((holder) => holder !== organization_id)
      return holders.length === 0 ? [] : [{ nth, claim: { organization_id, phone_number, holders } }]
    })
    const may = yield* each(held.map(({ claim }) => ask(mayRegister, claim)))
    const denied = held.find((_, asked) => may[asked] !== true)
    if (denied === undefined) return
    const { nth } = denied
    yield* refuse(new StateConflict({ message: `phone_numbers[${nth}] is not available to this organization.` }))
  },
  decide({ kept, organization_id, request, webhook_secret }: Opening, _, at) {
    const { name, phone_numbers = [], plan = "standard", retention_days, wallet = noFunds } = request
    const { enforced, organization: ceiling, per_agent } = request.concurrency ?? {}
    const organization: Organization = {
      organization_id,
      revision: 1,
      name,
      plan,
      rate_limit_tier: plan,
      wallet,
      concurrency: {
        // Null is no ceiling; what is left out has the default.
        organization: ceiling === undefined ? concurrencyDefaults.organization : ceiling,
        per_agent: per_agent === undefined ? concurrencyDefaults.per_agent : per_agent,
        enforced: enforced ?? concurrencyDefaults.enforced,
      },
      webhook_secret,
      ...(retention_days === undefined ? {} : { retention_days }),
      created_at: at.now,
    }
    const developer = { id: at.mint("developer", organization_id), name }
    const record = hostsKey(organization, kept, { developer, description: "First key", at: at.now })
    const numbers = phone_numbers.map((phone_number) => {
      const phone_number_id = at.mint("phoneNumber", organization_id, phone_number)
      return newPhoneNumber({ phone_number_id, organization_id, phone_number, created_at: at.now })
    })
    const changes = [
      put("organization", null, organization),
      put("api_key", null, record),
      ...numbers.map((number) => put("phone_number", null, number)),
    ]
    return write(changes, { reply: { organization, record } })
  },
})
