const grouped = 1_000_000

/** A count as messages tell it: from a million on with commas. Seven digits in a row are masked there, because they may be a phone number. */
export const counted = (count: number): string => (count < grouped ? String(count) : count.toLocaleString("en-US"))
