/** Places one call, and tells what was answered. */
type Place = (to_number: string) => Promise<Response>

const attempts = 3

/** Wrong: every answer but 201 counts as a failure, and the call is placed again. */
export const careless = async (place: Place, to_number: string) => {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { status } = await place(to_number)
    if (status === 201) return true
  }
  return false
}

/** Right: 202 says that the call may be live already, so it is placed as well. */
export const careful = async (place: Place, to_number: string) => {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { status } = await place(to_number)
    if (status === 201 || status === 202) return true
  }
  return false
}
