// What the emails of a broadcast have of their contacts.

/** Something that a contact has; a number is that of a property. */
export type ContactField = 'email' | 'firstName' | 'lastName' | number

/** The values that are not empty: names as they are called here, properties by their numbers. */
export type MergeValues = Record<string, string | number>

/** A part of a subject: text, or a field of the contact with what stands in its place if it is empty. */
export type SubjectPart = string | { field: ContactField; fallback: string }
