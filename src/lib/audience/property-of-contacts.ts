/** A property that the team gives to its contacts. `number`: under which a contact has its value. */
export type PropertyOfContacts = { number: number; key: string; fallbackValue: string | number | null }
