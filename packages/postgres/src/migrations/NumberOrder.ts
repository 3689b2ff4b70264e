/** The numbers of an organization in the order of their registration, of which a dial reads one. */
export const numberOrder = `
create index phone_numbers_order on carillon.phone_numbers (organization_id, sequence)
`
