import { ApiError, type Client, errorCodes } from "@carillon/client/promise"

/** Reminds somebody of an order, once, however often this is asked for. */
export const remind = async (carillon: Client, agent_id: string, order: string, to_number: string) => {
  try {
    const placed = await carillon.calls.place(
      { payload: { agent_id, to_number, variables: { order } } },
      { idempotencyKey: `reminder-${order}` },
    )
    return placed.execution_id
  } catch (error) {
    if (error instanceof ApiError && error.code === errorCodes.InsufficientCredits) return "the wallet is empty"
    throw error
  }
}

/** Who did not pick up. */
export const missed = async (carillon: Client, agent_id: string) => {
  const numbers: Array<string> = []
  const query = { status: "no-answer,busy", page_size: 100 }
  for await (const call of carillon.agents.executions({ params: { agent_id }, query })) numbers.push(call.to_number)
  return numbers
}
