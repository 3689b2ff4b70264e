/** @typedef {import("./main.js").Context} Context */

/** Outcomes that are easily told apart, by the magic numbers that bring them about. */
export const outcomes = [
  { label: "Completed", digits: "00" },
  { label: "Busy", digits: "01" },
  { label: "No answer", digits: "02" },
  { label: "Voicemail", digits: "03" },
  { label: "Failed", digits: "04" },
  { label: "Disconnected mid-call", digits: "06" },
  { label: "Wallet cannot carry it (402)", digits: "07" },
  { label: "Busy once, then completed", digits: "10" },
  { label: "Acknowledgement lost, but live", digits: "20" },
  { label: "Provider unreachable (503)", digits: "30" },
  { label: "Destination invalid", digits: "33" },
  { label: "A fact corrected afterwards", digits: "41" },
  { label: "Holds the line for a minute", digits: "50" },
  { label: "Silent: never a report", digits: "60" },
]

const sampleSize = 200

/** Shares of the outcomes in a sample, by magic digits and parameter. */
const mix = ["0003", "0002", "0000", "0004", "0100", "0200", "0000", "1001", "0300", "0005"]

const names = ["Spring reminders", "Renewals", "Appointment check", "Welcome calls", "Survey", "Win-back"]

/** Serials of the numbers that this page has handed out, begun anew with each page. */
let serial = Math.floor(performance.timeOrigin / 1_000) % 1_000_000

let campaigns = 0

/**
 * A campaign of numbers whose outcomes are known.
 *
 * @param {Context} context
 * @returns {import("./api.js").Action}
 */
export const sampleCampaign = (context) => {
  const name = names[campaigns % names.length] ?? "Sample"
  const contacts = Array.from({ length: sampleSize }, (_, index) => ({
    to_number: `+999${mix[index % mix.length]}${String(serial * 100 + index)
      .padStart(8, "0")
      .slice(-8)}`,
    callee_name: `Contact ${index + 1}`,
  }))
  return {
    title: `Start the sample campaign “${name}”`,
    method: "POST",
    path: "/v2/campaigns",
    key: context.key() ?? "",
    body: {
      name,
      agent_id: context.agent() ?? "",
      retry_policy: { max_retries: 2, strategy: "fixed_delay", base_delay_minutes: 5, respect_working_hours: false },
      contacts,
    },
  }
}

/** The next sample is another one. */
export const nextSample = () => {
  serial += 7
  campaigns += 1
}
