/** Who has a number, whatever the organization. */
export const numberHolders = `
create index phone_numbers_holders on carillon.phone_numbers (phone_number)
`
