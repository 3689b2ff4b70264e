import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { BatchCreate, BatchSchedule, BatchUpload } from "../src/Batches.ts"
import { CampaignCreate, CampaignPatch, CampaignUpload } from "../src/Campaigns.ts"
import { decoder } from "../src/Decoding.ts"

const create = decoder(CampaignCreate)
const upload = decoder(CampaignUpload)
const patch = decoder(CampaignPatch)
const batch = decoder(BatchCreate)
const batchUpload = decoder(BatchUpload)
const schedule = decoder(BatchSchedule)

const whole = {
  name: "Spring",
  agent_id: "agt_1",
  contacts: [{ to_number: "+15555550100" }],
  phone_numbers: ["+15555550199"],
  phone_number_strategy: "least_loaded",
  timezone: "Asia/Kolkata",
  working_hours_enforced: true,
  working_hours: { monday: { start: "09:00", end: "18:00", enabled: true }, sunday: {} },
  max_concurrent_calls: 10_000,
  retry_policy: {
    max_retries: 10,
    strategy: "exponential_backoff",
    cooldown_minutes: 0,
    base_delay_minutes: 15,
    max_delay_minutes: null,
    respect_working_hours: false,
  },
  follow_up_policy: {
    enabled: true,
    max_attempts: 10,
    cooldown_minutes: 60,
    triggers: ["after_retries_exhausted", "completed", "no_answer", "busy", "voicemail", "failed"],
    next_working_day_only: true,
    follow_up_agent_id: null,
    follow_up_prompt: "Again.",
    follow_up_extra_logic: { any: [1] },
  },
  transliteration: {
    enabled: true,
    fields: ["name"],
    target_language_code: "hi",
    source_language_code: null,
    keep_original: true,
  },
  start_time: "2026-01-05T09:00:00+05:30",
  end_time: null,
  default_call_variables: { a: 1 },
  default_call_context: { b: [] },
  metadata: {},
}

const failure = (result: Result.Result<unknown, { readonly kind: string; readonly field: string }>) =>
  Result.isFailure(result) ? `${result.failure.kind} ${result.failure.field}` : "ok"

describe("the body of a campaign", () => {
  it("is taken with every field of the specification, and a name with an agent is enough", () => {
    assert.deepEqual<unknown>(Result.getOrThrow(create({ ...whole, unknown: 1 })), whole)
    assert.strictEqual(failure(create({ name: "a", agent_id: "b" })), "ok")
  })

  it.each<[object, string]>([
    [{ name: undefined }, "missing name"],
    [{ agent_id: undefined }, "missing agent_id"],
    [{ name: "" }, "invalid name"],
    [{ name: "x".repeat(201) }, "invalid name"],
    [{ name: null }, "invalid name"],
    [{ agent_id: "" }, "invalid agent_id"],
    [{ contacts: "x" }, "invalid contacts"],
    [{ contacts: null }, "invalid contacts"],
    [{ phone_numbers: ["+15555550199", "5"] }, "invalid phone_numbers[1]"],
    [{ phone_number_strategy: "first" }, "invalid phone_number_strategy"],
    [{ timezone: null }, "invalid timezone"],
    [{ working_hours_enforced: "yes" }, "invalid working_hours_enforced"],
    [{ working_hours: { monday: { start: 9 } } }, "invalid working_hours.monday.start"],
    [{ max_concurrent_calls: 0 }, "invalid max_concurrent_calls"],
    [{ max_concurrent_calls: 10_001 }, "invalid max_concurrent_calls"],
    [{ retry_policy: { max_retries: 11 } }, "invalid retry_policy.max_retries"],
    [{ retry_policy: { max_retries: -1 } }, "invalid retry_policy.max_retries"],
    [{ retry_policy: { strategy: "never" } }, "invalid retry_policy.strategy"],
    [{ retry_policy: { base_delay_minutes: 1.5 } }, "invalid retry_policy.base_delay_minutes"],
    [{ follow_up_policy: { max_attempts: 0 } }, "invalid follow_up_policy.max_attempts"],
    [{ follow_up_policy: { triggers: ["completed", "never"] } }, "invalid follow_up_policy.triggers[1]"],
    [{ transliteration: { fields: [1] } }, "invalid transliteration.fields[0]"],
    [{ start_time: "2026-01-05T09:00:00" }, "invalid start_time"],
    [{ metadata: [] }, "invalid metadata"],
    // The first in schema order, whatever the order in which they were sent.
    [{ metadata: 1, timezone: 1, phone_numbers: 1 }, "invalid phone_numbers"],
    [{ metadata: 1, name: undefined }, "missing name"],
  ])("is refused with %o", (fields, expected) => {
    const sent = Object.fromEntries(Object.entries({ ...whole, ...fields }).filter(([, value]) => value !== undefined))
    assert.strictEqual(failure(create(sent)), expected)
  })

  it("needs the file where it is a form", () => {
    assert.strictEqual(failure(upload({ name: "a", agent_id: "b" })), "missing file")
    assert.strictEqual(failure(upload({ agent_id: "b" })), "missing name")
    assert.strictEqual(failure(upload({ name: "a", agent_id: "b", file: "to_number" })), "invalid file")
  })

  it("may name anything in a PATCH but contacts, and clear what has a default", () => {
    const { contacts: _, ...settings } = whole
    assert.deepEqual<unknown>(Result.getOrThrow(patch(whole)), settings)
    assert.deepStrictEqual(Result.getOrThrow(patch({})), {})
    const clearable = Object.keys(settings).filter((field) => field !== "name" && field !== "agent_id")
    for (const field of clearable) assert.strictEqual(failure(patch({ [field]: null })), "ok", field)
    assert.strictEqual(failure(patch({ name: null })), "invalid name")
    assert.strictEqual(failure(patch({ agent_id: null })), "invalid agent_id")
  })
})

describe("the body of a batch", () => {
  it.each<[object, string]>([
    [{ agent_id: "a", contacts: [] }, "ok"],
    [{ contacts: [] }, "missing agent_id"],
    [{ agent_id: "a" }, "missing contacts"],
    [{ agent_id: "a", contacts: [], concurrency_limit: 0 }, "invalid concurrency_limit"],
    [{ agent_id: "a", contacts: [], scheduled_at: "tomorrow" }, "invalid scheduled_at"],
    [{ agent_id: "a", contacts: [], campaign_id: null, scheduled_at: null, name: null }, "ok"],
  ])("%o is %s", (body, expected) => {
    assert.strictEqual(failure(batch(body)), expected)
  })

  it("needs its file, its time", () => {
    assert.strictEqual(failure(batchUpload({ agent_id: "a" })), "missing file")
    assert.strictEqual(failure(schedule({})), "missing scheduled_at")
    assert.strictEqual(failure(schedule({ scheduled_at: null })), "invalid scheduled_at")
    assert.strictEqual(failure(schedule({ scheduled_at: "2026-01-05T09:00:00Z" })), "ok")
  })
})
